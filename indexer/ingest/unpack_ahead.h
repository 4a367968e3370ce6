#pragma once
// Decompresses a file that consists of many streams, one after the other, on several threads: bzip2 and gzip by member,
// as Wikipedia's multistream dumps and web archives are. What comes out is what one thread would give, for any bytes.
//
// The file is cut into parts where a stream seems to begin. A thread decompresses a part as if a stream began there. If
// the part turns out to be whole streams, from its first byte to its last, that is its content, provided that the part
// before ended a stream. Otherwise, since what looked like a beginning was none, since streams are long, damaged or
// padded, the caller decompresses the part in order, where the one before ended.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/base/bytes.h"
#include "common/base/task_pool.h"
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
