// frond-bench: runs `frond bench` and `frond synth` (tools/commands/commands.h). It prints its name as frond, the
// command that users type.

#include "common/config/command_line.h"
#include "tools/bench/commands.h"
#include "tools/commands/commands.h"

namespace frond::tools::bench {
namespace {

int run(int argc, char** argv) {
  config::CommandLine app("Measures parts of Frond. Each flag can also be set as FROND_<FLAG>.", "frond");
  app.require_command();
  int status = 0;
  auto& bench = app.add_command("bench", "Measures parts of the system in this process, without a cluster");
  bench.require_command();
  add_bench_codec(bench, status);
  add_bench_query(bench, status);
  add_bench_clauses(bench, status);
  add_bench_schedule(bench, status);
  synth::add_synth(app, status);
  if (const auto exit_code = app.parse(argc, argv)) return *exit_code;
  return status;
}

}  // namespace
}  // namespace frond::tools::bench

int main(int argc, char** argv) { return frond::tools::main_of("frond", argc, argv, frond::tools::bench::run); }
