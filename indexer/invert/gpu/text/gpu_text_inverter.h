#pragma once
// The inverter of texts of a GPU: after the parsers only copied them, texts go to the device as they are, and postings
// come back (beyond Wei and JaJa 2011, whose CPU threads cut and group all tokens). The device cuts ASCII words, finds
// them in a dictionary, sorts the pairs of term and document by radix, and counts equal ones; the host says what the
// terms of new tokens are, cuts the words that are not ASCII, and writes the runs. While the thread of invert() puts
// the next batch together and has it copied to the device, another thread has the device seek the tokens of a batch,
// and meanwhile answers for the batch before, whose tokens were sought.
//
// The texts of a run are kept in the host's memory until it is written, or until take_postings(). Where they may be
// lost, those that the device has are dropped when there are too many. When the device fails, or there is none, they go
// to a CpuTextInverter, which takes the device's place from then on.
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "indexer/invert/cpu_inverter.h"
#include "indexer/invert/gpu/text/device/device_text.h"
#include "indexer/invert/gpu/text/replay_buffer.h"
#include "indexer/invert/gpu/text/terms/text_terms.h"
#include "indexer/invert/gpu/text/text_batches.h"
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
  std::uint64_t memory_bytes() const override {
    return cpu_on_.load(std::memory_order_acquire) ? cpu_->memory_bytes()
                                                   : texts_.bytes() + term_bytes_.load(std::memory_order_relaxed);
  }

 private:
  Result<void> take(const TextBlock& block, TextPosition at);
  Result<void> make_device();
  Result<void> take_document(std::string_view text, DocumentNumber number, TextPosition& at);
  Result<void> take_long_words(std::string_view words, DocumentNumber number, const TextPosition& end);
  void put(std::string_view piece, DocumentNumber number, const TextPosition& end);
  Result<void> submit();
  Result<void> drain();
  void begin_work(std::function<Result<void>()> work);
  Result<void> end_work();
  Result<void> note_added(const SentBatch& batch, std::span<const std::uint32_t> lengths);
  Result<void> write_all();
  Result<void> write_runs();
  void drop_done_texts(std::uint64_t left);
  Result<void> clear_dictionary();
  Result<void> go_on_without_device(const Error& why);
  // Gives what does not need the device's success; kDevice: the CPU goes on.
  Result<void> or_without_device(Result<void> result);
  void note_terms();

  // Those that say so belong to the thread that works on a batch while there is one; others to the caller's.
  TextInverterSetup setup_;
  const parse::PagePinning pinning_;
  std::unique_ptr<DeviceText> device_;  // null: not yet used, or lost
  std::unique_ptr<TextInverter> cpu_;   // in place of the device
  std::atomic<bool> cpu_on_ = false;
  std::unique_ptr<TextTerms> terms_;         // of the working thread; null: they were taken
  ReplayBuffer texts_;                       // of which the run has something, or a batch
  std::optional<DocumentNumber> base_;       // numbers on the device are from it
  std::atomic<bool> texts_dropped_ = false;  // texts of the run: only the device has its postings
  SentBatch filling_;                        // with texts of texts_
  bool is_pinned_ = false;                   // the block that filling_ is filled from
  Crew copiers_;                             // of texts that are not pinned
  // Of the working thread, from here on.
  SentBatch waiting_;                   // to be worked on
  std::optional<TextBatches> batches_;  // with the device
  TextPosition done_, written_;         // what is in the run ends, and what the last runs had
  DocumentLengths lengths_;
  std::atomic<std::uint64_t> done_block_ = 0;  // done_.block, for the caller's thread
  std::size_t flushes_ = 0;
  std::vector<runs::RunFile> runs_;            // since the last call of flush()
  std::atomic<std::uint64_t> term_bytes_ = 0;  // of any thread
  std::future<Result<void>> working_;          // last, so that it ends before the others
};

const TextInverterKind& gpu_text_inverter_kind();

}  // namespace frond::indexer::invert::gpu
