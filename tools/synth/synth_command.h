#pragma once
// The command `frond synth`, a command of frond-bench.
namespace frond::config {
class CommandLine;
}

namespace frond::tools::synth {

// See tools/commands/commands.h for the form of this function.
void add_synth(config::CommandLine& program, int& status);

}  // namespace frond::tools::synth
