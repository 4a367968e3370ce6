#pragma once
// Texts of batches on their way to the device, and what the search for their tokens has for the host.
//
// Where texts are put together in pinned memory, and where they go on the device. A place has room for a
// batch in both. So one batch is copied while the two before it are worked on.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/device/runtime.h"
#include "indexer/invert/gpu/device_copies.h"
#include "indexer/invert/gpu/text/device/device_text_memory.h"
#include "indexer/invert/gpu/text/device/kernels.h"

namespace frond::indexer::invert::gpu {

// Where a batch is filled in. Pinned memory.
struct TextPlace {
  std::span<std::uint8_t> text;
  // Where each piece of a document begins. A piece ends with a byte that ends every word (a line feed).
  std::span<std::uint32_t> piece_begins;
  std::span<std::uint32_t> piece_numbers;  // of documents, from the run's first; they do not descend
};

// Bytes of a batch's text that are together in pinned memory.
struct TextRun {
  const std::uint8_t* from;
  std::uint32_t to, bytes;  // in the batch's text
};

// One thread may fill() and send() a place while another one works on the others. Errors: kDevice.
class TextPlaces {
 public:
  static Result<TextPlaces> create();
  // Takes its parts of pinned memory and of the device's, which live longer. Before all others.
  void use(DeviceParts& pinned, DeviceParts& device, const TextCapacity& capacity);

  // A place to fill. Waits until its last text has been copied to the device.
  Result<TextPlace> fill(std::size_t place);
  // To the device. Asynchronous. text: where all of it is; empty: in the place. The batch that was there before has
  // been added, so the kernels that read its text have run; those that read its pieces may still run, until
  // free_after().
  Result<void> send(std::size_t place, std::uint32_t text_bytes, std::uint32_t pieces,
                    std::span<const TextRun> text = {});
  // The batch is what was sent to the place. Later work in the stream runs when it is there.
  Result<void> give(std::size_t place, TextBatch& batch, device::StreamHandle stream) const;
  // What is in the stream is the last that reads the place's pieces.
  Result<void> free_after(std::size_t place, device::StreamHandle stream) { return used_[place].record(stream); }
  // Waits until all that was sent is there.
  Result<void> wait() const;
  device::StreamHandle stream() const { return copies_.get(); }

 private:
  explicit TextPlaces(device::Stream copies) : copies_(std::move(copies)) {}

  device::Stream copies_;
  TextCapacity capacity_;
  std::vector<device::Event> sent_;  // by place: its text is on the device
  std::vector<device::Event> used_;  // by place: the kernels that read its pieces have run
  std::array<SideParts, kTextPlaces> pinned_{}, device_{};
  std::array<std::uint32_t, kTextPlaces> text_bytes_{}, pieces_{};  // on the device
};

// What the search for a batch's tokens has for the host.
struct BatchTokens {
  std::uint32_t entries = 0;
  std::vector<TokenKey> new_keys;  // their ids are the next ones; chunks among them are in `chunks`, too
  std::vector<HostChunk> chunks;
  bool too_many_chunks = false;   // chunks is not whole: the host has to cut the whole text
  std::uint32_t turned_away = 0;  // tokens are among the chunks since the dictionary is full
};

// How it comes back, of two batches on their way (sides). One thread. Errors: kDevice.
class TokenCopies {
 public:
  static constexpr std::size_t kSides = kTextSides;
  static Result<TokenCopies> create();
  // Pinned memory by side, which lives longer. Before all others.
  void use(TextCounts* counts) { counts_ = counts; }

  // The batch's search is in the stream `work`; or (begin_nothing) it has no text.
  Result<void> begin(std::size_t side, const TextBatch& batch, device::StreamHandle work);
  void begin_nothing(std::size_t side, std::uint32_t tokens) { counts_[side] = {.tokens = tokens}; }
  // Waits for what was begun.
  Result<BatchTokens> end(std::size_t side, const TextBatch& batch, StagedCopies& stages, device::StreamHandle work);

 private:
  explicit TokenCopies(std::array<device::Event, kSides> copied) : copied_(std::move(copied)) {}

  std::array<device::Event, kSides> copied_;  // by side: its counts
  TextCounts* counts_ = nullptr;
};

}  // namespace frond::indexer::invert::gpu
