#pragma once
// `frond synth --text`: its flags, and what it prints.
#include <cstdint>
#include <filesystem>
#include <string>

#include "common/base/result.h"
#include "tools/synth/text/speller.h"

namespace frond::config {
class CommandLine;
}

namespace frond::tools::synth {

struct TextFlags {
  std::string output, markup = "jsonl";
  std::uint64_t bytes = 0, file_bytes = 0;
  SpellingShares shares;
};
// Adds the flags that only --text has. `flags` outlives the command line.
void add_text_flags(config::CommandLine& command, TextFlags& flags);

// The flags that --text shares with made-up collections.
struct SharedFlags {
  std::string profile;
  std::uint64_t documents = 0;  // 0: no limit
  std::uint64_t seed = 1;
  unsigned threads = 1;
  bool json = false;
};
// Makes the text and prints a summary, on stderr if the text goes to standard output. kInvalid: flags that contradict
// each other; others as make_text().
Result<void> run_text(const TextFlags& flags, const SharedFlags& shared);

// "clueweb09, wikipedia, …".
std::string text_profile_names();

}  // namespace frond::tools::synth
