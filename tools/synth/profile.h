#pragma once
// The papers' collections that synthetic ones imitate. The figures are the papers', or fitted where a paper gives only
// a consequence. Lengths are shares of the documents, so a smaller number of documents scales everything.
#include <cstdint>
#include <span>
#include <string_view>

#include "common/base/result.h"

namespace frond::tools::synth {

// The queries with a given number of distinct terms.
struct QueryKind {
  std::uint32_t terms = 0;
  double weight = 0;  // relative frequency; a profile's weights need not sum to 1
  // The length of the query's shortest list: log-normal with this median, in postings for Profile::documents, and this
  // sigma of the natural logarithm. 0: all lists of the query are log-uniform between the profile's shortest and
  // longest.
  double shortest_median = 0, shortest_sigma = 0;
};

// What a collection of learned sparse vectors has in place of words. Medians and sigmas are of log-normal
// distributions.
struct Impacts {
  std::uint32_t terms = 0;  // of the vocabulary; each has a list, whether a query asks for it or not. 0: words instead
  // The list of rank r, from 0 on, has longest_list * bend / (bend + r) of the documents.
  double bend = 0;
  double median = 0, sigma = 0;                // of a posting's impact; 1 to 255
  double weight_median = 0, weight_sigma = 0;  // of a query's term
};

struct Profile {
  std::string_view name;    // for --profile
  std::string_view source;  // papers and sections
  std::uint32_t documents = 0;
  // Lengths of lists. If the length of a query's shortest list is drawn separately, its others are log-uniform from
  // there to the longest.
  double shortest_list = 0;  // postings, for `documents` documents
  double longest_list = 0;   // share of the documents
  std::span<const QueryKind> queries;
  // Document lengths: log-normal, mean in tokens, sigma of the natural logarithm.
  double mean_length = 0, length_sigma = 0;
  // docIDs in input order: documents come in `runs` of one origin each. Each run multiplies the probability of a term
  // by a factor from the gamma distribution of this shape and mean 1. The smaller the shape, the more clustered the
  // lists.
  std::uint32_t runs = 0;
  double run_shape = 0;
  // Mean further occurrences of a term in a document of mean length that has it.
  double repeats = 0;
  Impacts impacts{};
  bool has_impacts() const { return impacts.terms > 0; }
};

std::span<const Profile> all_profiles();
// kInvalid: no such profile; the message lists all profiles. The result lives as long as the program.
Result<const Profile*> profile_named(std::string_view name);

// The collections of Wei and JaJa that made-up text imitates. The counts are Table III's, which leave stop words out.
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
