#include "leaf/gpu/intersect/block_form.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "common/base/check.h"
#include "common/codec/bits/vertical.h"
#include "common/codec/patched/parapfor.h"

namespace frond::leaf::gpu::intersect {
namespace {

// The table of block_form.h, with about one range for each block.
std::vector<std::uint32_t> table_of(std::span<const DocId> lasts, ListView& view) {
  const auto bits = static_cast<unsigned>(std::bit_width(lasts.back()));
  const auto leading = static_cast<unsigned>(std::bit_width(lasts.size() - 1));
  view.shift = bits > leading ? std::min(bits - leading, 31u) : 0;
  view.left = (lasts.back() >> view.shift) + 1;
  std::vector<std::uint32_t> table;
  std::uint32_t block = 0;
  for (std::uint32_t range = 0; range <= view.left; ++range) {
    while (block < lasts.size() && lasts[block] < std::uint64_t{range} << view.shift) ++block;
    table.push_back(block);
  }
  return table;
}

// Packs the blocks as simd-bp128 does; `places` gets where.
void append_packed(std::span<const DocId> docids, ByteBuffer& bytes, std::vector<std::uint32_t>& places) {
  DocId before = kNoDoc;  // one more is 0
  for (std::size_t first = 0; first < docids.size(); first += kBlockDocIds) {
    std::array<std::uint32_t, kBlockDocIds> distances{};
    std::uint32_t max_distance = 0;
    for (std::size_t i = first; i < std::min<std::size_t>(first + kBlockDocIds, docids.size()); ++i) {
      distances[i - first] = docids[i] - before - 1;
      max_distance = std::max(max_distance, distances[i - first]);
      before = docids[i];
    }
    const auto width = static_cast<unsigned>(std::bit_width(max_distance));
    FROND_CHECK(bytes.size() % 16 == 0 && bytes.size() < kMaxImageBytes);
    places.push_back(packed_place(static_cast<std::uint32_t>(bytes.size() / 16), width));
    codec::simd_bp_pack(distances, width, bytes);
  }
}

}  // namespace

std::size_t append_block_form(Method method, std::span<const DocId> docids, ByteBuffer& bytes, ListView& view) {
  static_assert(kBlockDocIds == codec::kBlockLength);
  FROND_CHECK(bytes.empty() && !docids.empty());
  view.count = static_cast<std::uint32_t>(docids.size());
  std::vector<std::uint32_t> lasts, places;
  for (std::size_t first = 0; first < docids.size(); first += kBlockDocIds)
    lasts.push_back(docids[std::min<std::size_t>(first + kBlockDocIds, docids.size()) - 1]);
  if (method.kind == Kind::kParaPFor) {
    codec::parapfor().encode(docids, codec::Numbers::kDocIds, bytes);
    FROND_CHECK(bytes.size() % 16 == 0 && bytes.size() < kMaxImageBytes);
    view.right = static_cast<std::uint32_t>(bytes.size());
  } else {
    append_packed(docids, bytes, places);
  }
  view.parts = static_cast<std::uint32_t>(lasts.size());
  bytes.resize(bytes.size() + (codec::kReadSlack + 15) / 16 * 16);
  const std::size_t index_at = bytes.size();
  std::vector<std::uint32_t> table;
  if (method.parameter != 0) table = table_of(lasts, view);
  for (auto* part : {&lasts, &places}) part->resize((part->size() + 3) / 4 * 4);
  for (const auto* part : {&lasts, &places, &table}) {
    const auto some = std::as_bytes(std::span(*part));
    bytes.insert(bytes.end(), some.begin(), some.end());
  }
  return index_at;
}

}  // namespace frond::leaf::gpu::intersect
