#pragma once
// Makes posting lists of what is in a run on the device, window after window. The host brings the terms' order and
// hashes, and takes blobs: while it does, the next window is encoded. All errors are kDevice; after one only the
// destructor may be called.
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/device/runtime.h"
#include "indexer/invert/gpu/text/device/device_text.h"
#include "indexer/invert/gpu/text/lists/list_kernels.h"
#include "indexer/runs/posting_slices.h"

namespace frond::indexer::invert::gpu {

// Pinned memory in which encoded slices stay until all partitions have stored them: the device writes them there, and
// nobody copies them.
class SliceRing : public std::enable_shared_from_this<SliceRing> {
 public:
  // owner: of the memory. It lives as long as this and all parts of it.
  SliceRing(std::span<std::byte> memory, std::shared_ptr<const void> owner)
      : memory_(memory), owner_(std::move(owner)) {}
  // So many bytes, behind those of the last call, aligned to 256. They are given back, by any thread, when the last
  // copy of the pointer goes. Null: there is no room at the moment. One thread calls.
  std::shared_ptr<std::byte> take(std::size_t bytes);

 private:
  struct Part {
    std::size_t begin, end;
    bool free;
  };
  void give_back(std::size_t begin);

  const std::span<std::byte> memory_;
  const std::shared_ptr<const void> owner_;
  Mutex mutex_;
  std::deque<Part> parts_ FROND_GUARDED_BY(mutex_);  // in the order of the calls
};

struct ListEncoderSetup {
  std::uint64_t first_document = 0;  // the run's
  std::uint32_t partitions = 1;
  double b = 0, average_length = 0;
  std::span<const std::uint32_t> lengths;  // of all documents, by number in the run
  // Of all terms, in byte order: where the postings of each begin in the run, and the end. Must stay.
  std::span<const std::uint32_t> starts;
  std::span<const std::uint64_t> hashes;  // partition::hash_of_term() of each
  std::uint32_t window_postings = 0;      // at most, but for a term that has more
  // Those of several windows are gathered at a time, if they fit: all segments of the run are looked at for it.
  std::uint32_t gathered = 1u << 27;
};

// One thread.
class ListEncoder {
 public:
  // How many windows may be begun and not taken: one is encoded while the one before is copied.
  static constexpr std::size_t kWindows = 2;
  // Whether the memory that texts leave has room for so many documents and terms, and windows of so many postings.
  static bool fits(const DeviceText& text, std::uint64_t documents, std::uint64_t terms, std::uint32_t window_postings);
  // REQUIRES: fits(); setup.starts has one more than setup.hashes; the text lives until the last slice is gone.
  static Result<std::unique_ptr<ListEncoder>> create(std::shared_ptr<DeviceText> text, const ListEncoderSetup& setup);

  // Begins with the terms [first, end). Asynchronous.
  // REQUIRES: fewer than kWindows are begun and not taken; first < end <= terms.
  Result<void> begin(std::size_t first, std::size_t end);
  // Waits for the window that was begun first. REQUIRES: one was begun and not taken.
  Result<std::shared_ptr<const runs::EncodedSlice>> take();
  // Of all windows that were taken, by number: the documents' term digests.
  Result<std::vector<std::uint64_t>> digests();

 private:
  // What is kept of a window until it is taken.
  struct Output {
    device::Event encoded;
    std::size_t first = 0, end = 0;  // terms
    ListPiece* pieces = nullptr;
    std::uint8_t* blobs = nullptr;
    ListCounts* counts = nullptr;
    ListCounts* host_counts = nullptr;  // pinned
  };

  ListEncoder(std::shared_ptr<DeviceText> text, const ListEncoderSetup& setup, const RestOfRun& rest,
              std::array<Output, kWindows> outputs, device::Event copied);
  Result<void> upload(const ListEncoderSetup& setup);
  Result<void> gather(std::uint32_t first, std::uint32_t postings);

  const std::shared_ptr<DeviceText> text_;
  const RestOfRun rest_;
  const std::uint64_t documents_;
  const std::span<const std::uint32_t> starts_;
  ListRules rules_;
  ListWindow window_;  // without an output
  std::array<Output, kWindows> outputs_;
  std::size_t begun_ = 0, taken_ = 0;  // windows
  device::Event copied_;
  std::shared_ptr<SliceRing> ring_;
  std::uint32_t* numbers_ = nullptr;
  std::uint32_t* frequencies_ = nullptr;
  std::uint32_t gathered_ = 0, gathered_count_ = 0, gathered_most_ = 0;  // postings in these two
  std::uint32_t* device_starts_ = nullptr;
  unsigned long long* hashes_ = nullptr;
};

}  // namespace frond::indexer::invert::gpu
