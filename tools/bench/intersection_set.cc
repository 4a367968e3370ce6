#include "tools/bench/intersection_set.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <iterator>
#include <thread>

#include "tools/synth/profile.h"
#include "tools/synth/query_model.h"
#include "tools/synth/random.h"

namespace frond::tools {
namespace {

using synth::Random;

constexpr std::uint64_t kWeights = 1001, kDocids = 1002;  // purposes of random numbers

void in_parallel(unsigned threads, std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::vector<std::jthread> workers;
  for (unsigned t = 0; t < std::max(threads, 1u); ++t)
    workers.emplace_back([&] {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    });
}

// Documents of [first, end), each with the same probability: geometric gaps.
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

// About `length` docIDs: everywhere alike, or in the profile's runs more or less dense.
std::vector<DocId> make_list(const synth::Profile& profile, DocIdOrder order, std::uint32_t documents,
                             std::uint32_t length, std::uint64_t seed, std::uint64_t number) {
  const std::uint32_t runs = order == DocIdOrder::kInput ? std::max(profile.runs, 1u) : 1;
  std::vector<double> weights(runs, 1.0);
  double sum = 0;
  Random weight_random(seed, kWeights, number);
  for (double& weight : weights) {
    if (runs > 1) weight = synth::gamma_of_mean_one(weight_random, profile.run_shape);
    sum += weight;
  }
  Random random(seed, kDocids, number);
  std::vector<DocId> docids;
  docids.reserve(length + length / 8 + 16);
  for (std::uint64_t run = 0; run < runs; ++run) {
    const std::uint64_t first = documents * run / runs, end = documents * (run + 1) / runs;
    append_run(random, length * weights[run] / sum / static_cast<double>(end - first), first, end, docids);
  }
  if (docids.empty()) docids.push_back(random.below(documents));
  return docids;
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
  set.name = options.profile + (options.order == DocIdOrder::kInput ? "/input" : "/random");
  set.documents = options.documents > 0 ? options.documents : profile->documents;
  const synth::QuerySet drawn = synth::draw_queries(*profile, set.documents, options.queries, options.seed);
  for (const auto& query : drawn.queries) set.queries.add(query);
  set.lists.resize(drawn.list_lengths.size());
  in_parallel(options.threads, set.lists.size(), [&](std::size_t l) {
    set.lists[l] = make_list(*profile, options.order, set.documents, drawn.list_lengths[l], options.seed, l);
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
    Random random(seed, kDocids, l);
    append_run(random, 0.25, 0, set.documents, set.lists[l]);
  });
  set.queries.add(std::vector<std::uint32_t>{0, 1});
  answer(set, threads);
  return set;
}

}  // namespace frond::tools
