#pragma once
// The lists, queries and answers for measurements of intersection, generated after a paper's collection (tools/synth).
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "tools/papers/intersect/methods.h"
#include "tools/synth/document_model.h"

namespace frond::tools::papers {

struct IntersectionSet {
  std::string name;  // "gov/random"
  std::uint32_t documents = 0;
  std::vector<std::vector<DocId>> lists;
  QuerySet queries;
  std::vector<std::vector<DocId>> answers;  // by std::set_intersection

  std::uint64_t postings() const;  // of all lists
  double postings_a_query() const;
  double computations_a_query() const;  // docIDs of the shortest list: the unit of thresholds (Ao 2011 §3.1)
};

struct IntersectionSetOptions {
  std::string profile = "gov";
  synth::DocidOrder order = synth::DocidOrder::kRandom;
  std::uint32_t documents = 0;  // 0: the profile's
  std::uint32_t queries = 10'000;
  std::uint64_t seed = 1;
  unsigned threads = 1;
};

// Equal options give equal sets, whatever the number of threads. kInvalid: no such profile.
Result<IntersectionSet> make_intersection_set(const IntersectionSetOptions& options);

// One query of two lists, each with `count` docIDs out of 4 * count documents: Ding 2009 §7.3, Figure 6.
IntersectionSet make_pair_set(std::uint32_t count, std::uint64_t seed, unsigned threads);

// Posting lists of a synthetic collection (tools/synth) in memory, for benchmarks of lists without an index.

// Draws each list with a length, and gives it to `keep` from any thread. List i has about lengths[i] postings; a length
// of 0 leaves it out, which changes no other list.
void draw_lists(const synth::CollectionSize& size, std::span<const std::uint32_t> lengths, unsigned threads,
                const std::function<void(std::size_t, synth::Postings)>& keep);

// How close the docIDs of a list are to a line over their positions: Table 1 of Ao et al. 2011 for our lists.

// Means over the lists whose length is in [begin, end) docIDs.
struct LinearityOfLists {
  std::uint32_t begin = 0, end = 0;
  std::size_t lists = 0;
  double contraction = 0;  // share of a list in the safe search range
  double r_squared = 0;    // coefficient of determination
};

// Returns one entry per length class of the paper. Leaves out classes without a list, and lists of fewer than 3 docIDs.
std::vector<LinearityOfLists> linearity_of(const IntersectionSet& set, unsigned threads);

}  // namespace frond::tools::papers
