#pragma once
// A term's postings while they grow: varints in chunks of an arena, each chunk twice the one before up to 4 KiB. The
// posting of the document at hand waits in the chain's head until its frequency is known; most terms of a run occur in
// one document only, and never get a chunk.
#include <algorithm>
#include <array>
#include <cstdint>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "indexer/dictionary/arena.h"

namespace frond::indexer::invert {

inline constexpr std::size_t kFirstChunk = 16, kMaxChunk = 4096;  // bytes
inline constexpr std::size_t kMaxPostingBytes = 10;               // two varints of 33 and 32 bits

struct PostingChain {
  std::uint32_t last = 0;       // number in the run of the document at hand
  std::uint32_t gap = 0;        // from the one before it; from 0 for the first
  Frequency frequency = 0;      // in the document at hand; 0: no postings yet
  std::uint32_t documents = 0;  // in the chunks
  dictionary::ArenaRef first = dictionary::kNoRef, tail = dictionary::kNoRef;
  std::uint16_t used = 0, size = 0;  // bytes of the tail's payload
};

// `occurrences` more in document `number` of the run; numbers do not descend.
void append_posting(PostingChain& chain, dictionary::Arena& arena);
inline void add_occurrences(PostingChain& chain, std::uint32_t number, Frequency occurrences,
                            dictionary::Arena& arena) {
  if (chain.frequency != 0) {
    if (chain.last == number) {
      chain.frequency += occurrences;
      return;
    }
    append_posting(chain, arena);
  }
  chain.gap = number - chain.last;
  chain.last = number;
  chain.frequency = occurrences;
}

// The bytes of a chain's chunks, one chunk after the other. Borrows both; one thread.
class ChunkBytes {
 public:
  ChunkBytes(const PostingChain& chain, const dictionary::Arena& arena)
      : chain_(chain), arena_(arena), next_(chain.first) {}
  // Keeps what is left of bytes(), which is less than a posting, and adds the next chunk. False: there is none.
  bool add_chunk(const std::byte* left);
  ByteView bytes() const { return ByteView(buffer_).first(size_); }

 private:
  const PostingChain& chain_;
  const dictionary::Arena& arena_;
  dictionary::ArenaRef next_;
  std::size_t next_bytes_ = kFirstChunk;
  std::size_t size_ = 0;
  std::array<std::byte, kMaxPostingBytes + kMaxChunk> buffer_;
};

// visit(std::uint32_t number, Frequency) of every posting of the chain, the one at hand too.
template <class Visit>
void for_each_posting(const PostingChain& chain, const dictionary::Arena& arena, Visit&& visit) {
  ChunkBytes chunks(chain, arena);
  const std::byte* at = chunks.bytes().data();
  const std::byte* safe = at;  // a whole posting lies at every place before it
  const auto varint = [&at] {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<std::uint8_t>(*at++);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
  };
  std::uint32_t number = 0;
  for (std::uint32_t i = 0; i < chain.documents; ++i) {
    while (at >= safe && chunks.add_chunk(at)) {
      at = chunks.bytes().data();
      safe = at + chunks.bytes().size() - std::min(chunks.bytes().size(), kMaxPostingBytes);
    }
    const std::uint64_t code = varint();
    number += static_cast<std::uint32_t>(code >> 1);
    visit(number, code & 1 ? Frequency{1} : static_cast<Frequency>(varint()));
  }
  if (chain.frequency != 0) visit(chain.last, chain.frequency);
}

}  // namespace frond::indexer::invert
