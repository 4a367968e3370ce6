#pragma once
// Makes posting lists of what is in a run on the device, window after window. The host brings the terms' order and
// hashes, and takes blobs. All errors are kDevice; after one only the destructor may be called.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "indexer/invert/gpu/text/device_text.h"
#include "indexer/invert/gpu/text/lists/lists_on_device.h"
#include "indexer/runs/posting_slices.h"

namespace frond::indexer::invert::gpu {

struct ListCoderSetup {
  std::uint64_t first_document = 0;  // the run's
  std::uint32_t partitions = 1;
  double b = 0, average_length = 0;
  std::span<const std::uint32_t> lengths;  // of all documents, by number in the run
  std::uint32_t window_postings = 0;       // at most, but for a term that has more
  // Those of several windows are gathered at a time, if they fit: all segments of the run are looked at for it.
  std::uint32_t gathered = 1u << 24;
};

// One thread. Borrows the text.
class ListCoder {
 public:
  // Whether the memory that texts leave has room for so many documents and a window of so many postings.
  static bool fits(const DeviceText& text, std::uint64_t documents, std::uint32_t window_postings);
  static Result<std::unique_ptr<ListCoder>> create(DeviceText& text, const ListCoderSetup& setup);

  // Begins with the postings [first, first + starts.back()) of the run, in the order of terms. starts: where each
  // term's postings begin, from 0, and the end. hashes: partition::hash_of_term() of each. Asynchronous.
  Result<void> begin(std::uint32_t first, std::span<const std::uint32_t> starts, std::span<const std::uint64_t> hashes);
  // Waits for what was begun. The pieces' blobs are in `blobs`; behind the last there are codec::kReadSlack bytes.
  Result<void> take(runs::CodedSlice& to);
  // Of all windows so far, by number: the documents' term digests.
  Result<std::vector<std::uint64_t>> digests();

 private:
  ListCoder(DeviceText& text, const ListCoderSetup& setup, const RestOfRun& rest);

  DeviceText& text_;
  const RestOfRun rest_;
  const std::uint64_t documents_;
  ListRules rules_;
  ListWindow window_;  // at hand
  std::uint32_t* numbers_ = nullptr;
  std::uint32_t* frequencies_ = nullptr;
  std::uint32_t gathered_ = 0, gathered_count_ = 0, gathered_most_ = 0;  // postings in these two
  std::uint32_t* starts_ = nullptr;
  unsigned long long* hashes_ = nullptr;
};

}  // namespace frond::indexer::invert::gpu
