#pragma once
// Reads a large file that is not compressed on several threads: copying from the system's cache takes one thread longer
// than parsers need for what it read, and a disk answers several requests faster than one.
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/mutex.h"
#include "common/base/result.h"
#include "indexer/ingest/read_memory.h"

namespace frond::indexer::ingest {

// One thread calls next() and take(). Threads are called "read-ahead-i".
class ReadAhead {
 public:
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
  // More blocks are read while a thread of many on all cores waits for its turn: as memory_limit allows, 2 to 8.
  static std::size_t blocks_a_thread(std::uint64_t memory_limit);
  // What may be appended to bytes that were taken: usually the rest of a line.
  static constexpr std::size_t kSpareBytes = 64 << 10;
  // Files with less left are not worth it.
  static constexpr std::uint64_t kMinBytes = 16 * kBlockBytes;

  // Reads `file`, a regular one that stays open, from `offset` on. threads: at least 1; blocks: at least 2, for all.
  // memory: where theirs comes from, and goes to at the end; null: the system's.
  ReadAhead(int file, std::uint64_t offset, std::size_t threads, std::size_t blocks,
            std::shared_ptr<ReadMemory> memory = nullptr);
  // Waits for the reads that were begun.
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // The next bytes, valid until the next call; empty at the end. kUnavailable: reading failed; the message is the
  // system's.
  Result<ByteView> next();
  // Of the bytes that next() gave last: how many line feeds they have. Counted where they were read, in that core's
  // caches.
  std::uint64_t lines() const { return last_->lines; }
  // These bytes themselves, so that nobody has to copy them. `memory` is used in their place. Once after next().
  std::string take(std::string memory);

 private:
  struct Block {
    std::string bytes;  // kBlockBytes
    std::size_t size = 0;
    std::uint64_t lines = 0;
    int error = 0;
    bool read = false;
  };
  Block& block(std::uint64_t number) { return blocks_[number % blocks_.size()]; }
  void run();
  void read(std::uint64_t number, Block& to) const;
  void read_bytes(std::uint64_t number, Block& to) const;

  const int file_;
  const std::uint64_t offset_;
  const std::shared_ptr<ReadMemory> memory_;
  Mutex mutex_;
  // A thread is woken for each block that may be begun, and next() only for its block: all of them for every change
  // would wait for each other at the mutex.
  std::condition_variable_any room_, there_;
  std::vector<Block> blocks_;  // each belongs to a thread while it is read, else, under mutex_, to next()
  Block* last_ = nullptr;      // that next() gave
  std::uint64_t begun_ FROND_GUARDED_BY(mutex_) = 0;  // blocks that a thread has taken
  std::uint64_t given_ FROND_GUARDED_BY(mutex_) = 0;  // by next(); the last of them is in use
  bool waits_ FROND_GUARDED_BY(mutex_) = false;       // next() does, for block given_ - 1
  bool ended_ FROND_GUARDED_BY(mutex_) = false;       // no further block is begun
  std::vector<std::jthread> threads_;
};

}  // namespace frond::indexer::ingest
