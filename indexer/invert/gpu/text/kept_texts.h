#pragma once
// The texts that an inverter was given, kept in the host's memory until runs have their postings: the CPU goes on from
// them if the device fails.
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
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
class KeptTexts {
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

}  // namespace frond::indexer::invert::gpu
