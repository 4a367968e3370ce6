#include "indexer/invert/gpu/text/device/device_text_memory.h"

#include <algorithm>
#include <bit>

namespace frond::indexer::invert::gpu {
namespace {

constexpr std::uint64_t kMinText = 4096;
constexpr std::uint32_t kMaxSlots = std::uint32_t{1} << 27;  // 4 GiB: more take long to empty

std::uint64_t batch_bytes(const TextCapacity& capacity) {
  DeviceParts parts(nullptr);
  for (std::size_t place = 0; place < kTextPlaces; ++place) SideParts::of(parts, capacity);
  for (std::size_t side = 0; side < kTextSides; ++side) SearchParts::of(parts, capacity);
  BatchScratch::of(parts, capacity);
  return parts.used();
}

std::uint32_t to_u32(std::uint64_t number) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, 0xfffffff0));
}

}  // namespace

TextCapacity TextCapacity::of(std::uint64_t device_bytes, std::uint64_t max_text) {
  TextCapacity made;
  // A batch takes about 41 times its bytes, 10 more while the next one is sought, and one for each that is sent.
  const std::uint64_t text =
      std::min({device_bytes / kDeviceBytesOfText, max_text, std::uint64_t{1} << 30}) / 256 * 256;
  if (text < kMinText) return {};
  made.text = static_cast<std::uint32_t>(text);
  made.entries = max_entries(made.text);
  made.pieces = made.text / 32;
  made.misses = made.entries / 2;
  made.new_tokens = made.entries / 4;
  made.chunks = made.entries / 8;
  made.slots = static_cast<std::uint32_t>(
      std::bit_floor(std::min<std::uint64_t>(device_bytes / 5 / sizeof(TokenSlot), kMaxSlots)));
  made.tokens = made.slots / 2;
  made.terms = made.tokens + made.entries;
  const std::uint64_t used = batch_bytes(made) + in_granules(made.slots * sizeof(TokenSlot)) +
                             in_granules(made.tokens * 4ull) + 2 * in_granules(made.terms * 4ull);
  // A segment for two postings.
  const std::uint64_t left = device_bytes - std::min(device_bytes, used + 4096);
  made.postings = to_u32(left / 16);
  made.segments = made.postings / 2;
  return made.segments >= made.entries && made.tokens >= 1024 ? made : TextCapacity{};
}

TextBatch batch_in(const SearchParts& sought, const BatchScratch& shared, const TextCapacity& capacity) {
  const std::size_t some = capacity.entries + std::size_t{2};
  TextBatch batch;
  batch.lengths = shared.lengths;
  batch.unit_masks = shared.unit_masks;
  batch.unit_counts = shared.unit_counts;
  batch.unit_places = shared.unit_places;
  batch.starts = reinterpret_cast<std::uint32_t*>(sought.starts_tokens);
  batch.tokens = batch.starts + some;
  batch.misses = shared.misses;
  batch.max_misses = capacity.misses;
  batch.chunks = sought.chunks;
  batch.max_chunks = capacity.chunks;
  batch.new_keys = sought.new_keys;
  batch.max_new = capacity.new_tokens;
  batch.chunk_places = shared.chunk_places;
  batch.chunk_terms = shared.chunk_terms;
  batch.pair_counts = shared.counts_places;
  batch.pair_places = shared.counts_places + some;
  batch.counts = sought.counts;
  return batch;
}

}  // namespace frond::indexer::invert::gpu
