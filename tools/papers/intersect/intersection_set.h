#pragma once
// The lists, queries and answers for measurements of intersection, generated after a paper's collection (tools/synth).
#include <cstdint>
#include <string>
#include <string_view>
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

}  // namespace frond::tools::papers
