#include "common/text/analyzer.h"

#include <libstemmer.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "common/base/check.h"
#include "common/text/utf8.h"

namespace frond::text {
namespace {

// Lucene's English stop words.
constexpr std::string_view kStopWords[] = {"a",    "an",   "as",   "at",    "be",    "by",   "if",   "in",   "is",
                                           "it",   "no",   "of",   "on",    "or",    "to",   "and",  "are",  "but",
                                           "for",  "not",  "the",  "was",   "into",  "such", "that", "then", "they",
                                           "this", "will", "with", "their", "there", "these"};
static_assert(std::size(kStopWords) == 33);

// For each first letter, the lengths of its stop words, which rules most words out.
constexpr std::array<std::uint8_t, 256> stop_word_lengths() {
  std::array<std::uint8_t, 256> lengths{};
  for (const std::string_view word : kStopWords) lengths[static_cast<unsigned char>(word[0])] |= 1u << word.size();
  return lengths;
}
constexpr std::array<std::uint8_t, 256> kStopWordLengths = stop_word_lengths();

bool is_stop_word(std::string_view word) {
  if (word.empty() || word.size() > 5) return false;
  if (!(kStopWordLengths[static_cast<unsigned char>(word[0])] >> word.size() & 1)) return false;
  return std::ranges::find(kStopWords, word) != std::end(kStopWords);
}

// The word without a final 's, in any case and with any apostrophe.
std::string_view without_possessive(std::string_view token) {
  if (token.size() < 3 || (token.back() != 's' && token.back() != 'S')) return token;
  const std::string_view rest = token.substr(0, token.size() - 1);
  for (const std::string_view apostrophe : {"'", "\xe2\x80\x99", "\xef\xbc\x87"})
    if (rest.ends_with(apostrophe) && rest.size() > apostrophe.size())
      return rest.substr(0, rest.size() - apostrophe.size());
  return token;
}

constexpr std::array<char, 256> lower_table() {
  std::array<char, 256> table{};
  for (int c = 0; c < 256; ++c) table[c] = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return table;
}
constexpr std::array<char, 256> kLower = lower_table();

struct StemmerDeleter {
  void operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }
};

// A cache of the terms of common words: direct-mapped, a cache line an entry. With 2 MiB nine words in ten of Wikipedia
// are found in it, which more than doubles the speed (35 to 80 MB/s).
class TermCache {
 public:
  static constexpr std::size_t kMaxWord = 31;
  explicit TermCache(int bits) : bits_(bits), entries_(std::size_t{1} << bits) {}
  struct alignas(64) Entry {
    std::uint8_t word_bytes = 0;  // 0: the entry is free
    std::uint8_t term_bytes = 0;  // 0: a stop word
    char word[kMaxWord] = {};
    char term[kMaxWord] = {};
    std::string_view the_word() const { return {word, word_bytes}; }
    std::string_view the_term() const { return {term, term_bytes}; }
  };
  static_assert(sizeof(Entry) == 64);

  // Where `word` (1..kMaxWord bytes) is, or would be put.
  Entry& slot(std::string_view word) {
    std::uint64_t head = 0, tail = 0;
    const std::size_t part = std::min<std::size_t>(word.size(), 8);
    std::memcpy(&head, word.data(), part);
    std::memcpy(&tail, word.data() + word.size() - part, part);
    std::uint64_t hash = (head ^ word.size()) * 0x9e3779b97f4a7c15;
    hash = ((hash ^ hash >> 29) + tail) * 0xbf58476d1ce4e5b9;
    if (word.size() > 16) {
      std::memcpy(&head, word.data() + 8, 8);
      hash = (hash ^ hash >> 31 ^ head) * 0x94d049bb133111eb;
    }
    return entries_[hash >> (64 - bits_)];
  }
  static void fill(Entry& entry, std::string_view word, std::string_view term) {
    if (term.size() > kMaxWord) return;
    entry.word_bytes = static_cast<std::uint8_t>(word.size());
    entry.term_bytes = static_cast<std::uint8_t>(term.size());
    std::memcpy(entry.word, word.data(), word.size());
    if (!term.empty()) std::memcpy(entry.term, term.data(), term.size());
  }

 private:
  int bits_;
  std::vector<Entry> entries_;
};

}  // namespace

struct Analyzer::State {
  AnalyzerConfig config;
  std::unique_ptr<sb_stemmer, StemmerDeleter> stemmer;  // none: words stay as they are
  std::unique_ptr<TermCache> cache;                     // with a stemmer only
  std::string word;                                     // scratch: the lower-cased token

  void lower(std::string_view token);
  std::string_view stem();
};

// At most kMaxTokenBytes: a few letters are longer in lower case.
void Analyzer::State::lower(std::string_view token) {
  word.resize(token.size());
  unsigned char high = 0;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const auto byte = static_cast<unsigned char>(token[i]);
    high |= byte;
    word[i] = kLower[byte];
  }
  if (high < 0x80) return;
  word.clear();
  for (std::size_t at = 0; at < token.size();) {
    const CodePoint c = decode_utf8(token, at);
    at += c.bytes;
    if (c.value == kNoCodePoint) continue;  // a caller's own bytes: next_token() gives none
    const std::size_t before = word.size();
    append_utf8(static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c.value))), word);
    if (word.size() > kMaxTokenBytes) {
      word.resize(before);
      return;
    }
  }
}

std::string_view Analyzer::State::stem() {
  const sb_symbol* stemmed =
      sb_stemmer_stem(stemmer.get(), reinterpret_cast<const sb_symbol*>(word.data()), static_cast<int>(word.size()));
  if (!stemmed) return word;  // out of memory inside the library
  const int bytes = sb_stemmer_length(stemmer.get());
  if (bytes <= 0) return word;
  return {reinterpret_cast<const char*>(stemmed), static_cast<std::size_t>(bytes)};
}

Analyzer::Analyzer(const AnalyzerConfig& config, int cache_bits) : state_(std::make_unique<State>()) {
  state_->config = config;
  state_->word.reserve(2 * kMaxTokenBytes);
  if (config.stemmer == Stemmer::kNone) return;
  const std::string name(name_of(config.stemmer));
  state_->stemmer.reset(sb_stemmer_new(name.c_str(), "UTF_8"));
  FROND_CHECK(state_->stemmer != nullptr);  // every libstemmer has both
  state_->cache = std::make_unique<TermCache>(cache_bits);
}
Analyzer::~Analyzer() = default;

const AnalyzerConfig& Analyzer::config() const { return state_->config; }

std::string_view Analyzer::term_of(std::string_view token) {
  State& s = *state_;
  if (!s.stemmer) {
    s.lower(token);
    return s.config.stop_words && is_stop_word(s.word) ? std::string_view() : s.word;
  }
  s.lower(without_possessive(token));
  if (s.word.empty() || s.word.size() > TermCache::kMaxWord) return s.word.empty() ? std::string_view() : s.stem();
  TermCache::Entry& entry = s.cache->slot(s.word);
  if (entry.the_word() == s.word) return entry.the_term();
  const std::string_view term = s.config.stop_words && is_stop_word(s.word) ? std::string_view() : s.stem();
  TermCache::fill(entry, s.word, term);
  return term;
}

std::vector<std::string> Analyzer::terms(std::string_view text) {
  std::vector<std::string> all;
  analyze(text, [&](std::string_view term, TokenSpan) { all.emplace_back(term); });
  return all;
}

}  // namespace frond::text
