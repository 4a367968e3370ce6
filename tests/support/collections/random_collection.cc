#include "tests/support/collections/random_collection.h"

#include <algorithm>
#include <cmath>

namespace frond::support {
namespace {

constexpr std::uint32_t kAwkwardCounts[] = {1, 127, 128, 129, 256, 257};

// Geometric: most are 1, some are many.
Frequency random_frequency(Random& random) {
  Frequency frequency = 1;
  while (frequency < 200 && random.below(100) < 35) ++frequency;
  return frequency;
}

// `count` distinct documents, ascending, every document equally likely (Knuth, selection sampling).
std::vector<Posting> sample(Random& random, std::uint32_t documents, std::uint32_t count) {
  std::vector<Posting> postings;
  postings.reserve(count);
  for (DocId document = 0; document < documents && postings.size() < count; ++document)
    if (random.below(documents - document) < count - postings.size())
      postings.push_back({document, random_frequency(random)});
  return postings;
}

// Postings in a run of documents, as of a topic: blocks are dense there, and absent elsewhere.
std::vector<Posting> clustered(Random& random, std::uint32_t documents, std::uint32_t count) {
  const std::uint32_t span = std::min(documents, count * 3 / 2 + 1);
  const auto start = static_cast<DocId>(random.below(documents - span + 1));
  auto postings = sample(random, span, std::min(count, span));
  for (auto& posting : postings) posting.document += start;
  return postings;
}

}  // namespace

std::uint64_t Random::next() {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::uint64_t Collection::tokens() const {
  std::uint64_t sum = 0;
  for (const auto length : lengths) sum += length;
  return sum;
}

Collection random_collection(std::uint64_t seed, const CollectionOptions& options) {
  Random random(seed);
  Collection collection{
      .seed = seed, .lengths = std::vector<std::uint32_t>(options.documents), .postings = {}, .awkward = {}};
  const auto n = options.documents;
  for (TermNumber term = 0; term < options.terms; ++term) {
    const double share = options.most_frequent / std::pow(term + 1.0, 0.8);
    const auto count = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(share * n));
    collection.postings.push_back(term % 7 == 3 ? clustered(random, n, count) : sample(random, n, count));
  }
  const auto add_awkward = [&](std::vector<Posting> postings) {
    collection.awkward.push_back(static_cast<TermNumber>(collection.postings.size()));
    collection.postings.push_back(std::move(postings));
  };
  add_awkward(sample(random, n, n));  // in every document
  for (const auto count : kAwkwardCounts) add_awkward(sample(random, n, std::min(count, n)));
  auto ties = sample(random, n, n / 2 + 1);
  for (auto& posting : ties) posting.frequency = 1;
  add_awkward(std::move(ties));

  for (const auto& postings : collection.postings)
    for (const auto& [document, frequency] : postings) collection.lengths[document] += frequency;
  const std::uint32_t floor = *std::max_element(collection.lengths.begin(), collection.lengths.end());
  for (auto& length : collection.lengths) {
    // Tokens of terms that nobody asks for; a few documents are very long, and equal ones tie.
    if (options.equal_lengths)
      length = floor;
    else if (random.below(4) > 0)
      length += static_cast<std::uint32_t>(random.below(random.below(50) == 0 ? options.max_length : 60));
  }
  return collection;
}

std::vector<TermNumber> random_query(Random& random, const Collection& collection, std::uint32_t most) {
  std::vector<TermNumber> query;
  const auto terms = static_cast<double>(collection.postings.size());
  for (auto left = 1 + random.below(most); left > 0; --left) {
    const auto kind = random.below(20);
    if (kind == 0 && !query.empty())
      query.push_back(query[random.below(query.size())]);
    else if (kind == 1)
      query.push_back(static_cast<TermNumber>(collection.postings.size() + random.below(3)));
    else if (kind <= 5)
      query.push_back(collection.awkward[random.below(collection.awkward.size())]);
    else
      query.push_back(static_cast<TermNumber>(std::pow(random.unit(), 2.5) * terms));
  }
  return query;
}

}  // namespace frond::support
