#pragma once
// The commands of frond-bench, one file each: `frond bench …` and `frond synth`. tools/commands/commands.h describes
// the form of the functions.
namespace frond::config {
class CommandLine;
}

namespace frond::tools::bench {

void add_bench_codec(config::CommandLine& bench, int& status);
void add_bench_clauses(config::CommandLine& bench, int& status);
void add_bench_query(config::CommandLine& bench, int& status);
void add_bench_schedule(config::CommandLine& bench, int& status);

}  // namespace frond::tools::bench

namespace frond::tools::synth {

void add_synth(config::CommandLine& program, int& status);

}  // namespace frond::tools::synth
