#pragma once
// What the device knows of words: the tokens of ASCII text, as common/text/token_cutter.h finds them one after the
// other, by rules that look at a place and its neighbourhood only. What they do not cover is told apart by chunk: bytes
// between two that end every word and joiner, so that a chunk's tokens depend on nothing else (tests compare).
//
// The host's are: chunks with a byte >= 0x80 or of more than kMaxChunkBytes, tokens of more than kKeyBytes, and with
// the rules of standard2 (term_spans.h) chunks with a dot before a letter or digit, or one of @ & + #; of standard3
// also chunks with an underscore, a colon before a letter or digit, or an apostrophe before letters that are no English
// ending, with the splitting of camelCase with a capital behind another letter or digit, and of Turkish with an I, of
// which the small letter is none of ASCII.
#include "common/device/warp.cuh"
#include "indexer/invert/gpu/text/device/kernels.h"

namespace frond::indexer::invert::gpu {

// Classes of bytes, after unicode.h. 0: ends every word.
inline constexpr std::uint32_t kLetter = 1, kDigit = 2, kUnderscore = 4, kBetweenLetters = 8, kBetweenDigits = 16,
                               kJoiner = 32, kHigh = 64;
inline constexpr std::uint32_t kWord = kLetter | kDigit | kUnderscore;

__device__ inline std::uint32_t class_of(std::uint32_t byte, std::uint32_t rules) {
  if ((byte | 0x20) - 'a' < 26) return kLetter;
  if (byte - '0' < 10) return kDigit;
  if (byte >= 0x80) return kHigh;
  if (byte == '.' || byte == '\'') return kBetweenLetters | kBetweenDigits;
  if (byte == '_') return kUnderscore;
  if (byte == ':') return kBetweenLetters;
  if (byte == ',' || byte == ';') return kBetweenDigits;
  if (rules != 0 && (byte == '@' || byte == '&' || byte == '+' || byte == '#')) return kJoiner;
  return 0;
}

// Whether a byte belongs to a word, by its class and those of its neighbours.
__device__ inline bool is_inside(std::uint32_t before, std::uint32_t here, std::uint32_t after) {
  if ((here & kWord) != 0) return true;
  return ((here & kBetweenLetters) != 0 && (before & after & kLetter) != 0) ||
         ((here & kBetweenDigits) != 0 && (before & after & kDigit) != 0);
}

// Whether an entry begins at a byte: a chunk, or a word in it. Classes of the two bytes before, of it.
__device__ inline bool is_entry(std::uint32_t second_before, std::uint32_t before, std::uint32_t here) {
  if (here == 0) return false;
  return before == 0 || ((here & kWord) != 0 && !is_inside(second_before, before, here));
}

// Whether a chunk is the host's because of the byte at a place and the one before it, `here` being its class.
__device__ inline bool is_of_host(const std::uint8_t* text, std::uint32_t at, std::uint32_t here, std::uint32_t rules) {
  if ((here & (kHigh | kJoiner)) != 0) return true;
  if (rules == 0 || (here & kWord) == 0) return false;
  const std::uint32_t byte = text[at], before = text[std::int64_t{at} - 1];
  if (before == '.') return true;
  if ((rules & kStandard3Rules) == 0) return false;
  if (here == kUnderscore || before == ':') return true;
  if (before == '\'' && here == kLetter) {  // 's, 't, 'd and 'm are the device's
    const std::uint32_t lower = byte | 0x20;
    const bool is_ending = lower == 's' || lower == 't' || lower == 'd' || lower == 'm';
    return !is_ending || (class_of(text[at + 1], rules) & (kLetter | kHigh)) != 0;
  }
  if ((rules & kTurkishRules) != 0 && byte == 'I') return true;
  return (rules & kSplitCaseRules) != 0 && byte - 'A' < 26 && (class_of(before, rules) & (kLetter | kDigit)) != 0;
}

struct Chunk {
  std::uint32_t begin, end;
  bool is_host;  // begin and end may be wrong
};

// The chunk around `at`, which is in it. The same for all places of a chunk, but for its begin and end if it is the
// host's. Bytes around the text are zeros.
__device__ inline Chunk chunk_around(const std::uint8_t* text, std::uint32_t at, std::uint32_t rules) {
  Chunk chunk{at, at, false};
  // Runs of the loops differ in a warp; most chunks are words with a comma or a full stop.
  for (;; ++chunk.end) {
    const std::uint32_t here = class_of(text[chunk.end], rules);
    if (here == 0) break;
    chunk.is_host |= is_of_host(text, chunk.end, here, rules);
    if (chunk.is_host || chunk.end - at >= kMaxChunkBytes) return {at, chunk.end, true};
  }
  for (;; --chunk.begin) {
    const std::uint32_t before = class_of(text[std::int64_t{chunk.begin} - 1], rules);
    if (before == 0) break;
    chunk.is_host |= is_of_host(text, chunk.begin - 1, before, rules);
    if (chunk.is_host || chunk.end - chunk.begin >= kMaxChunkBytes) return {chunk.begin, chunk.end, true};
  }
  chunk.is_host = chunk.end - chunk.begin > kMaxChunkBytes;
  return chunk;
}

// The word that begins at an entry of a chunk that is the device's.
struct Word {
  TokenKey key;
  std::uint32_t bytes;  // 0: no word; more than kKeyBytes: the host's, and the key is not whole
};
__device__ inline Word word_at(const std::uint8_t* text, std::uint32_t begin, std::uint32_t end) {
  Word word{{{0, 0, 0}}, 0};
  std::uint32_t before = 0, here = class_of(text[begin], 0), any = 0;
  std::uint32_t at = begin;
  while (at < end) {
    const std::uint32_t after = at + 1 < end ? class_of(text[at + 1], 0) : 0;
    if (!is_inside(before, here, after)) break;
    any |= here;
    if (at - begin < kKeyBytes) {
      const std::uint32_t byte = text[at];
      const std::uint64_t lower = here == kLetter ? byte | 0x20 : byte;
      word.key.words[(at - begin) / 8] |= lower << (at - begin) % 8 * 8;
    }
    ++at;
    before = here;
    here = after;
  }
  if ((any & (kLetter | kDigit)) != 0) word.bytes = at - begin;  // underscores alone are none
  return word;
}

// The key of the host's chunk that begins at a place. False: it is longer than a key.
__device__ inline bool chunk_key_at(const std::uint8_t* text, std::uint32_t begin, std::uint32_t rules, TokenKey& key) {
  key = {{0, 0, 0}};
  std::uint32_t bytes = 0;
  for (; class_of(text[begin + bytes], rules) != 0; ++bytes) {
    if (bytes == kChunkKeyBytes) return false;
    key.words[bytes / 8] |= std::uint64_t{text[begin + bytes]} << bytes % 8 * 8;
  }
  key.words[2] |= std::uint64_t{text[std::int64_t{begin} - 1]} << kByteBeforeChunk % 8 * 8 | std::uint64_t{kChunkMark}
                                                                                                 << 56;
  return true;
}

__device__ inline std::uint32_t hash_of(const TokenKey& key) {
  std::uint64_t hash =
      key.words[0] * 0x9e3779b97f4a7c15 + (key.words[1] ^ key.words[2] * 0xbf58476d1ce4e5b9) * 0x94d049bb133111eb;
  hash ^= hash >> 32;
  return static_cast<std::uint32_t>(hash * 0x9e3779b97f4a7c15 >> 32);
}

}  // namespace frond::indexer::invert::gpu
