// frond: the user's tool. What it can do is listed here.
#include <cstdio>
#include <exception>

#include "common/config/command_line.h"
#include "tools/commands.h"

namespace frond::tools {
namespace {

int run(int argc, const char* const* argv) {
  config::CommandLine app("Asks a Frond cluster, and measures it. Each flag can also be set as FROND_<FLAG>.", "frond");
  app.require_command();
  int status = 0;
  add_search(app, status);
  add_run(app, status);
  add_load(app, status);
  add_probe(app, status);
  add_keygen(app, status);
  add_bench(app, status);
  add_synth(app, status);
  if (const auto exit_code = app.parse(argc, argv)) return *exit_code;
  return status;
}

}  // namespace
}  // namespace frond::tools

int main(int argc, char** argv) {
  try {
    return frond::tools::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "frond: %s\n", error.what());
    return 1;
  }
}
