#pragma once
// The collections of Wei and JaJa that made-up text imitates. The counts are Table III's, which leave stop words out.
#include <cstdint>
#include <span>
#include <string_view>

#include "common/base/result.h"

namespace frond::tools::synth {

struct TextProfile {
  std::string_view name;    // for --profile
  std::string_view source;  // paper and section
  std::uint64_t documents = 0;
  std::uint64_t tokens = 0;  // occurrences of terms
  std::uint64_t terms = 0;   // distinct
  std::uint64_t bytes = 0;   // uncompressed
  // Document lengths are log-normal with the mean tokens / documents and this sigma of the natural logarithm.
  double length_sigma = 0;
  // Mean bytes of style sheets and scripts on a page. Chosen so that a page has bytes / documents bytes on average.
  std::uint32_t boilerplate = 0;
};

std::span<const TextProfile> text_profiles();
// kInvalid: no such profile; the message lists all of them. The result lives as long as the program.
Result<const TextProfile*> text_profile_named(std::string_view name);

}  // namespace frond::tools::synth
