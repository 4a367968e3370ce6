// frond: the user's tool. All its commands are listed here.
#include <cstdio>

#include "common/config/command_line.h"
#include "tools/commands/commands.h"

namespace frond::tools {
namespace {

int run(int argc, char** argv) {
  if (is_for_bench_program({argv, static_cast<std::size_t>(argc)})) {
    std::fprintf(stderr, "frond: %s\n", run_bench_program(argv).message().c_str());
    return 1;
  }
  config::CommandLine app(
      "Serves documents on one machine (up), asks a Frond cluster, and measures it. Each flag can also be set as "
      "FROND_<FLAG>.",
      "frond");
  app.require_command();
  int status = 0;
  add_up(app, status);
  add_search(app, status);
  add_run(app, status);
  add_export_matches(app, status);
  add_import(app, status);
  add_load(app, status);
  add_probe(app, status);
  add_diagnose(app, status);
  add_keygen(app, status);
  add_plan(app, status);
  // For --help only; see is_for_bench_program().
  app.add_command("bench", "Measures parts of the system in this process, without a cluster");
  app.add_command("synth", "Makes up a collection, or text, of the papers' sizes and distributions");
  if (const auto exit_code = app.parse(argc, argv)) return *exit_code;
  return status;
}

}  // namespace
}  // namespace frond::tools

int main(int argc, char** argv) { return frond::tools::main_of("frond", argc, argv, frond::tools::run); }
