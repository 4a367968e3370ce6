#pragma once
// The order of hits everywhere: score descending, then ordinal ascending, so that ties come out the same for any number
// of partitions.
#include "common/base/ids.h"
#include "common/scoring/bm25.h"

namespace frond::topk {

using scoring::Score;

struct Hit {
  Ordinal ordinal = 0;
  Score score = 0;
  friend bool operator==(const Hit&, const Hit&) = default;
};

FROND_HOST_DEVICE constexpr bool better(const Hit& a, const Hit& b) {
  return a.score != b.score ? a.score > b.score : a.ordinal < b.ordinal;
}

}  // namespace frond::topk
