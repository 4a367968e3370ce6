#include "tools/bench/query/expected_counts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>

namespace frond::tools::bench {
namespace {

using leaf::engine::Plan;
using Bits = std::vector<std::uint64_t>;

Result<Bits> documents_of(const postings::PostingList& list, std::size_t documents) {
  Bits bits((documents + 63) / 64);
  std::array<std::uint32_t, postings::kBlockLength> docids{};
  for (std::uint32_t block = 0; block < list.blocks(); ++block) {
    FROND_TRY(list.decode_docids(block, docids));
    for (std::uint32_t i = 0; i < list.block_size(block); ++i)
      bits[docids[i] / 64] |= std::uint64_t{1} << docids[i] % 64;
  }
  return bits;
}

Result<Bits> matches_of(const Plan& plan) {
  Bits found;
  for (const auto& term : plan.terms) {
    const Bits more = FROND_TRY(documents_of(term.list->postings, plan.lengths.size()));
    if (found.empty()) found = more;
    for (std::size_t i = 0; i < more.size(); ++i)
      found[i] = plan.mode == leaf::engine::Mode::kAnd ? found[i] & more[i] : found[i] | more[i];
  }
  for (std::size_t i = 0; plan.hidden != nullptr && i < found.size(); ++i) found[i] &= ~plan.hidden->word(i);
  return found;
}

// Of all documents.
Result<std::vector<scoring::Score>> scores_of(const Plan& plan) {
  std::vector<scoring::Score> scores(plan.lengths.size());
  std::array<std::uint32_t, postings::kBlockLength> docids{}, frequencies{};
  for (const auto& term : plan.terms) {
    const postings::PostingList& list = term.list->postings;
    for (std::uint32_t block = 0; block < list.blocks(); ++block) {
      FROND_TRY(list.decode_docids(block, docids));
      FROND_TRY(list.decode_frequencies(block, frequencies));
      for (std::uint32_t i = 0; i < list.block_size(block); ++i)
        scores[docids[i]] += scoring::contribution(term.weight, frequencies[i], plan.lengths[docids[i]], plan.norm);
    }
  }
  for (DocId docid = 0; plan.priors != nullptr && docid < scores.size(); ++docid)
    scores[docid] = scoring::with_prior(scores[docid], leaf::engine::prior_score(plan, docid));
  return scores;
}

template <class Visit>
void for_each_document(const Bits& found, const Visit& visit) {
  for (std::size_t i = 0; i < found.size(); ++i)
    for (std::uint64_t bits = found[i]; bits != 0; bits &= bits - 1)
      visit(static_cast<DocId>(64 * i + static_cast<std::size_t>(std::countr_zero(bits))));
}

// Calls visit(document, code) for each document found.
template <class Visit>
void for_each_code(const leaf::engine::DocumentCodes& codes, const Bits& found, const Visit& visit) {
  std::vector<std::byte> word(std::size_t{64} * codes.width());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == 0) continue;
    codes.write(static_cast<DocId>(64 * i), word);
    for (std::uint64_t bits = found[i]; bits != 0; bits &= bits - 1) {
      const auto place = static_cast<std::size_t>(std::countr_zero(bits));
      std::uint64_t code = 0;
      std::memcpy(&code, &word[place * codes.width()], codes.width());
      visit(static_cast<DocId>(64 * i + place), code);
    }
  }
}

}  // namespace

Result<std::vector<std::vector<std::uint32_t>>> expected_counts(const Plan& plan) {
  const Bits found = FROND_TRY(matches_of(plan));
  std::vector<std::vector<std::uint32_t>> counts;
  for (const auto& counted : plan.counted) {
    auto& own = counts.emplace_back(counted.counters());
    for_each_code(*counted.codes, found, [&own](DocId, std::uint64_t code) { ++own[code]; });
  }
  return counts;
}

Result<std::vector<topk::Hit>> expected_first(const Plan& plan) {
  const Bits found = FROND_TRY(matches_of(plan));
  const leaf::engine::CodeOrder& order = *plan.order;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> all;  // key and tie
  for_each_document(found, [&](DocId docid) { all.emplace_back(0, order.tie_of(docid)); });
  std::vector<scoring::Score> scores;
  if (order.has_score()) scores = FROND_TRY(scores_of(plan));
  for (const auto& key : order.keys) {
    std::size_t next = 0;
    const auto add = [&](DocId, std::uint64_t code) {
      all[next].first = leaf::engine::with_part(all[next].first, key.bits(), key.part(code));
      ++next;
    };
    if (key.is_score())
      for_each_document(found, [&](DocId docid) { add(docid, scores[docid]); });
    else
      for_each_code(*key.codes, found, add);
  }
  std::erase_if(all, [&](const auto& one) { return one < std::pair(order.after_key, order.after_tie); });
  const std::size_t wanted = std::min<std::size_t>(plan.k, all.size());
  std::ranges::partial_sort(all, all.begin() + static_cast<std::ptrdiff_t>(wanted));
  std::vector<topk::Hit> hits;
  for (std::size_t i = 0; i < wanted; ++i) {
    const DocId docid = order.docid_of(all[i].second);
    hits.push_back({plan.placement.ordinal(docid), scores.empty() ? 0 : scores[docid]});
  }
  return hits;
}

}  // namespace frond::tools::bench
