#include "tools/papers/intersect/intersection_set.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "tools/bench/parallel.h"
#include "tools/papers/intersect/drawn_lists.h"
#include "tools/synth/profile.h"
#include "tools/synth/query_model.h"
#include "tools/synth/random.h"

namespace frond::tools::papers {

using namespace bench;
namespace {

using synth::Random;

constexpr std::uint64_t kOfPair = 1001;  // purpose of the random numbers (tools/synth/random.h)

// Draws documents of [first, end), each with the same probability, by geometric gaps.
void append_run(Random& random, double probability, std::uint64_t first, std::uint64_t end, std::vector<DocId>& out) {
  if (probability >= 1) {
    for (std::uint64_t docid = first; docid < end; ++docid) out.push_back(static_cast<DocId>(docid));
    return;
  }
  if (probability <= 0) return;
  const double scale = 1 / std::log1p(-probability);
  for (double at = static_cast<double>(first) + std::floor(std::log(random.positive_unit()) * scale);
       at < static_cast<double>(end); at += 1 + std::floor(std::log(random.positive_unit()) * scale))
    out.push_back(static_cast<DocId>(at));
}

void answer(IntersectionSet& set, unsigned threads) {
  set.answers.resize(set.queries.size());
  in_parallel(threads, set.queries.size(), [&](std::size_t q) {
    std::vector<std::uint32_t> lists(set.queries[q].begin(), set.queries[q].end());
    std::sort(lists.begin(), lists.end(),
              [&](std::uint32_t a, std::uint32_t b) { return set.lists[a].size() < set.lists[b].size(); });
    std::vector<DocId> left = set.lists[lists[0]];
    for (std::size_t l = 1; l < lists.size(); ++l) {
      std::vector<DocId> both;
      const std::vector<DocId>& other = set.lists[lists[l]];
      std::set_intersection(left.begin(), left.end(), other.begin(), other.end(), std::back_inserter(both));
      left = std::move(both);
    }
    set.answers[q] = std::move(left);
  });
}

}  // namespace

std::uint64_t IntersectionSet::postings() const {
  std::uint64_t sum = 0;
  for (const auto& list : lists) sum += list.size();
  return sum;
}

double IntersectionSet::postings_a_query() const {
  double sum = 0;
  for (std::size_t q = 0; q < queries.size(); ++q)
    for (const auto list : queries[q]) sum += static_cast<double>(lists[list].size());
  return sum / static_cast<double>(queries.size());
}

double IntersectionSet::computations_a_query() const {
  double sum = 0;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    std::size_t shortest = lists[queries[q][0]].size();
    for (const auto list : queries[q]) shortest = std::min(shortest, lists[list].size());
    sum += static_cast<double>(shortest);
  }
  return sum / static_cast<double>(queries.size());
}

Result<IntersectionSet> make_intersection_set(const IntersectionSetOptions& options) {
  const synth::Profile* profile = FROND_TRY(synth::profile_named(options.profile));
  IntersectionSet set;
  set.name = options.profile + (options.order == synth::DocidOrder::kInput ? "/input" : "/random");
  set.documents = options.documents > 0 ? options.documents : profile->documents;
  const synth::QuerySet drawn = synth::draw_queries(*profile, set.documents, options.queries, options.seed);
  for (const auto& query : drawn.queries) set.queries.add(query);
  const synth::CollectionSize size{profile, set.documents, options.order, options.seed};
  set.lists.resize(drawn.list_lengths.size());
  draw_lists(size, drawn.list_lengths, options.threads, [&](std::size_t l, synth::Postings postings) {
    set.lists[l] = std::move(postings.docids);
    set.lists[l].shrink_to_fit();
  });
  answer(set, options.threads);
  return set;
}

IntersectionSet make_pair_set(std::uint32_t count, std::uint64_t seed, unsigned threads) {
  IntersectionSet set;
  set.name = "pair/" + std::to_string(count);
  set.documents = 4 * count;
  set.lists.resize(2);
  in_parallel(threads, 2, [&](std::size_t l) {
    Random random(seed, kOfPair, l);
    append_run(random, 0.25, 0, set.documents, set.lists[l]);
  });
  set.queries.add(std::vector<std::uint32_t>{0, 1});
  answer(set, threads);
  return set;
}

}  // namespace frond::tools::papers
