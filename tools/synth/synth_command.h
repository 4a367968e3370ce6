#pragma once
// The command `frond synth`, a command of frond-bench.
namespace frond::config {
class CommandLine;
}

namespace frond::tools::synth {

// As tools/commands.h says of the commands of `frond`.
void add_synth(config::CommandLine& program, int& status);

}  // namespace frond::tools::synth
