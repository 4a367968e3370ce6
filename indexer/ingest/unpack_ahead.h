#pragma once
// Decompresses a file that consists of many streams, one after the other, on several threads: bzip2 and gzip by member,
// as Wikipedia's multistream dumps and web archives are. What comes out is what one thread would give, for any bytes.
//
// The file is cut into parts where a stream seems to begin. A thread decompresses a part as if a stream began there. If
// the part turns out to be whole streams, from its first byte to its last, that is its content, provided that the part
// before ended a stream. Otherwise, since what looked like a beginning was none, since streams are long, damaged or
// padded, the caller decompresses the part in order, where the one before ended.
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/mutex.h"
#include "common/base/result.h"
#include "indexer/ingest/decompress.h"

namespace frond::indexer::ingest {

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

// The threads that decompress parts: "unpacker-i".
class Unpackers {
 public:
  Unpackers(Compression compression, const AheadPlan& plan);
  // Parts in work are finished and dropped.
  ~Unpackers();
  Unpackers(const Unpackers&) = delete;
  Unpackers& operator=(const Unpackers&) = delete;

  // One thread calls these. The parts come back in the order in which they were given.
  bool full() const { return given_ - taken_ >= plan_.parts; }
  bool empty() const { return given_ == taken_; }
  void give(FilePart part);
  FilePart take();

 private:
  struct Slot {
    FilePart part;
    enum class State { kWaiting, kInWork, kDone } state = State::kWaiting;
  };
  void run(std::size_t number);

  const Compression compression_;
  const AheadPlan plan_;
  std::uint64_t given_ = 0, taken_ = 0;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::unique_ptr<Slot>> slots_ FROND_GUARDED_BY(mutex_);  // in order
  bool stopped_ FROND_GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> threads_;
};

// Decompresses a part that is whole streams: sets `plain`, `ends` and `whole`. `plain` has at most `max_bytes`.
void unpack(Compression compression, std::size_t max_bytes, FilePart& part);

}  // namespace frond::indexer::ingest
