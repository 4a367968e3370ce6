#pragma once
// What the search for a batch's tokens has for the host, and how it comes back. Counts come with as many new tokens and
// chunks as the batch before makes likely, so that the host waits once; what is missing is copied when the counts are
// known. All of it in a stream of its own: the device goes on with other batches meanwhile. Errors: kDevice.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/device/runtime.h"
#include "indexer/invert/gpu/text/device_parts.h"
#include "indexer/invert/gpu/text/device_text_memory.h"
#include "indexer/invert/gpu/text/staged_copies.h"
#include "indexer/invert/gpu/text/text_on_device.h"

namespace frond::indexer::invert::gpu {

// What a batch has for the host.
struct FoundTokens {
  std::uint32_t entries = 0;
  // Their ids are the next ones; chunks among them are in `chunks`, too. Valid until the side's next begin_find().
  std::span<const TokenKey> new_keys;
  std::vector<HostChunk> chunks;
  bool too_many_chunks = false;   // chunks is not whole: the host has to cut the whole text
  std::uint32_t turned_away = 0;  // tokens are among the chunks since the dictionary is full
};

// Of two batches on their way (sides). One thread.
class FoundCopies {
 public:
  static constexpr std::size_t kSides = kTextSides;
  // Takes its part of pinned memory; a batch has at most so many new tokens and chunks.
  struct Parts {
    std::size_t max_keys = 0, max_chunks = 0;  // that are copied ahead
    std::array<TokenKey*, kSides> keys{};
    std::array<HostChunk*, kSides> chunks{};
    TextCounts* counts = nullptr;  // by side
    static Parts of(DeviceParts& pinned, std::uint32_t new_tokens, std::uint32_t chunks);
  };
  static Result<FoundCopies> create();
  // Pinned memory, which lives longer. Before all others.
  void use(const Parts& parts);

  // The batch's search is in the stream `work`; or (begin_nothing) it has no text.
  Result<void> begin(std::size_t side, const TextBatch& batch, device::StreamHandle work);
  void begin_nothing(std::size_t side, std::uint32_t tokens) { parts_.counts[side] = {.tokens = tokens}; }
  // Waits for what was begun.
  Result<FoundTokens> end(std::size_t side, const TextBatch& batch, StagedCopies& stages);

 private:
  struct Ahead {
    std::size_t keys = 0, chunks = 0;
  };
  FoundCopies(device::Stream stream, device::Event sought, std::array<device::Event, kSides> copied)
      : stream_(std::move(stream)), sought_(std::move(sought)), copied_(std::move(copied)) {}

  device::Stream stream_;
  device::Event sought_;                      // of the last batch
  std::array<device::Event, kSides> copied_;  // by side
  Parts parts_;
  Ahead next_;                                             // to be copied ahead
  std::array<Ahead, kSides> ahead_{};                      // that were
  std::array<std::vector<TokenKey>, kSides> many_keys_{};  // where more came
};

}  // namespace frond::indexer::invert::gpu
