#pragma once
// The flag --gpu: which devices of the machine a process uses.
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/config/command_line.h"

namespace frond::config {

inline constexpr int kMaxGpus = 64;  // of a machine

struct Gpus {
  bool off = false;
  bool named = false;        // all, or numbers: one that cannot be used is worth a warning
  std::vector<int> devices;  // numbers; empty: all that the machine has
};
// "auto", "all", "off", or numbers, each once, as "0,2". kInvalid.
Result<Gpus> parse_gpus(std::string_view text);
Rule gpus();

}  // namespace frond::config
