#pragma once
// How much of everything there is, and how a batch's memory is laid out.
#include <cstddef>
#include <cstdint>

#include "indexer/invert/gpu/device_copies.h"
#include "indexer/invert/gpu/text/device/kernels.h"

namespace frond::indexer::invert::gpu {

// Batches whose tokens were or are sought; and those with them that are copied.
inline constexpr std::size_t kTextSides = 2, kTextPlaces = 3;

// Of the device, for each byte of a batch: what a batch takes, and a run beside it.
inline constexpr std::uint64_t kDeviceBytesOfText = 128;

// How many of everything fit into the device's memory.
struct TextCapacity {
  std::uint32_t text = 0;                                                         // bytes of a batch
  std::uint32_t pieces = 0, entries = 0, misses = 0, chunks = 0, new_tokens = 0;  // of a batch; pairs: as entries
  std::uint32_t slots = 0, tokens = 0, terms = 0;
  std::uint32_t postings = 0, segments = 0;  // of a run
  // entries == 0: it is too little. max_text: of a batch.
  static TextCapacity of(std::uint64_t device_bytes, std::uint64_t max_text);
  friend bool operator==(const TextCapacity&, const TextCapacity&) = default;
};

constexpr std::size_t text_room(std::uint32_t text) { return in_granules(text + 2 * kTextSlack + kUnitBytes); }

// What one step of one batch at a time uses. Memory has several uses, one after the other.
struct BatchScratch {
  std::uint32_t* counts_places;  // pair counts and places; then heads
  std::uint32_t* sorted;         // pairs, twice
  TokenMiss* misses;
  std::uint32_t *unit_masks, *unit_counts, *unit_places;
  std::uint32_t *chunk_places, *chunk_terms, *lengths;

  static BatchScratch of(DeviceParts& parts, const TextCapacity& capacity) {
    const std::size_t some = capacity.entries + std::size_t{2}, units = capacity.text / kUnitBytes + 2;
    BatchScratch shared{};
    shared.counts_places = parts.next<std::uint32_t>(2 * some);
    shared.sorted = parts.next<std::uint32_t>(4 * some);
    shared.misses = parts.next<TokenMiss>(capacity.misses);
    shared.unit_masks = parts.next<std::uint32_t>(units);
    shared.unit_counts = parts.next<std::uint32_t>(units);
    shared.unit_places = parts.next<std::uint32_t>(units);
    shared.chunk_places = parts.next<std::uint32_t>(capacity.chunks + std::size_t{1});
    shared.chunk_terms = parts.next<std::uint32_t>(capacity.entries);
    shared.lengths = parts.next<std::uint32_t>(capacity.pieces);
    return shared;
  }
};

// What a batch has from begin_find() to add().
struct SearchParts {
  std::uint64_t* starts_tokens;  // starts and tokens; then places
  HostChunk* chunks;
  TokenKey* new_keys;
  TextCounts* counts;  // set by cut_text()

  static SearchParts of(DeviceParts& parts, const TextCapacity& capacity) {
    SearchParts sought{};
    sought.starts_tokens = parts.next<std::uint64_t>(capacity.entries + std::size_t{2});
    sought.chunks = parts.next<HostChunk>(capacity.chunks);
    sought.new_keys = parts.next<TokenKey>(capacity.new_tokens);
    sought.counts = parts.next<TextCounts>(1);
    return sought;
  }
};

// A batch's text, of a side on the device and of a place in pinned memory.
struct SideParts {
  std::uint8_t* text;
  std::uint32_t *piece_begins, *piece_numbers;
  static SideParts of(DeviceParts& parts, const TextCapacity& capacity) {
    SideParts side{};
    side.text = parts.next<std::uint8_t>(text_room(capacity.text));
    side.piece_begins = parts.next<std::uint32_t>(capacity.pieces + std::size_t{1});
    side.piece_numbers = parts.next<std::uint32_t>(capacity.pieces);
    return side;
  }
};

// A batch of those parts, without a text.
TextBatch batch_in(const SearchParts& sought, const BatchScratch& shared, const TextCapacity& capacity);

}  // namespace frond::indexer::invert::gpu
