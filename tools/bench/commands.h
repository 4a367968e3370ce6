#pragma once
// The commands of `frond bench`: each adds itself to it, as tools/commands.h says of the commands of `frond`.
namespace frond::config {
class CommandLine;
}

namespace frond::tools {

void add_bench_codec(config::CommandLine& bench, int& status);
void add_bench_intersect(config::CommandLine& bench, int& status);
void add_bench_query(config::CommandLine& bench, int& status);
void add_bench_cache(config::CommandLine& bench, int& status);

}  // namespace frond::tools
