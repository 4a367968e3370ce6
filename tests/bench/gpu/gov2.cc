#include "tests/bench/gpu/gov2.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <thread>

#include "common/postings/list_builder.h"
#include "tests/support/collections/memory_list_store.h"
#include "tests/support/collections/random_collection.h"

namespace frond::bench {
namespace {

using support::Random;

const scoring::Bm25Parameters kBm25;
constexpr double kMinPostings = 5'000, kMaxShare = 0.4;  // of a list; kMaxShare: of all documents

// A list with geometric gaps, so that every document is equally likely.
leaf::lists::ListLease make_list(std::uint64_t seed, std::uint32_t number, double postings,
                                 const postings::ListBuilder& builder, std::uint32_t documents) {
  Random random(seed * 0x9e3779b97f4a7c15ULL + number);
  const double density = postings / documents, scale = 1 / std::log1p(-density);
  const double more = 0.15 + 0.25 * random.unit();  // probability that a term of a document occurs in it once more
  std::vector<DocId> docids;
  std::vector<Frequency> frequencies;
  for (double at = std::floor(std::log(1 - random.unit()) * scale); at < documents;
       at += 1 + std::floor(std::log(1 - random.unit()) * scale)) {
    docids.push_back(static_cast<DocId>(at));
    Frequency frequency = 1;
    while (frequency < 200 && random.unit() < more) ++frequency;
    frequencies.push_back(frequency);
  }
  return support::make_lease(builder.build(docids, frequencies), {1, std::to_string(number)});
}

// A document length; approximately log-normal, from a sum of six uniform numbers.
std::uint32_t random_length(Random& random) {
  double sum = 0;
  for (int i = 0; i < 6; ++i) sum += random.unit();
  return 20 + static_cast<std::uint32_t>(500 * std::exp((sum - 3) * 1.1));
}

}  // namespace

Gov2::Gov2(const Gov2Options& options) : lengths_(options.documents), lists_(options.lists) {
  Random random(options.seed);
  for (auto& length : lengths_) length = random_length(random);
  statistics_.documents = options.documents;
  for (const auto length : lengths_) statistics_.tokens += length;
  queries_.resize(options.queries);
  for (auto& query : queries_) {
    const std::size_t terms = 2 + (random.unit() < 0.6) + (random.unit() < 0.2);
    while (query.size() < terms) {
      const auto list = static_cast<std::uint32_t>(random.below(options.lists));
      if (std::find(query.begin(), query.end(), list) == query.end()) query.push_back(list);
    }
  }
  const postings::ListBuilder builder(*codec::codec_named("simd-bp128"), lengths_, kBm25.b,
                                      statistics_.average_length());
  const double longest = kMaxShare * options.documents;
  std::atomic<std::uint32_t> next{0};
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < std::max(options.threads, 1u); ++t)
    threads.emplace_back([&] {
      for (std::uint32_t i = next++; i < options.lists; i = next++) {
        // Longest first, so that all threads end at about the same time.
        const double place = 1 - (i + 0.5) / options.lists;
        const double postings = kMinPostings * std::pow(longest / kMinPostings, place);
        lists_[i] = make_list(options.seed, i, std::min(postings, 0.9 * options.documents), builder, options.documents);
      }
    });
}

leaf::engine::Plan Gov2::plan(leaf::engine::Mode mode, std::uint32_t k, std::span<const std::uint32_t> lists) const {
  leaf::engine::Plan plan{.mode = mode,
                          .k = k,
                          .terms = {},
                          .lengths = lengths_,
                          .partition = 1,
                          .norm = scoring::length_norm(kBm25, statistics_)};
  for (const auto list : lists) {
    const float weight = scoring::term_weight(kBm25, statistics_, lists_[list]->postings.count(), 1);
    plan.terms.push_back({lists_[list], weight,
                          scoring::BoundScale(weight, kBm25, statistics_, {kBm25.b, statistics_.average_length()})});
  }
  return plan;
}

std::vector<leaf::engine::Plan> Gov2::plans(leaf::engine::Mode mode, std::uint32_t k) const {
  std::vector<leaf::engine::Plan> plans;
  for (const auto& query : queries_) plans.push_back(plan(mode, k, query));
  return plans;
}

}  // namespace frond::bench
