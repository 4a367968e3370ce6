#pragma once
// Texts to postings on the device: its memory, which is allocated once, and the steps of a batch. The host says what
// the terms of new tokens are (text_terms.h) and cuts what the device's rules do not cover (text_rules.cuh).
//
// A batch: places().fill() and send(), begin_find(side, place), end_find(side), learn(side, ...), add(side, ...).
// The tokens of the next batch are sought with the other side: begin_find() between end_find() and learn() of this one,
// end_find() behind its add(). So the device seeks those of the next batch while the host answers for this one, and
// has it behind that search; a third batch is filled and copied. A run: batches, run().read(),
// run().clear(). All errors are kDevice, unless a comment says otherwise; after one only the destructor may be called.
#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "common/base/mutex.h"
#include "common/device/runtime.h"
#include "indexer/invert/gpu/text/device/device_text_memory.h"
#include "indexer/invert/gpu/text/device/kernels.h"
#include "indexer/invert/gpu/text/device/run_on_device.h"
#include "indexer/invert/gpu/text/device/text_copies.h"

namespace frond::indexer::invert::gpu {

struct TextSetup {
  int device = 0;
  std::uint64_t device_bytes = 0;
  std::uint64_t max_text = std::uint64_t{128} << 20;  // bytes of a batch; pinned memory takes three times as many
  std::uint32_t rules = 0;                            // the analyzer's (kernels.h)
  std::uint32_t hash_mask = 0xffffffff;               // tests have tokens with equal hashes
};

// A run to which no text is added any more, with the memory that texts were worked on in: rest_bytes().
struct RestOfRun {
  PostingStore store;
  std::uint32_t postings = 0, segments = 0;
  const std::uint32_t* offsets = nullptr;  // by term; of RunOnDevice::place_terms()
  KernelPlace place;
  std::byte* memory = nullptr;
  device::StreamHandle copies = nullptr;  // beside that of `place`
  std::span<std::byte> pinned;            // that texts were filled into
};

// One thread; another one may use places() while this one works on the others.
class DeviceText {
 public:
  static constexpr std::size_t kSides = kTextSides, kPlaces = kTextPlaces;
  static std::uint64_t pinned_bytes(const TextCapacity& capacity);

  // kDevice also if device_bytes is too little.
  static Result<std::unique_ptr<DeviceText>> create(const TextSetup& setup);
  ~DeviceText();
  const TextCapacity& capacity() const { return capacity_; }

  // To fill and to send texts, also by another thread. A text that was sent stays as it is until its batch was added.
  TextPlaces& places();
  // The run that batches are added to.
  RunOnDevice& run();
  // Held while another thread than this one's reads the run, since both copy by the same stages.
  Mutex& stages() { return stages_; }
  // The batch that was sent to the place is with a side (0 or 1) from now on. Asynchronous. Seeks its tokens, if it has
  // text. Only after end_find() of the other side, if that was begun.
  Result<void> begin_find(std::size_t side, std::size_t place);
  Result<BatchTokens> end_find(std::size_t side);
  // Both.
  Result<BatchTokens> find(std::size_t side, std::size_t place);
  // The terms of the side's new tokens, less than capacity().terms, or kDroppedTerm, or kHostTerm. Asynchronous.
  Result<void> learn(std::size_t side, std::span<const std::uint32_t> terms);
  // Adds the batch to the run. Waits for its pairs, not for its postings. chunk_terms[chunk_places[c] .. chunk_places[c
  // + 1]) are the terms of chunk c; entries + chunk_terms.size() <= capacity().entries. `terms`: all terms so far are
  // less. Returns the pieces' lengths in terms, which are valid until the next call.
  Result<std::span<const std::uint32_t>> add(std::size_t side, std::span<const std::uint32_t> chunk_places,
                                             std::span<const std::uint32_t> chunk_terms, std::uint32_t terms);
  // The same for pairs that the host made, with pieces of the side, ascending; at most capacity().entries.
  Result<void> add_pairs(std::size_t side, std::span<const std::uint32_t> pair_terms,
                         std::span<const std::uint32_t> pair_pieces, std::uint32_t terms);

  std::uint64_t rest_bytes() const;
  // After it only run().place_terms(), upload(), download() and the destructor may be called.
  Result<RestOfRun> rest();
  // Copies through pinned memory, in the order of what was begun before.
  Result<void> upload(std::byte* to, const std::byte* from, std::size_t bytes);
  Result<void> download(std::byte* to, const std::byte* from, std::size_t bytes);  // waits for it
  // Forgets tokens: the host's terms may have new numbers. The run is empty, and nothing is being sought. A batch that
  // was sought must be sought again.
  Result<void> clear_dictionary();
  std::uint32_t tokens() const { return tokens_; }

 private:
  struct Parts;  // streams, memory, and what uses them
  struct Spaces {
    std::uint32_t processors = 1;
    std::size_t work = 0;  // bytes, for kernels
  };
  DeviceText(const TextSetup& setup, const TextCapacity& capacity, Parts parts, const Spaces& spaces);
  void lay_out(const TextSetup& setup, const Spaces& spaces);
  Result<void> store_pairs(std::size_t side, std::uint32_t pairs, std::uint32_t terms);

  TextCapacity capacity_;
  Mutex stages_;
  std::unique_ptr<Parts> parts_;
  KernelPlace place_;
  TokenDictionary dictionary_;
  std::array<TextBatch, kSides> batches_;        // by side
  std::array<std::size_t, kSides> place_of_{};   // whose text a side has
  std::array<std::uint32_t, kSides> entries_{};  // by side
  std::uint32_t* chunk_places_ = nullptr;
  std::uint32_t* chunk_terms_ = nullptr;
  std::uint32_t tokens_ = 0, learned_ = 0;  // in the dictionary; of them, with terms
};

}  // namespace frond::indexer::invert::gpu
