#pragma once
// Merges the leaves' rankings into one page: of AND, of OR, or of AND if the whole generation has enough matches. With
// Rank::kNone all scores are 0, so the order of hits is that of ordinals. Pure functions.
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "common/wire/messages.h"

namespace frond::broker::merge {

struct MergedHit {
  topk::Hit hit;
  std::uint32_t source = 0;  // index of the reply that it came from
};
struct Merged {
  wire::Mode mode_used = wire::Mode::kOr;  // kAnd or kOr
  std::vector<MergedHit> page;             // hits [offset, offset + k) of the ranking, best first
  std::uint64_t total = 0;
  bool total_exact = true;
};

// kCorrupt: the reply has not the rankings that `request` asks for (see SearchReply), or more hits than its depth, or
// hits out of order, or scores or an inexact count with Rank::kNone. Such a reply must not be used. With kAuto, OR is
// required if the reply's own AND has fewer matches than auto_needs.
Result<void> check(const wire::SearchRequest& request, const wire::SearchReply& reply);

// `replies` have passed check(). With kAuto, AND is used if all replies together have at least request.auto_needs
// matches of it, else OR. OR is complete then: each reply with fewer AND matches than auto_needs has it. A document
// that is in two replies is returned once.
Merged merge(const wire::SearchRequest& request, std::span<const wire::SearchReply> replies, std::uint32_t offset);

}  // namespace frond::broker::merge
