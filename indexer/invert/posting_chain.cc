#include "indexer/invert/posting_chain.h"

#include <algorithm>

#include "common/base/check.h"

namespace frond::indexer::invert {
namespace {

void add_chunk(PostingChain& chain, dictionary::Arena& arena) {
  const std::size_t bytes =
      chain.tail == dictionary::kNoRef ? kFirstChunk : std::min(kMaxChunk, (chain.size + kLinkBytes) * 2);
  const dictionary::ArenaRef chunk = arena.allocate(bytes);
  if (chain.tail == dictionary::kNoRef)
    chain.first = chunk;
  else
    store_le(arena.at(chain.tail), chunk);
  chain.tail = chunk;
  chain.used = 0;
  chain.size = static_cast<std::uint16_t>(bytes - kLinkBytes);
}

// A posting that may not fit into the tail.
void append_in_pieces(PostingChain& chain, dictionary::Arena& arena) {
  std::byte code[kMaxPostingBytes];
  const std::byte* const end = put_posting(code, chain.gap, chain.frequency);
  for (const std::byte* at = code; at != end;) {
    if (chain.used == chain.size) add_chunk(chain, arena);
    const std::size_t piece = std::min<std::size_t>(end - at, chain.size - chain.used);
    std::memcpy(arena.at(chain.tail) + kLinkBytes + chain.used, at, piece);
    chain.used = static_cast<std::uint16_t>(chain.used + piece);
    at += piece;
  }
}

}  // namespace

void append_posting(PostingChain& chain, dictionary::Arena& arena) {
  ++chain.documents;
  if (chain.size - chain.used < static_cast<int>(kMaxPostingBytes)) return append_in_pieces(chain, arena);
  std::byte* const to = arena.at(chain.tail) + kLinkBytes + chain.used;
  chain.used = static_cast<std::uint16_t>(chain.used + (put_posting(to, chain.gap, chain.frequency) - to));
}

bool ChunkBytes::add_chunk(const std::byte* left) {
  if (next_ == dictionary::kNoRef) return false;
  const auto kept = static_cast<std::size_t>(buffer_.data() + size_ - left);
  std::memmove(buffer_.data(), left, kept);
  const std::byte* const at = arena_.at(next_);
  const bool last = next_ == chain_.tail;
  const std::size_t payload = last ? chain_.used : next_bytes_ - kLinkBytes;
  FROND_CHECK(kept + payload <= buffer_.size());
  std::memcpy(buffer_.data() + kept, at + kLinkBytes, payload);
  size_ = kept + payload;
  next_ = last ? dictionary::kNoRef : load_le<dictionary::ArenaRef>(at);
  next_bytes_ = std::min(kMaxChunk, next_bytes_ * 2);
  return true;
}

}  // namespace frond::indexer::invert
