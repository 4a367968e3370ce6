#pragma once
// What the CPU needs to go on if the device fails: the texts that an inverter was given, in the host's memory until
// runs have their postings, and the lengths of documents that were told.
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "common/base/mutex.h"
#include "common/base/result.h"
#include "indexer/invert/inverter.h"

namespace frond::indexer::invert::gpu {

// Texts of a call of invert().
struct TextBlock {
  DocumentTexts texts;
  std::vector<DocumentNumber> numbers;
  std::uint64_t bytes() const { return texts.memory_bytes() + numbers.size() * sizeof(DocumentNumber); }
};

// A byte of a document; blocks are numbered from the first that there was.
struct TextPosition {
  std::uint64_t block = 0;
  std::size_t document = 0, byte = 0;
};

// Any thread, but for give_from().
class ReplayBuffer {
 public:
  // The block stays where it is until it is dropped.
  struct Added {
    const TextBlock& block;
    std::uint64_t number;
  };
  Added add(TextBlock block);
  bool empty();
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  // Drops blocks before `end` until so many bytes are left, one after the other, so that parsers use their memory
  // again. Whether there were any.
  bool drop_before(std::uint64_t end, std::uint64_t left);
  // Drops blocks that end before a position or at it.
  void drop_to(const TextPosition& position);
  void drop_all();
  // Gives away all from a position on. Nobody else uses it. Errors of take.
  using Take = std::function<Result<void>(DocumentTexts texts, std::span<const DocumentNumber> numbers)>;
  Result<void> give_from(const TextPosition& position, const Take& take);

 private:
  void drop() FROND_REQUIRES(mutex_);

  Mutex mutex_;
  std::deque<TextBlock> blocks_ FROND_GUARDED_BY(mutex_);
  std::uint64_t first_ FROND_GUARDED_BY(mutex_) = 0;
  std::atomic<std::uint64_t> bytes_ = 0;
};

// Gives each document's length once, though a document may come in parts, and again from the CPU after the device has
// failed.
// One thread. Errors: those of `take`.
class DocumentLengths {
 public:
  explicit DocumentLengths(TakeLength take) : take_(std::move(take)) {}  // null: nobody wants them

  // So many more terms of a document. Numbers do not descend.
  Result<void> add(DocumentNumber number, std::uint32_t terms);
  // The last document is whole.
  Result<void> end();
  // All so far is in runs.
  void note_written() { written_ = open_; }
  // The CPU goes on from what is in runs: with a new document (is_new), or within the last one.
  Result<void> go_on(bool is_new);
  // The length of what the CPU has of a document.
  Result<void> take_from_cpu(DocumentNumber number, std::uint32_t terms);

 private:
  struct Length {
    DocumentNumber number = kDropped;
    std::uint32_t terms = 0;
  };
  TakeLength take_;
  Length open_, written_;    // of the last document, so far; in runs
  DocumentNumber next_ = 0;  // lengths of documents before it were given
};

}  // namespace frond::indexer::invert::gpu
