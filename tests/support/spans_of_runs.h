#pragma once
// The words of a text, taken as bits from a text::TokenCutter where it gives them so.
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/check.h"
#include "common/text/token_cutter.h"

namespace frond::support {

struct SpansOfRuns {
  std::vector<text::TokenSpan> all;
  std::size_t blocks_given = 0;

  void operator()(text::TokenSpan token) { all.push_back(token); }
  void runs(std::size_t base, const std::uint64_t* begins, const std::uint64_t* ends, std::size_t blocks,
            std::size_t open) {
    std::array<std::uint32_t, text::kMostRunBlocks * 32 + 1 + text::kMorePlaces> from, to;
    std::size_t froms = 0;
    if (open != text::kNoWord) from[froms++] = static_cast<std::uint32_t>(open);
    froms += text::find_places(begins, blocks, static_cast<std::uint32_t>(base), from.data() + froms);
    const std::size_t tos = text::find_places(ends, blocks, static_cast<std::uint32_t>(base), to.data());
    FROND_CHECK(froms == tos || froms == tos + 1);
    for (std::size_t i = 0; i < tos; ++i) all.push_back({from[i], to[i]});
    blocks_given += blocks;
  }
};

}  // namespace frond::support
