// frond bench: measures parts of the system without a cluster.
#include "common/config/command_line.h"
#include "tools/bench/commands.h"

namespace frond::tools::bench {

void add_bench(config::CommandLine& program, int& status) {
  auto& bench = program.add_command("bench", "Measures parts of the system in this process, without a cluster");
  bench.require_command();
  add_bench_codec(bench, status);
  add_bench_query(bench, status);
  add_bench_cache(bench, status);
  add_bench_schedule(bench, status);
}

}  // namespace frond::tools::bench
