#pragma once
// Posting lists of a synthetic collection (tools/synth) in memory, for benchmarks of lists without an index.
#include <cstdint>
#include <functional>
#include <span>

#include "tools/synth/list_model.h"

namespace frond::tools::papers {

// Draws each list with a length, and gives it to `keep` from any thread. List i has about lengths[i] postings; a length
// of 0 leaves it out, which changes no other list.
void draw_lists(const synth::CollectionSize& size, std::span<const std::uint32_t> lengths, unsigned threads,
                const std::function<void(std::size_t, synth::Postings)>& keep);

}  // namespace frond::tools::papers
