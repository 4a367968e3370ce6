#pragma once
// The collections that synthetic ones are made after: figures that papers give of theirs, and what fits them where a
// paper gives a figure's consequence only. Shares are of the collection's documents, so a smaller number of documents
// scales everything.
#include <cstdint>
#include <span>
#include <string_view>

#include "common/base/result.h"

namespace frond::tools::synth {

// Queries of so many distinct terms.
struct QueryKind {
  std::uint32_t terms = 0;
  double weight = 0;  // how often they come; weights of a profile need not sum to 1
  // The shortest of the query's lists: log-normal, median in postings for Profile::documents, sigma of the natural
  // logarithm. 0: all lists of the query are alike, log-uniform between the profile's shortest and longest.
  double shortest_median = 0, shortest_sigma = 0;
};

struct Profile {
  std::string_view name;    // as --profile names it
  std::string_view source;  // papers and sections
  std::uint32_t documents = 0;
  // Lists, by posting. Where a query's shortest list is drawn apart, its others are log-uniform from there to longest.
  double shortest_list = 0;  // postings, for that number of documents
  double longest_list = 0;   // share of the documents
  std::span<const QueryKind> queries;
  // Document lengths: log-normal, mean in tokens, sigma of the natural logarithm.
  double mean_length = 0, length_sigma = 0;
  // docIDs in input order: documents come in `runs` of one origin each, in each of which a term is more or less usual
  // by a factor of its own, of the gamma distribution of this shape: the smaller, the more clustered.
  std::uint32_t runs = 0;
  double run_shape = 0;
  // How often a term comes again in a document of mean length that has it, on average.
  double repeats = 0;
};

std::span<const Profile> all_profiles();
// kInvalid: no such profile; the message lists those there are. The profile lives as long as the program.
Result<const Profile*> profile_named(std::string_view name);

}  // namespace frond::tools::synth
