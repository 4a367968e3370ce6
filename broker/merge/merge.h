#pragma once
// The leaves' rankings to one: AND, OR, or AND where the whole generation yields enough. Pure.
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "common/wire/messages.h"

namespace frond::broker::merge {

struct MergedHit {
  topk::Hit hit;
  std::uint32_t source = 0;  // which of the replies it came from
};
struct Merged {
  wire::Mode mode_used = wire::Mode::kOr;  // kAnd or kOr
  std::vector<MergedHit> page;             // hits [offset, offset + k) of the ranking, best first
  std::uint64_t total = 0;
  bool total_exact = true;
};

// kCorrupt if a reply lacks the rankings that `request` asks for (see SearchReply), has more hits than its depth, or
// has them out of order: then the leaf's answer is not to be used. With kAuto a lacking OR is judged by the reply's own
// AND.
Result<void> check(const wire::SearchRequest& request, const wire::SearchReply& reply);

// Replies that passed check(). For kAuto, AND wins if its matches over all replies reach request.auto_needs; then OR is
// there wherever AND was short, so nothing lacks. A document that two replies have is there once.
Merged merge(const wire::SearchRequest& request, std::span<const wire::SearchReply> replies, std::uint32_t offset);

}  // namespace frond::broker::merge
