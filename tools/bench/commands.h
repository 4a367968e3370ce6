#pragma once
// The commands of `frond bench`: each adds itself to it, as tools/commands.h says of the commands of `frond`.
namespace CLI {
class App;
}

namespace frond::tools {

void add_bench_codec(CLI::App& bench, int& status);
void add_bench_intersect(CLI::App& bench, int& status);
void add_bench_query(CLI::App& bench, int& status);
void add_bench_cache(CLI::App& bench, int& status);

}  // namespace frond::tools
