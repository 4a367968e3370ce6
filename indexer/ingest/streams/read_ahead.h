#pragma once
// Reads a large file that is not compressed on several threads: copying from the system's cache takes one thread longer
// than parsers need for what it read, and a disk answers several requests faster than one.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/base/threads/task_pool.h"
#include "indexer/ingest/streams/decompress.h"
#include "indexer/ingest/streams/input_limits.h"

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
  std::uint64_t lines() const { return last_.lines; }
  // These bytes themselves, so that nobody has to copy them. `memory` is used in their place. Once after next().
  std::string take(std::string memory);

 private:
  struct Block {
    std::string bytes;  // kBlockBytes
    std::size_t size = 0;
    std::uint64_t lines = 0;
    int error = 0;
  };
  void begin_reads();
  Block read(std::uint64_t number, std::string memory);
  void read_bytes(std::uint64_t number, Block& to) const;

  const int file_;
  const std::uint64_t offset_;
  const std::shared_ptr<ReadMemory> memory_;
  std::vector<std::string> spare_;                      // memory of blocks
  std::uint64_t next_ = 0;                              // block to read
  std::atomic<std::uint64_t> end_ = ~std::uint64_t{0};  // the first block that is short: the file has none behind it
  Block last_;                                          // that next() gave
  bool given_ = false;                                  // it has given one
  TaskPool pool_;
  OrderedTasks<Block> reads_;  // last: it uses the others
};

// Decompresses a file that consists of many streams, one after the other, on several threads: bzip2 and gzip by member,
// as Wikipedia's multistream dumps and web archives are. What comes out is what one thread would give, for any bytes.
//
// The file is cut into parts where a stream seems to begin. A thread decompresses a part as if a stream began there. If
// the part turns out to be whole streams, from its first byte to its last, that is its content, provided that the part
// before ended a stream. Otherwise, since what looked like a beginning was none, since streams are long, damaged or
// padded, the caller decompresses the part in order, where the one before ended.

// How the memory for parts is divided: docs/operations.md, "Memory and disk of a build".
struct AheadPlan {
  std::size_t threads = 0;                     // 0: not worth while, or too little memory
  std::size_t parts = 0;                       // in flight
  std::size_t raw_bytes = 0, plain_bytes = 0;  // of a part
  std::uint64_t memory = 0;                    // of all
};
// As many threads as asked for, or as `memory` allows.
AheadPlan plan_ahead(std::size_t threads, std::uint64_t memory);

// Where, from `from`, a stream may begin; npos: nowhere. The last bytes of `bytes` may be the beginning of what is not
// yet read: a stream is only found if kStreamMagicBytes of it are there.
inline constexpr std::size_t kStreamMagicBytes = 10;
std::size_t find_stream(Compression compression, std::string_view bytes, std::size_t from);

struct FilePart {
  ByteBuffer raw;
  bool tried = false;  // it begins and ends where a stream seems to begin, or the file ends
  bool whole = false;  // it consists of whole streams, whose content is `plain`
  ByteBuffer plain;
  std::vector<std::size_t> ends;  // of the streams, in `plain`
};

// The threads that decompress parts: "unpacker-i". One thread calls.
class Unpackers {
 public:
  Unpackers(Compression compression, const AheadPlan& plan)
      : compression_(compression), plan_(plan), pool_("unpacker", plan.threads), parts_(pool_, plan.parts) {}

  // The parts come back in the order in which they were given.
  bool full() const { return parts_.full(); }
  bool empty() const { return parts_.empty(); }
  void give(FilePart part);
  FilePart take() { return *parts_.take(); }

 private:
  const Compression compression_;
  const AheadPlan plan_;
  TaskPool pool_;
  OrderedTasks<FilePart> parts_;  // last: it uses the pool
};

// Decompresses a part that is whole streams: sets `plain`, `ends` and `whole`. `plain` has at most `max_bytes`.
void unpack(Compression compression, std::size_t max_bytes, FilePart& part);

}  // namespace frond::indexer::ingest
