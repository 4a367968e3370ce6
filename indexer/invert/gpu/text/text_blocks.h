#pragma once
// Texts that an inverter was given, in the host's memory until the device has their postings, and the documents'
// lengths.
#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
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

// Blocks are numbered from the first that there was. Any thread.
class TextBlocks {
 public:
  // The block stays where it is until it is dropped.
  struct Added {
    const TextBlock& block;
    std::uint64_t number;
  };
  Added add(TextBlock block) {
    bytes_ += block.bytes();
    const MutexLock lock(mutex_);
    const std::uint64_t number = first_ + blocks_.size();
    return {blocks_.emplace_back(std::move(block)), number};
  }
  bool empty() const {
    const MutexLock lock(mutex_);
    return blocks_.empty();
  }
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  // Drops blocks with lower numbers, one after the other, so that parsers use their memory again.
  void drop_before(std::uint64_t end) {
    const MutexLock lock(mutex_);
    for (; !blocks_.empty() && first_ < end; ++first_) {
      bytes_ -= blocks_.front().bytes();
      blocks_.pop_front();
    }
  }
  void drop_all() { drop_before(~std::uint64_t{0}); }

 private:
  mutable Mutex mutex_;
  std::deque<TextBlock> blocks_ FROND_GUARDED_BY(mutex_);
  std::uint64_t first_ FROND_GUARDED_BY(mutex_) = 0;
  std::atomic<std::uint64_t> bytes_ = 0;
};

// Gives each document's length once, though a document may come in parts. One thread. Errors: those of `take`.
class DocumentLengths {
 public:
  explicit DocumentLengths(TakeLength take) : take_(std::move(take)) {}  // null: nobody wants them

  // So many more terms of a document. Numbers do not descend.
  Result<void> add(DocumentNumber number, std::uint32_t terms) {
    if (open_ && open_->number != number) FROND_TRY(end());
    if (!open_) open_ = {number, 0};
    open_->terms += terms;
    return {};
  }
  // The last document is whole.
  Result<void> end() {
    const auto length = std::exchange(open_, std::nullopt);
    return length && take_ ? take_(length->number, length->terms) : Result<void>();
  }

 private:
  struct Length {
    DocumentNumber number = 0;
    std::uint32_t terms = 0;
  };
  TakeLength take_;
  std::optional<Length> open_;  // of the last document, so far
};

}  // namespace frond::indexer::invert::gpu
