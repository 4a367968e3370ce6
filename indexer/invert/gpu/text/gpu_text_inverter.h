#pragma once
// The inverter of texts of a GPU: after the parsers only copied them, texts go to the device as they are, and postings
// come back (beyond Wei and JaJa 2011, whose CPU threads cut and group all tokens). The device cuts ASCII words, finds
// them in a dictionary, sorts the pairs of term and document by radix, and counts equal ones; the host says what the
// terms of new tokens are, cuts the words that are not ASCII, and writes the runs. While the thread of invert() puts
// the next batch together and has it copied to the device, another thread has the device seek the tokens of a batch,
// and meanwhile answers for the batch before, whose tokens were sought.
//
// With several devices, each has a thread and a dictionary of tokens of its own, and batches go to them in turn. Terms
// are the same for all, and so is the run, which is on the first one: the others only make the postings of a batch
// (device/run_on_device.h). Batches are added in the order of documents, so that a run, lengths, and what is lost with
// a device are what they are with one.
//
// Texts are in the host's memory until the device has their postings. When a device fails, or there is none, postings
// are lost: every function's error is kDevice. A device that cannot begin is told and left out.
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "indexer/invert/cpu_inverter.h"
#include "indexer/invert/gpu/text/device/device_text.h"
#include "indexer/invert/gpu/text/terms/text_terms.h"
#include "indexer/invert/gpu/text/text_batches.h"
#include "indexer/invert/gpu/text/text_blocks.h"
#include "indexer/invert/inverter.h"

namespace frond::indexer::invert::gpu {

class GpuTextInverter final : public TextInverter {
 public:
  // It may hold so much whatever the budget is; beside it, pinned memory of three batches.
  static constexpr std::uint64_t kMinBytes = kMinInverterBytes;
  explicit GpuTextInverter(TextInverterSetup setup);
  ~GpuTextInverter() override;
  Result<void> invert(DocumentTexts texts, std::span<const DocumentNumber> numbers) override;
  Result<void> give_lengths() override;
  Result<std::vector<runs::RunFile>> flush() override;
  Result<std::unique_ptr<runs::PostingSlices>> take_postings(std::uint64_t most) override;
  std::uint64_t memory_bytes() const override { return texts_.bytes() + term_bytes_.load(std::memory_order_relaxed); }

 private:
  Result<void> take(const TextBlock& block, std::uint64_t number);
  // A device, and what it works on.
  struct Lane {
    int device = 0;
    std::unique_ptr<DeviceText> text;
    std::optional<TextBatches> batches;  // of the working thread
    SentBatch waiting;                   // the same: to be worked on
    std::future<Result<void>> working;   // last, so that it ends before the others
  };
  Result<void> make_devices();
  Result<std::unique_ptr<Lane>> make_lane(int device);
  Result<void> take_document(std::string_view text, DocumentNumber number, std::uint64_t block);
  Result<void> take_long_words(std::string_view words, DocumentNumber number, std::uint64_t block);
  // Of the next batch.
  Lane& next_lane() { return *lanes_[batches_ % lanes_.size()]; }
  std::size_t next_place() const { return batches_ / lanes_.size() % DeviceText::kPlaces; }
  void put(std::string_view piece, DocumentNumber number, std::uint64_t block);
  Result<void> submit();
  Result<void> drain();
  void begin_work(Lane& lane, std::function<Result<void>()> work);
  Result<void> end_work(Lane& lane);
  Result<void> end_all_work();
  Result<void> note_added(const SentBatch& batch, std::span<const std::uint32_t> lengths);
  Result<void> write_all();
  Result<void> write_runs();
  Result<void> write_runs_of(DeviceText& from);
  Result<std::vector<std::uint32_t>> totals_of(DeviceText& text) const;
  // Those of which the device has all.
  void drop_done_texts() { texts_.drop_before(done_block_.load(std::memory_order_acquire)); }
  void clear_terms();
  void note_terms();

  // The run, with all that is of a batch's turn, belongs to the thread that has the turn; others to the caller's.
  TextInverterSetup setup_;
  const parse::PagePinning pinning_;
  std::unique_ptr<TextTerms> terms_;    // of the turn; null: they were taken
  TextBlocks texts_;                    // of which a batch has something
  std::optional<DocumentNumber> base_;  // numbers on the device are from it
  SentBatch filling_;                   // with texts of texts_
  bool is_pinned_ = false;              // the block that filling_ is filled from
  Crew copiers_;                        // of texts that are not pinned
  std::uint64_t batches_ = 0;           // that were numbered
  // Of the turn, from here on.
  std::uint64_t terms_cleared_ = 0;
  DocumentLengths lengths_;
  std::atomic<std::uint64_t> done_block_ = 0;  // texts before it are in the run; also for the caller's thread
  std::size_t flushes_ = 0;
  std::vector<runs::RunFile> runs_;            // since the last call of flush()
  std::atomic<std::uint64_t> term_bytes_ = 0;  // of any thread
  Turns turns_;
  // The first has the run. None: not yet used, or taken. Last, so that their threads end before the others.
  std::vector<std::unique_ptr<Lane>> lanes_;
};

const TextInverterKind& gpu_text_inverter_kind();

}  // namespace frond::indexer::invert::gpu
