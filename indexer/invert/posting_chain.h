#pragma once
// A term's postings while they grow: codes in chunks of an arena, each chunk twice the one before up to 4 KiB. The
// posting of the document at hand waits in the chain's head until its frequency is known; most terms of a run occur in
// one document only, and never get a chunk.
//
// A code is the number gap * 4 + min(frequency, 4) - 1 in as few bytes as take 7 of its bits each. How many they are is
// told by the first byte's low bits, ones and then a zero, so that neither writing nor reading it has a branch. A
// frequency of 4 or more follows as a varint.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "indexer/dictionary/arena.h"

namespace frond::indexer::invert {

inline constexpr std::size_t kFirstChunk = 16, kMaxChunk = 4096;         // bytes
inline constexpr std::size_t kLinkBytes = sizeof(dictionary::ArenaRef);  // before a chunk's payload: the next chunk
inline constexpr std::size_t kMaxPostingBytes = 10;                      // a code of 34 bits and a varint of 32
inline constexpr std::uint32_t kLongFrequency = 4;                       // from here on it follows the code

struct PostingChain {
  std::uint32_t last = 0;       // number in the run of the document at hand
  std::uint32_t gap = 0;        // from the one before it; from 0 for the first
  Frequency frequency = 0;      // in the document at hand; 0: no postings yet
  std::uint32_t documents = 0;  // in the chunks
  dictionary::ArenaRef first = dictionary::kNoRef, tail = dictionary::kNoRef;
  std::uint16_t used = 0, size = 0;  // bytes of the tail's payload
};

// With the one at hand.
inline std::uint32_t postings_of(const PostingChain& chain) { return chain.documents + (chain.frequency != 0 ? 1 : 0); }

// Adds the posting that waits in the head to the chunks; the head has another one then.
void append_posting(PostingChain& chain, dictionary::Arena& arena);

// Writes a posting to `to`, where there is room for kMaxPostingBytes, and returns where it ends.
inline std::byte* put_posting(std::byte* to, std::uint32_t gap, Frequency frequency) {
  const std::uint64_t code = std::uint64_t{gap} << 2 | (std::min(frequency, kLongFrequency) - 1);
  const auto bits = static_cast<unsigned>(std::bit_width(code | 1));
  const unsigned bytes = (bits + 6) * 37 >> 8;  // a seventh, rounded up
  store_le(to, code << bytes | ((std::uint64_t{1} << (bytes - 1)) - 1));
  to += bytes;
  if (frequency < kLongFrequency) [[likely]]
    return to;
  for (; frequency >= 0x80; frequency >>= 7) *to++ = static_cast<std::byte>(frequency | 0x80);
  *to++ = static_cast<std::byte>(frequency);
  return to;
}

// Several postings that are added to a chain, which changes when this ends. Borrows both; one thread.
class ChainTail {
 public:
  ChainTail(PostingChain& chain, dictionary::Arena& arena) : chain_(chain), arena_(arena), head_(chain) { find_room(); }
  ~ChainTail() { leave(); }
  ChainTail(const ChainTail&) = delete;
  ChainTail& operator=(const ChainTail&) = delete;

  // `occurrences` more in document `number` of the run; numbers do not descend.
  void add(std::uint32_t number, Frequency occurrences) {
    if (head_.frequency != 0) {
      if (head_.last == number) {
        head_.frequency += occurrences;
        return;
      }
      append();
    }
    head_.gap = number - head_.last;
    head_.last = number;
    head_.frequency = occurrences;
  }

 private:
  void append() {
    if (end_ - to_ < static_cast<std::ptrdiff_t>(kMaxPostingBytes)) [[unlikely]] {
      leave();
      append_posting(chain_, arena_);
      head_ = chain_;
      find_room();
      return;
    }
    ++head_.documents;
    to_ = put_posting(to_, head_.gap, head_.frequency);
  }
  void find_room() {
    if (head_.tail == dictionary::kNoRef) return;
    begin_ = arena_.at(head_.tail) + kLinkBytes;
    to_ = begin_ + head_.used;
    end_ = begin_ + head_.size;
  }
  void leave() {
    head_.used = static_cast<std::uint16_t>(to_ - begin_);
    chain_ = head_;
  }

  PostingChain& chain_;
  dictionary::Arena& arena_;
  PostingChain head_;
  std::byte *begin_ = nullptr, *to_ = nullptr, *end_ = nullptr;  // of the tail's payload
};

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
  // What was left, a chunk, and what a read of eight bytes may pass.
  std::array<std::byte, kMaxPostingBytes + kMaxChunk + sizeof(std::uint64_t)> buffer_;
};

// Reads the postings of a chain in order, the one at hand too. Borrows both; one thread.
class ChainReader {
 public:
  ChainReader(const PostingChain& chain, const dictionary::Arena& arena) : chain_(chain), chunks_(chain, arena) {
    at_ = safe_ = chunks_.bytes().data();
  }
  std::uint64_t left() const {
    return std::uint64_t{chain_.documents} - read_ + (!ended_ && chain_.frequency != 0 ? 1 : 0);
  }
  // Calls visit(std::uint32_t number, Frequency) for the next postings, at most `max`.
  template <class Visit>
  void read(std::uint64_t max, Visit&& visit) {
    for (; max > 0 && read_ < chain_.documents; ++read_, --max) {
      while (at_ >= safe_ && chunks_.add_chunk(at_)) {
        at_ = chunks_.bytes().data();
        safe_ = at_ + chunks_.bytes().size() - std::min(chunks_.bytes().size(), kMaxPostingBytes);
      }
      const auto word = load_le<std::uint64_t>(at_);
      const auto bytes = static_cast<unsigned>(std::countr_one(word)) + 1;
      const std::uint64_t code = word >> bytes & ~(~std::uint64_t{0} << (7 * bytes & 63));  // 35 bits at most
      at_ += bytes;
      number_ += static_cast<std::uint32_t>(code >> 2);
      const auto frequency = static_cast<Frequency>(code & 3) + 1;
      visit(number_, frequency < kLongFrequency ? frequency : static_cast<Frequency>(varint()));
    }
    if (max == 0 || std::exchange(ended_, true)) return;
    if (chain_.frequency != 0) visit(chain_.last, chain_.frequency);
  }

 private:
  std::uint64_t varint() {
    auto byte = static_cast<std::uint8_t>(*at_++);
    if (byte < 0x80) return byte;
    std::uint64_t value = byte & 0x7fu;
    for (unsigned shift = 7;; shift += 7) {
      byte = static_cast<std::uint8_t>(*at_++);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
  }

  const PostingChain& chain_;
  ChunkBytes chunks_;
  const std::byte* at_;
  const std::byte* safe_;  // a whole posting lies at every place before it
  std::uint32_t number_ = 0, read_ = 0;
  bool ended_ = false;
};

// visit(std::uint32_t number, Frequency) of every posting of the chain.
template <class Visit>
void for_each_posting(const PostingChain& chain, const dictionary::Arena& arena, Visit&& visit) {
  ChainReader(chain, arena).read(~std::uint64_t{0}, visit);
}

}  // namespace frond::indexer::invert
