#pragma once
// Merges the leaves' rankings into one page: of AND, of OR, or of AND and then of the other documents of OR (mode
// `auto`). With Rank::kNone all scores are 0, so the order of hits is that of ordinals. Pure functions.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "broker/merge/page.h"
#include "common/base/result.h"
#include "common/wire/messages.h"

namespace frond::broker::merge {

struct MergedHit {
  topk::Hit hit;
  std::uint32_t source = 0;  // index of the reply that it came from
};
struct Merged {
  wire::Mode mode_used = wire::Mode::kOr;  // as Page::mode_used
  std::vector<MergedHit> page;             // hits [offset, offset + k) of the ranking, best first
  Count total;                             // documents that match
  std::optional<Count> all_words;          // kAuto: those with all words
};

// kCorrupt: the reply has not the rankings that `request` asks for (see SearchReply), or more hits than its depth, or
// hits out of order, or scores or an inexact count with Rank::kNone. Such a reply must not be used. With kAuto, OR is
// required if the reply's own AND has fewer matches than auto_needs.
Result<void> check(const wire::SearchRequest& request, const wire::SearchReply& reply);

// `replies` have passed check(), with auto_needs >= depth. With kAuto, the documents with all words come first, then
// the others. The others are complete where they are shown: AND has fewer hits than depth then, so every reply has all
// of its own, and OR. The total is a lower bound if OR was not needed. A document that is in two replies is returned
// once.
Merged merge(const wire::SearchRequest& request, std::span<const wire::SearchReply> replies, std::uint32_t offset);

}  // namespace frond::broker::merge
