#pragma once
// What the inverter of texts keeps on the device, and its kernels. Plain structs, passed to kernels by value. All
// pointers are to device memory.
//
//   text      pieces of documents, one after the other; each ends with a byte that ends every word
//   entry     a place in the text where a token or a chunk may begin, in text order
//   chunk     bytes between two that end every word; what the device's rules do not cover is left to the host by chunk
//   token     a word's bytes in lower case, or a short chunk that the host cuts, as it is: the key of the dictionary.
//             Its id never changes until the dictionary is emptied; its term is the host's answer
//   pair      an occurrence of a term in a piece
#include <cstddef>
#include <cstdint>

#include "common/base/check.h"
#include "common/base/result.h"
#include "common/device/runtime.h"
#include "indexer/invert/gpu/device_copies.h"

namespace frond::indexer::invert::gpu {

inline constexpr std::uint32_t kKeyBytes = 24;  // longer tokens are the host's
// Chunks of more bytes are the host's: a thread reads a whole chunk.
inline constexpr std::uint32_t kMaxChunkBytes = 64;
// Zeros before and behind a text on the device, which kernels read.
inline constexpr std::uint32_t kTextSlack = 128;
inline constexpr std::uint32_t kUnitBytes = 32;  // of text, that a thread looks at

// What the host may answer in place of a term: it is not indexed, as stop words are; or, of a chunk, the host cuts it
// each time, since it has several terms.
inline constexpr std::uint32_t kDroppedTerm = 0xffffffff, kHostTerm = 0xfffffffe;
// What an entry is: the id of a token; or kChunkBit and the place of a chunk in TextBatch::chunks; or nothing.
inline constexpr std::uint32_t kNoToken = 0xffffffff, kChunkBit = 0x80000000;

// The analyzer's rules that matter to what the device cuts (text_rules.cuh), together; 0: those of standard.
inline constexpr std::uint32_t kSpanRules = 1;       // of standard2 and standard3
inline constexpr std::uint32_t kStandard3Rules = 2;  // besides
inline constexpr std::uint32_t kSplitCaseRules = 4, kTurkishRules = 8;

// A token's bytes in lower case, filled up with zeros, which tokens do not have.
struct TokenKey {
  std::uint64_t words[kKeyBytes / 8];
  friend bool operator==(const TokenKey&, const TokenKey&) = default;
};

// The key of a chunk: its bytes, and the one before it, since what is before a dot matters to standard2 (".NET"). Words
// are ASCII, so they have no such mark.
inline constexpr std::uint32_t kChunkKeyBytes = 22, kByteBeforeChunk = 22, kChunkMark = 0xff;
FROND_HOST_DEVICE constexpr bool is_chunk(const TokenKey& key) {
  return key.words[kKeyBytes / 8 - 1] >> 56 == kChunkMark;
}

// A chunk that the host cuts.
struct HostChunk {
  std::uint32_t begin = 0;  // a place in the text that is in the chunk, its first byte unless `token`
  std::uint32_t token = 0;  // 1: only the token that begins there, a word of ASCII characters
};

// One sector of memory, so that a token is found with one access.
struct alignas(32) TokenSlot {
  TokenKey key;
  std::uint32_t state;  // 0: free; kClaimedBit and a miss; or the token's id plus 1
  std::uint32_t padding;
};
inline constexpr std::uint32_t kClaimedBit = 0x80000000;

// An entry whose token is not in the dictionary yet.
struct TokenMiss {
  TokenKey key;
  std::uint32_t entry;
  std::uint32_t slot;  // where the search ended, and then where the token is
};

struct TokenDictionary {
  TokenSlot* slots = nullptr;
  std::uint32_t slot_mask = 0;     // slots are a power of two, at least twice max_tokens
  std::uint32_t hash_mask = 0;     // tests find tokens by few bits of their hashes
  std::uint32_t max_tokens = 0;    // more are the host's
  std::uint32_t* terms = nullptr;  // by token id
};

// Kernels add to these.
struct TextCounts {
  std::uint32_t entries = 0, misses = 0, chunks = 0;
  std::uint32_t tokens = 0;       // in the dictionary
  std::uint32_t places = 0;       // of tokens that are given out, while tokens are added; never fewer than tokens
  std::uint32_t turned_away = 0;  // occurrences of tokens for which the dictionary had no place
  std::uint32_t pairs = 0, postings = 0, segments = 0;  // of the batch
};

// Of a text of so many bytes: two in three, as in "'a 'a 'a".
constexpr std::uint32_t max_entries(std::uint32_t text_bytes) { return text_bytes / 3 * 2 + 2; }

// A batch, with the memory that its steps use. Entries: at most max_entries() of the text.
struct TextBatch {
  const std::uint8_t* text = nullptr;
  std::uint32_t text_bytes = 0;
  std::uint32_t rules = 0;
  std::uint32_t piece_count = 0;
  const std::uint32_t* piece_begins = nullptr;   // and the end of the text
  const std::uint32_t* piece_numbers = nullptr;  // of their documents, from the run's first; they do not descend
  std::uint32_t* lengths = nullptr;              // terms of each piece
  std::uint32_t *unit_masks = nullptr, *unit_counts = nullptr, *unit_places = nullptr;
  std::uint32_t *starts = nullptr, *tokens = nullptr;  // by entry
  TokenMiss* misses = nullptr;
  std::uint32_t max_misses = 0;
  HostChunk* chunks = nullptr;
  std::uint32_t max_chunks = 0;
  TokenKey* new_keys = nullptr;  // of tokens since first_new
  std::uint32_t first_new = 0, max_new = 0;
  std::uint32_t answered = 0;  // tokens before it have terms
  // The host's answer: the terms of chunk c are chunk_terms[chunk_places[c] .. chunk_places[c + 1]).
  const std::uint32_t *chunk_places = nullptr, *chunk_terms = nullptr;
  std::uint32_t *pair_counts = nullptr, *pair_places = nullptr;  // by entry
  TextCounts* counts = nullptr;
};

// Pairs in text order, and then sorted by term. Documents of a pair are pieces.
struct TermPairs {
  std::uint32_t* terms = nullptr;
  std::uint32_t* pieces = nullptr;
};

// The postings of a term in a batch.
struct PostingSegment {
  std::uint32_t term = 0;
  std::uint32_t begin = 0, count = 0;  // in the store
  std::uint32_t first = 0;             // its place among the term's postings of the run
};

// The postings of a run, batch after batch.
struct PostingStore {
  std::uint32_t* numbers = nullptr;      // of documents
  std::uint32_t* frequencies = nullptr;  // of a document in two pieces: two postings
  PostingSegment* segments = nullptr;
  std::uint32_t* totals = nullptr;  // by term: postings so far
};

// The kernels of the inverter of texts. Asynchronous; the caller makes sure that all arrays are large enough. Where the
// host does not know a count yet, `bound` is the most that it may be. Errors: kDevice.
// Finds the entries of the batch: starts, counts->entries. Sets all counts before.
Result<void> cut_text(const TextBatch& batch, const KernelPlace& place);
// Finds the tokens of entries, adds those that are not in the dictionary, and tells them, and the host's chunks.
Result<void> find_tokens(const TextBatch& batch, const TokenDictionary& dictionary, const KernelPlace& place);

// From here on the host knows the number of entries, and has answered.
// How many pairs each entry has, counts->pairs, and the lengths of pieces.
Result<void> count_pairs(const TextBatch& batch, const TokenDictionary& dictionary, std::uint32_t entries,
                         const KernelPlace& place);
// After it: pairs in text order.
Result<void> fill_pairs(const TextBatch& batch, const TokenDictionary& dictionary, std::uint32_t entries,
                        const TermPairs& pairs, const KernelPlace& place);

// Pairs sorted by term, in text order among those of one term. Terms are less than 2^bits. Uses both arrays; returns
// the one that has the result.
Result<TermPairs> sort_pairs(const TermPairs& pairs, const TermPairs& other, std::uint32_t count, int bits,
                             const KernelPlace& place);
// Appends the postings of sorted pairs to the store, of which so many parts are used. `places`: memory of a u64 and
// `heads` of a u32 for each pair and one more. counts->postings, counts->segments.
Result<void> make_postings(const TextBatch& batch, const TermPairs& pairs, std::uint32_t count, std::uint64_t* places,
                           std::uint32_t* heads, const PostingStore& store, std::uint32_t used_postings,
                           std::uint32_t used_segments, const KernelPlace& place);

// Segments [first, first + count) of the store came with their postings from another device, where these began at 0 in
// place of `postings`: they follow those of before.
Result<void> adopt_segments(const PostingStore& store, std::uint32_t first, std::uint32_t count, std::uint32_t postings,
                            const KernelPlace& place);

// Of the postings of a run in the order of terms, those at [begin, end) to numbers and frequencies. offsets: by term,
// where its postings begin.
Result<void> gather_postings(const PostingStore& store, std::uint32_t segments, const std::uint32_t* offsets,
                             std::uint32_t begin, std::uint32_t end, std::uint32_t* numbers, std::uint32_t* frequencies,
                             const KernelPlace& place);

// Bytes of temporary memory for texts of so many bytes.
Result<std::size_t> kernel_space(std::uint32_t text_bytes);

}  // namespace frond::indexer::invert::gpu
