#pragma once
// What collections are made with where nothing else is said. The parameters' own default values belong to what reads
// manifests and must not change; these may, and do not touch collections that exist (ADR 22).
#include "common/scoring/bm25.h"
#include "common/text/analyzer_config.h"

namespace frond::indexer {

// The best of the usual values on four sets with judgments: docs/measurements/2026-11-23-defaults.md.
inline constexpr scoring::Bm25Parameters kNewCollectionBm25 = {.k1 = 1.5, .b = 0.75};

}  // namespace frond::indexer
