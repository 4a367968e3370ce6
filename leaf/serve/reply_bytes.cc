#include "leaf/serve/reply_bytes.h"

#include <string>
#include <vector>

#include "common/query/facets/exact_sum.h"
#include "leaf/collect/collect.h"

namespace frond::leaf::serve {
namespace {

constexpr std::size_t kWord = 8;
constexpr std::size_t kText = 3 * kWord;  // beside its bytes: its pointer, perhaps another one, its end
constexpr std::size_t kMessage = 512;     // what a message has besides
constexpr std::size_t kStruct = 256;      // more than any struct without its lists and texts
constexpr std::size_t kHit = 2 * kWord;

std::size_t of_texts(const std::vector<std::string>& texts) {
  std::size_t bytes = kText + texts.size() * kText;
  for (const std::string& text : texts) bytes += text.size();
  return bytes;
}
std::size_t of_ranking(const wire::Ranking& ranking) {
  return kStruct + ranking.hits.size() * kHit + of_texts(ranking.sort_bytes);
}

std::size_t of_counts(const query::FacetCounts& counts) {
  std::size_t bytes = kStruct + of_texts(counts.words);
  bytes += (counts.keys.size() + counts.counts.size() + counts.sum.words().size()) * kWord;
  for (const query::FacetCounts& one : counts.nested) bytes += of_counts(one);
  return bytes;
}

std::size_t of_near(const query::NearTerms& near) {
  std::size_t bytes = kStruct;
  for (const query::NearTerm& term : near.terms) bytes += kHit + kText + term.text.size();
  return bytes;
}

// Even with all that may be in it a reply without documents fits into a message, and so do the documents of a fetch.
constexpr std::size_t kMostOfPartitions = wire::kMaxPartitions * (kHit + 2 * (kStruct + kText));
// A word of as many letters, and two more.
constexpr std::size_t kNearTermBytes = kHit + kText + query::kMaxNearWordBytes + 4 * query::kMaxNearEdits;
constexpr std::size_t kMostOfNear = query::kMaxNearWords * (kStruct + 2 * query::kMaxNearTerms * kNearTermBytes);
static_assert(collect::kMaxRankingSortBytes + collect::kMaxFacetBytes + 2 * wire::kMaxDepth * (kHit + kText) +
                  query::kMaxSortBytes + kMostOfPartitions + kMostOfNear <
              wire::kMaxMessageBytes - (std::size_t{4} << 20));
static_assert(collect::kMaxFacetBytes <= wire::kMaxFacetWordBytes);

}  // namespace

std::size_t encoded_bytes(std::span<const wire::FetchedDocument> documents) {
  std::size_t bytes = kText;
  for (const wire::FetchedDocument& one : documents)
    bytes += kStruct + one.id.size() + one.title.size() + one.url.size() + one.snippet.size() + one.body.size() +
             one.columns.size() + one.explanation.size();
  return bytes;
}

std::size_t encoded_bytes(const wire::SearchReply& reply) {
  std::size_t bytes = kMessage + of_ranking(reply.and_ranking) + of_ranking(reply.or_ranking);
  bytes += reply.unsearched.size() * kHit + reply.runs.size() * kStruct;
  for (const wire::PartitionProfile& one : reply.profile) bytes += kStruct + one.engine.size();
  for (const query::FacetCounts& one : reply.facets) bytes += of_counts(one);
  for (const query::NearTerms& one : reply.near) bytes += of_near(one);
  return bytes + encoded_bytes(reply.documents);
}

}  // namespace frond::leaf::serve
