#pragma once
// `frond bench` and `frond synth` are in a program of their own, frond-bench, so that frond itself is built without
// engines, codecs and CUDA. frond runs it with the same arguments in its own place.
#include <span>

#include "common/base/result.h"

namespace frond::tools {

// Whether a command line (program name included) is for frond-bench: whether its first argument, apart from --config
// FILE, is bench or synth.
bool is_for_bench_program(std::span<const char* const> arguments);

// Replaces this process by the frond-bench in this program's folder. `arguments`: the whole command line, with a null
// pointer at the end. Returns only on failure: kUnavailable, naming the missing file.
Error run_bench_program(char* const* arguments);

}  // namespace frond::tools
