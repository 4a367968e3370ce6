#pragma once
// An answer's body on its way from its reader to its client, in two pieces: one is written while the next is read.
// Internal to this folder.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "common/http/message.h"

namespace frond::http {

// The reading thread has `next` while `reading` is set; the io thread has everything else.
struct BodyPieces {
  static constexpr std::size_t kPieceBytes = 256 << 10;

  std::shared_ptr<BodyReader> reader;
  std::uint64_t from = 0;  // of what is read next
  std::vector<std::byte> next, now;
  bool reading = false, read = false;    // whether `next` is being read, whether it is there
  bool header = false, writing = false;  // whether the header is written, whether `now` is being written
  bool last = false;                     // the connection closes afterwards

  bool at_end() const { return from == reader->size(); }
  // What the pieces of a body hold at most.
  static std::size_t held(const BodyReader& reader) {
    return static_cast<std::size_t>(std::min<std::uint64_t>(reader.size(), 2 * kPieceBytes));
  }
};

}  // namespace frond::http
