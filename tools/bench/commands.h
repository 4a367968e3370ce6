#pragma once
// The command `frond bench`, a command of frond-bench, and its commands, one file each. As tools/commands.h says of the
// commands of `frond`.
namespace frond::config {
class CommandLine;
}

namespace frond::tools::bench {

void add_bench(config::CommandLine& program, int& status);

void add_bench_codec(config::CommandLine& bench, int& status);
void add_bench_intersect(config::CommandLine& bench, int& status);
void add_bench_query(config::CommandLine& bench, int& status);
void add_bench_cache(config::CommandLine& bench, int& status);

}  // namespace frond::tools::bench
