// frond-bench: runs `frond bench` and `frond synth` (tools/commands/bench_program.h). It prints its name as frond, the
// command that users type.
#include <cstdio>
#include <exception>

#include "common/base/process.h"
#include "common/config/command_line.h"
#include "tools/bench/commands.h"
#include "tools/synth/synth_command.h"

namespace frond::tools::bench {
namespace {

int run(int argc, const char* const* argv) {
  config::CommandLine app("Measures parts of Frond. Each flag can also be set as FROND_<FLAG>.", "frond");
  app.require_command();
  int status = 0;
  add_bench(app, status);
  synth::add_synth(app, status);
  if (const auto exit_code = app.parse(argc, argv)) return *exit_code;
  return status;
}

}  // namespace
}  // namespace frond::tools::bench

int main(int argc, char** argv) {
  try {
    frond::hold_standard_descriptors();
    return frond::finish_output("frond", frond::tools::bench::run(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "frond: %s\n", error.what());
    return 1;
  }
}
