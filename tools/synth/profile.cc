#include "tools/synth/profile.h"

#include <string>

namespace frond::tools::synth {
namespace {

template <class Profile>
Result<const Profile*> named(std::span<const Profile> profiles, std::string_view name, std::string_view what) {
  std::string known;
  for (const Profile& profile : profiles) {
    if (profile.name == name) return &profile;
    known.append(known.empty() ? "" : ", ").append(profile.name);
  }
  return Error(Code::kInvalid, "no profile '" + std::string(name) + "'" + std::string(what) + "; there are " + known);
}

// Ao 2011, appendix F, Table 4: the shares of queries of 2 to 6 terms. Median and sigma are fitted to its mean length
// of the shortest list (8.6, 8.7, 8.4, 8.0, 8.0 thousand) and its mean ratio of the shortest list to the next (13.6,
// 23.1, 28.6, 32.0, 34.4 %).
constexpr QueryKind kTerabyte06[] = {{2, 16.1, 98.5, 3.414},
                                     {3, 24.5, 134.6, 3.26},
                                     {4, 22.8, 57.6, 3.672},
                                     {5, 14.8, 14.7, 4.324},
                                     {6, 8.24, 2.0, 5.314}};

// The queries of at least two distinct terms in the TREC 2005 Terabyte efficiency log, counted in the log: 38,834 of
// 49,990.
constexpr QueryKind kTerabyte05[] = {{2, 30.91}, {3, 20.64}, {4, 12.13}, {5, 7.07}, {6, 3.29}, {7, 1.69}, {8, 1.94}};

// Of 20 to 60 terms, 37 on average.
constexpr QueryKind kExpanded[] = {{20, 1}, {25, 2}, {30, 3}, {36, 3}, {42, 3}, {48, 2}, {54, 1}, {60, 1}};

constexpr Profile kProfiles[] = {
    {.name = "gov",
     .source = "Ao 2011, appendices E and F (Table 4), Tables 1 and 2",
     .documents = 1'053'372,
     .shortest_list = 1,
     .longest_list = 0.8,
     .queries = kTerabyte06,
     .mean_length = 900,
     .length_sigma = 1,
     .runs = 23,
     .run_shape = 35,
     .repeats = 0.8},
    // 5,000 is the shortest list that Ding measures (6.3, 7.3). With 33.67 % as the longest, a query has 3.74 million
    // postings on average, as in the paper.
    {.name = "gov2",
     .source = "Ding 2009, 6.3 and 8.4; clustering: Ao 2011, Tables 1 and 2",
     .documents = 25'200'000,
     .shortest_list = 5'000,
     .longest_list = 0.3367,
     .queries = kTerabyte05,
     .mean_length = 900,
     .length_sigma = 1,
     .runs = 8,
     .run_shape = 2.5,
     .repeats = 0.8},
    // 32,644,508,255 tokens. No paper gives its queries' volume: lists are as large a share of it as of gov2. Clustered
    // as Ao's BD, which is a crawl of the web too.
    {.name = "clueweb09",
     .source = "Wei 2011, IV and Table III; lists as gov2; clustering: Ao 2011, Tables 1 and 2 (BD)",
     .documents = 50'220'423,
     .shortest_list = 9'964,
     .longest_list = 0.3367,
     .queries = kTerabyte05,
     .mean_length = 650,
     .length_sigma = 1,
     .runs = 100,
     .run_shape = 0.65,
     .repeats = 0.8},
    // No paper's figures but the sizes: all else is chosen so that documents have about 150 terms, and a query as many
    // postings as two thirds of the documents. A run stands for a subject: what queries of a subject ask for is in many
    // of its documents, as what a model expands texts by is.
    {.name = "splade",
     .source = "passages of MS MARCO and BERT's vocabulary by their numbers; distributions are made up",
     .documents = 8'841'823,
     .shortest_list = 1,
     .longest_list = 0.42,
     .queries = kExpanded,
     .mean_length = 150,
     .length_sigma = 0.2,
     .runs = 64,
     .run_shape = 0.5,
     .impacts = {.terms = 30'522, .bend = 60, .median = 45, .sigma = 0.8, .weight_median = 0.7, .weight_sigma = 0.7}},
};

}  // namespace

std::span<const Profile> all_profiles() { return kProfiles; }

Result<const Profile*> profile_named(std::string_view name) { return named<Profile>(kProfiles, name, ""); }

namespace {

constexpr std::uint64_t kGigabyte = 1'000'000'000;

// The sigma of lengths is the one of the other profiles, above: no paper gives it.
constexpr TextProfile kTextProfiles[] = {
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

std::span<const TextProfile> text_profiles() { return kTextProfiles; }

Result<const TextProfile*> text_profile_named(std::string_view name) {
  return named<TextProfile>(kTextProfiles, name, " of text");
}

}  // namespace frond::tools::synth
