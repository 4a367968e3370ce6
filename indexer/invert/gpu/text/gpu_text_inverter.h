#pragma once
// The inverter of texts of a GPU: after the parsers only copied them, texts go to the device as they are, and postings
// come back (beyond Wei and JaJa 2011, whose CPU threads cut and group all tokens). The device cuts ASCII words, finds
// them in a dictionary, sorts the pairs of term and document by radix, and counts equal ones; the host says what the
// terms of new tokens are, cuts the words that are not ASCII, and writes the runs. While the thread of invert() puts
// the next batch together and has it copied to the device, another thread has the device seek the tokens of a batch,
// and meanwhile answers for the batch before, whose tokens were sought.
//
// The texts of a run are kept in the host's memory until it is written, or until hold(). Where they may be lost,
// those that the device has are dropped when there are too many. When the device fails, or there is none, they go to a
// CpuTextInverter, which takes the device's place from then on.
#include <atomic>
#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "common/base/mutex.h"
#include "indexer/invert/cpu_inverter.h"
#include "indexer/invert/gpu/text/device_text.h"
#include "indexer/invert/gpu/text/text_pieces.h"
#include "indexer/invert/gpu/text/text_terms.h"
#include "indexer/invert/text_inverter.h"

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
  Result<std::unique_ptr<runs::PostingSlices>> hold(std::uint64_t most) override;
  std::uint64_t memory_bytes() const override {
    return cpu_on_.load(std::memory_order_acquire)
               ? cpu_->memory_bytes()
               : block_bytes_.load(std::memory_order_relaxed) + term_bytes_.load(std::memory_order_relaxed);
  }

 private:
  // Texts that invert() was given.
  struct Block {
    DocumentTexts texts;
    std::vector<DocumentNumber> numbers;
    std::uint64_t bytes() const { return texts.memory_bytes() + numbers.size() * sizeof(DocumentNumber); }
  };
  // A byte of a document; blocks are numbered from the first that there was.
  struct Position {
    std::uint64_t block = 0;
    std::size_t document = 0, byte = 0;
  };
  struct Length {
    DocumentNumber number = kDropped;
    std::uint32_t terms = 0;
  };
  struct Batch {
    TextPieces pieces;        // numbers from `base`
    DocumentNumber base = 0;  // of the run
    Position end;
    std::size_t place = 0;  // on the device
  };
  // A batch on the device.
  struct Side {
    Batch batch;
    FoundTokens found;
  };
  // Pairs that the host made.
  struct HostPairs {
    std::vector<std::uint32_t> terms, pieces, lengths;
  };

  Result<void> take(const Block& block, Position at);
  Result<void> take_document(std::string_view text, DocumentNumber number, Position& at);
  Result<void> take_long_words(std::string_view words, DocumentNumber number, const Position& end);
  void put(std::string_view piece, DocumentNumber number, const Position& end);
  Result<void> submit();
  Result<void> drain();
  void begin_work(Result<void> (GpuTextInverter::*work)());
  Result<void> end_work();
  Result<void> work_on_waiting();
  Result<void> work_on_sought();
  Result<void> end_batch(std::size_t side, std::optional<std::size_t> next);
  Result<bool> try_batch(std::size_t side, std::optional<std::size_t> next);
  Result<HostPairs> cut_on_host(std::size_t side);
  Result<void> add_host_pairs(std::size_t side, const HostPairs& pairs);
  Result<void> make_room(std::size_t pairs);
  Result<void> note_lengths(const Batch& batch, std::span<const std::uint32_t> lengths);
  Result<void> end_length();
  Result<void> write_all();
  Result<void> write_runs();
  void drop_done_blocks(std::uint64_t left);
  void set_done(const Position& done);
  void drop_block() FROND_REQUIRES(blocks_mutex_);
  Result<void> clear_dictionary();
  Result<void> go_on_without_device(const Error& why);
  // Gives what does not need the device's success; kDevice: the CPU goes on.
  Result<void> or_without_device(Result<void> result);
  void note_terms();
  bool has_blocks();

  // Those that say so belong to the thread that works on a batch while there is one; others to the caller's.
  TextInverterSetup setup_;
  const parse::PagePinning pinning_;
  std::unique_ptr<DeviceText> device_;  // null: not yet used, or lost
  std::unique_ptr<TextInverter> cpu_;   // in place of the device
  std::atomic<bool> cpu_on_ = false;
  std::unique_ptr<TextTerms> terms_;  // of the working thread; null: they are held
  Mutex blocks_mutex_;
  std::deque<Block> blocks_ FROND_GUARDED_BY(blocks_mutex_);  // of which the run has something, or a side
  std::uint64_t first_block_ FROND_GUARDED_BY(blocks_mutex_) = 0;
  std::optional<DocumentNumber> base_;       // numbers on the device are from it
  std::atomic<bool> texts_dropped_ = false;  // texts of the run: only the device has its postings
  Batch filling_;                            // with texts of blocks_
  bool is_pinned_ = false;                   // the block that filling_ is filled from
  Crew copiers_;                             // of texts that are not pinned
  // Of the working thread, from here on.
  Batch waiting_;  // to be worked on
  std::array<Side, 2> sides_;
  std::optional<std::size_t> sought_;          // the side whose tokens were sought, but not yet added
  Position done_, written_;                    // what is in the run ends, and what the last runs had
  Length open_, written_open_;                 // of the document at done_, so far; at written_
  DocumentNumber next_length_ = 0;             // lengths of documents before it were given
  std::atomic<std::uint64_t> done_block_ = 0;  // done_.block, for the caller's thread
  std::size_t flushes_ = 0;
  std::vector<runs::RunFile> runs_;                              // since the last call of flush()
  std::atomic<std::uint64_t> block_bytes_ = 0, term_bytes_ = 0;  // of any thread
  std::future<Result<void>> working_;                            // last, so that it ends before the others
};

const TextInverterKind& gpu_text_inverter_kind();

}  // namespace frond::indexer::invert::gpu
