#include "tools/synth/text/text_profile.h"

#include <string>

namespace frond::tools::synth {
namespace {

constexpr std::uint64_t kGigabyte = 1'000'000'000;

// The sigma of lengths is the one of the other profiles (profile.cc): no paper gives it.
constexpr TextProfile kProfiles[] = {
    {.name = "clueweb09",
     .source = "Wei 2011, Table III: ClueWeb09, first English segment",
     .documents = 50'220'423,
     .tokens = 32'644'508'255,
     .terms = 84'799'475,
     .bytes = 1'422 * kGigabyte,
     .length_sigma = 1,
     .boilerplate = 19'400},
    // Tags were removed (section IV.C): 8.4 bytes a token.
    {.name = "wikipedia",
     .source = "Wei 2011, Table III: Wikipedia 01-07",
     .documents = 16'618'497,
     .tokens = 9'375'229'726,
     .terms = 9'404'723,
     .bytes = 79 * kGigabyte,
     .length_sigma = 1,
     .boilerplate = 0},
    {.name = "congress",
     .source = "Wei 2011, Table III: Library of Congress",
     .documents = 29'177'074,
     .tokens = 16'865'180'093,
     .terms = 7'457'742,
     .bytes = 507 * kGigabyte,
     .length_sigma = 1,
     .boilerplate = 9'400},
};

}  // namespace

std::span<const TextProfile> text_profiles() { return kProfiles; }

Result<const TextProfile*> text_profile_named(std::string_view name) {
  std::string known;
  for (const TextProfile& profile : kProfiles) {
    if (profile.name == name) return &profile;
    known.append(known.empty() ? "" : ", ").append(profile.name);
  }
  return Error(Code::kInvalid, "no profile '" + std::string(name) + "' of text; there are " + known);
}

}  // namespace frond::tools::synth
