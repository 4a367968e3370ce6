#include "tests/bench/query/synthetic.h"

#include <algorithm>
#include <cmath>

namespace frond::bench {
namespace {

using support::Posting;
using support::Random;
using support::TermNumber;

constexpr std::uint32_t kTopics = 1000;

// Steps from posting to posting by geometric gaps; in its topics a term is twenty times as dense.
std::vector<Posting> list_of(Random& random, std::uint32_t documents, double density, TermNumber term) {
  const std::uint32_t topic_documents = documents / kTopics + 1;
  std::vector<Posting> postings;
  for (double at = 0; at < documents;) {
    const auto document = static_cast<DocId>(at);
    // A term belongs to one topic in 25: the same for terms that follow each other.
    const auto topic = document / topic_documents;
    const bool inside = (topic * 2654435761u + term / 40 * 40503u) % 25 == 0;
    const double here = std::min(0.95, density * (inside ? 11.4 : 0.57));
    if (postings.empty() || postings.back().document != document) {
      Frequency frequency = 1;
      while (frequency < 50 && random.unit() < (inside ? 0.45 : 0.22)) ++frequency;
      postings.push_back({document, frequency});
    }
    const double gap = 1 + std::log(1 - random.unit()) / std::log(1 - here);
    // A gap ends at its topic's end: there the density changes.
    at = std::min(at + std::max(1.0, std::floor(gap)), static_cast<double>((topic + 1) * topic_documents));
  }
  return postings;
}

}  // namespace

support::Collection synthetic_collection(std::uint64_t seed, std::uint32_t documents, std::uint64_t postings) {
  Random random(seed);
  support::Collection collection{
      .seed = seed, .lengths = std::vector<std::uint32_t>(documents), .postings = {}, .awkward = {}};
  std::uint64_t made = 0;
  for (TermNumber term = 0; made < postings && term < 400'000; ++term) {
    const double density =
        std::min(0.35, 0.55 / std::pow(term + 1.0, 0.72)) * std::exp(-static_cast<double>(term) / 60'000.0);
    collection.postings.push_back(list_of(random, documents, density, term));
    made += collection.postings.back().size();
    for (const auto& [document, frequency] : collection.postings.back()) collection.lengths[document] += frequency;
  }
  return collection;
}

std::vector<std::vector<TermNumber>> synthetic_queries(std::uint64_t seed, const support::Collection& collection,
                                                       std::size_t count) {
  Random random(seed);
  const double terms = static_cast<double>(collection.postings.size());
  const auto any = [&] { return static_cast<TermNumber>(std::pow(terms, 0.3 + 0.65 * random.unit())) - 1; };
  std::vector<std::vector<TermNumber>> queries(count);
  for (auto& query : queries) {
    query.push_back(any());
    while (query.size() < 6 && random.unit() < 0.66) {
      // Half of the terms share a topic with another of the query.
      const auto other = query[random.below(query.size())];
      query.push_back(random.unit() < 0.5 ? other / 40 * 40 + static_cast<TermNumber>(random.below(40)) : any());
      query.back() = std::min(query.back(), static_cast<TermNumber>(collection.postings.size() - 1));
    }
  }
  return queries;
}

}  // namespace frond::bench
