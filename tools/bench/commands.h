#pragma once
// `frond bench`, a command of frond-bench, and its subcommands, one file each. tools/commands/commands.h describes the
// form of the functions.
namespace frond::config {
class CommandLine;
}

namespace frond::tools::bench {

void add_bench(config::CommandLine& program, int& status);

void add_bench_codec(config::CommandLine& bench, int& status);
void add_bench_query(config::CommandLine& bench, int& status);
void add_bench_cache(config::CommandLine& bench, int& status);
void add_bench_schedule(config::CommandLine& bench, int& status);

}  // namespace frond::tools::bench
