#include "indexer/invert/posting_chain.h"

#include <algorithm>

namespace frond::indexer {
namespace {

constexpr std::size_t kLinkBytes = sizeof(ArenaRef);  // before a chunk's payload: the next chunk
constexpr std::size_t kFirstChunk = 16, kLargestChunk = 4096;

void add_chunk(PostingChain& chain, Arena& arena) {
  const std::size_t bytes = chain.tail == kNoRef ? kFirstChunk : std::min(kLargestChunk, (chain.size + kLinkBytes) * 2);
  const ArenaRef chunk = arena.allocate(bytes);
  if (chain.tail == kNoRef)
    chain.first = chunk;
  else
    store_le(arena.at(chain.tail), chunk);
  chain.tail = chunk;
  chain.used = 0;
  chain.size = static_cast<std::uint16_t>(bytes - kLinkBytes);
}

}  // namespace

void append_posting(PostingChain& chain, Arena& arena) {
  std::byte code[10];
  std::byte* end = code;
  const auto put = [&end](std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) *end++ = static_cast<std::byte>(value | 0x80);
    *end++ = static_cast<std::byte>(value);
  };
  const bool once = chain.frequency == 1;
  put(std::uint64_t{chain.gap} << 1 | (once ? 1 : 0));
  if (!once) put(chain.frequency);
  for (const std::byte* at = code; at != end;) {
    if (chain.used == chain.size) add_chunk(chain, arena);
    const std::size_t piece = std::min<std::size_t>(end - at, chain.size - chain.used);
    std::memcpy(arena.at(chain.tail) + kLinkBytes + chain.used, at, piece);
    chain.used = static_cast<std::uint16_t>(chain.used + piece);
    at += piece;
  }
  ++chain.documents;
}

void gather_chunks(const PostingChain& chain, const Arena& arena, ByteBuffer& out) {
  out.clear();
  std::size_t bytes = kFirstChunk;
  for (ArenaRef chunk = chain.first; chunk != kNoRef; bytes = std::min(kLargestChunk, bytes * 2)) {
    const std::byte* const at = arena.at(chunk);
    const bool last = chunk == chain.tail;
    const std::size_t payload = last ? chain.used : bytes - kLinkBytes;
    out.insert(out.end(), at + kLinkBytes, at + kLinkBytes + payload);
    if (last) break;
    chunk = load_le<ArenaRef>(at);
  }
}

}  // namespace frond::indexer
