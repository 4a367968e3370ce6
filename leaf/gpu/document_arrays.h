#pragma once
// Arrays by document that some plans need beside lists and lengths, in device memory: the bits of hidden documents,
// static priors, codes of columns, sequences of words, and lengths in text fields (engine/document_codes.h).
// They come from the lists' arena; DeviceCache copies them when a plan first needs them.
//
// An array is named by its owner in host memory, which generations share. An array whose owner has ended is dropped
// before anything else is copied. One for which there was no room is remembered, so that no list is evicted for it
// again. Thread-safe.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/mutex.h"
#include "leaf/gpu/batch_builder.h"

namespace frond::leaf::gpu {

class DocumentArrays {
 public:
  using Owner = std::shared_ptr<const void>;  // made by std::make_shared, so that an address is not used again
  // An array in host memory, which stays there as long as its owner.
  struct Source {
    Owner owner;
    std::vector<ByteView> parts;  // one behind the other on the device
    std::uint64_t partition = 0;
    std::span<const scoring::Prior> priors;                // empty: these are not priors
    std::shared_ptr<const engine::DocumentCodes> codes{};  // in place of `parts`; null: these are not codes
    bool sequences = false;                                // of a phrase: these codes are not of columns
    std::size_t bytes() const;
  };
  enum class State { kMissing, kThere, kDoesNotFit };
  struct Found {
    State state = State::kMissing;
    std::shared_ptr<const ResidentArray> array;  // if it is there
  };

  // What the plan needs of these: hidden documents, then priors, then codes.
  static std::vector<Source> sources_of(const engine::Plan& plan);

  Found find(const Owner& owner) const;
  // How often memory came back, so that there may be room where there was none.
  std::uint64_t returns() const;
  // Keeps an array that was copied to `memory`. Null: there was no room for it, and none came back since returns() was
  // `asked`.
  void insert(const Source& source, std::shared_ptr<std::byte> memory, std::uint64_t asked);
  // Of all arrays of codes: of columns, or of sequences.
  std::size_t code_bytes(bool sequences) const;
  // Drops arrays that no owner has any more, and if codes were among them, what is known of those without room. (Bits
  // of hidden documents, which go with each generation, make little: lists would be evicted again and again.)
  void drop_unused();
  // The same of the partition's arrays; its lists go, too.
  void forget(std::uint64_t partition);

 private:
  struct Entry {
    std::weak_ptr<const void> owner;
    std::uint64_t partition = 0;
    std::shared_ptr<const ResidentArray> array;  // null: no room
    std::size_t code_bytes = 0;
    bool sequences = false;
  };
  void forget_refusals() FROND_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::unordered_map<const void*, Entry> entries_ FROND_GUARDED_BY(mutex_);
  std::uint64_t returns_ FROND_GUARDED_BY(mutex_) = 0;
  std::uint32_t last_number_ FROND_GUARDED_BY(mutex_) = 0;
};

}  // namespace frond::leaf::gpu
