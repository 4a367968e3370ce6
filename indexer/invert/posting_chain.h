#pragma once
// A term's postings while they grow: varints in chunks of an arena, each chunk twice the one before up to 4 KiB. The
// posting of the document at hand waits in the chain's head until its frequency is known; most terms of a run occur in
// one document only, and never get a chunk.
#include <cstdint>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "indexer/dictionary/arena.h"

namespace frond::indexer {

struct PostingChain {
  std::uint32_t last = 0;       // number in the run of the document at hand
  std::uint32_t gap = 0;        // from the one before it; from 0 for the first
  Frequency frequency = 0;      // in the document at hand; 0: no postings yet
  std::uint32_t documents = 0;  // in the chunks
  ArenaRef first = kNoRef, tail = kNoRef;
  std::uint16_t used = 0, size = 0;  // bytes of the tail's payload
};

// One more occurrence in document `number` of the run; numbers do not descend.
void append_posting(PostingChain& chain, Arena& arena);
inline void add_occurrence(PostingChain& chain, std::uint32_t number, Arena& arena) {
  if (chain.frequency != 0) {
    if (chain.last == number) {
      ++chain.frequency;
      return;
    }
    append_posting(chain, arena);
  }
  chain.gap = number - chain.last;
  chain.last = number;
  chain.frequency = 1;
}

// visit(std::uint32_t number, Frequency) of every posting of the chain, the one at hand too. `scratch` is reused.
template <class Visit>
void for_each_posting(const PostingChain& chain, const Arena& arena, ByteBuffer& scratch, Visit&& visit);

// The bytes of the chain's chunks, one after the other.
void gather_chunks(const PostingChain& chain, const Arena& arena, ByteBuffer& out);

template <class Visit>
void for_each_posting(const PostingChain& chain, const Arena& arena, ByteBuffer& scratch, Visit&& visit) {
  gather_chunks(chain, arena, scratch);
  const std::byte* at = scratch.data();
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
    const std::uint64_t code = varint();
    number += static_cast<std::uint32_t>(code >> 1);
    visit(number, code & 1 ? Frequency{1} : static_cast<Frequency>(varint()));
  }
  if (chain.frequency != 0) visit(chain.last, chain.frequency);
}

}  // namespace frond::indexer
