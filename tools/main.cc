// frond: the user's tool. What it can do is listed here.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>

#include "tools/commands.h"

namespace {

constexpr int kBadUsage = 2;

int run(int argc, char** argv) {
  CLI::App program("frond: ask a Frond cluster, and measure it. Each flag can also be set as FROND_<FLAG>.", "frond");
  int status = 0;
  frond::tools::add_search(program, status);
  frond::tools::add_run(program, status);
  frond::tools::add_load(program, status);
  program.require_subcommand(1);
  program.set_config("--config", "", "Flags from a file: a [command] heading, then flag = value lines");
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? 0 : kBadUsage;
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "frond: %s\n", error.what());
    return 1;
  }
}
