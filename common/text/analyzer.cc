#include "common/text/analyzer.h"

#include <libstemmer.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "common/base/check.h"
#include "common/text/normal_form.h"
#include "common/text/porter.h"
#include "common/text/stop_words.h"
#include "common/text/utf8.h"

namespace frond::text {
namespace {

// The word without a final 's, in any case and with any apostrophe.
std::string_view without_possessive(std::string_view token) {
  if (token.size() < 3 || (token.back() != 's' && token.back() != 'S')) return token;
  const std::string_view rest = token.substr(0, token.size() - 1);
  for (const std::string_view apostrophe : {"'", "\xe2\x80\x99", "\xef\xbc\x87"})
    if (rest.ends_with(apostrophe) && rest.size() > apostrophe.size())
      return rest.substr(0, rest.size() - apostrophe.size());
  return token;
}

// Marks of standard2: characters that need more rules than letters and digits do. kJoiner and kDot are of standard3;
// kDot may be any character with a byte of the middle dot.
constexpr unsigned kApostrophe = 1, kComma = 2, kSymbol = 4, kJoiner = 8, kDot = 16;
constexpr unsigned kMarks2 = kApostrophe | kComma | kSymbol, kMarks3 = kMarks2 | kJoiner | kDot;
constexpr std::string_view kMiddleDot = "\xc2\xb7", kDotlessI = "\xc4\xb1", kDotAbove = "\xcc\x87";
// The low byte: the small letter; the high one: its mark.
constexpr auto kLowerAndMarks = [] {
  std::array<std::uint16_t, 256> table{};
  for (std::size_t c = 0; c < 256; ++c) table[c] = static_cast<std::uint16_t>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  table['\''] |= kApostrophe << 8;
  table[','] |= kComma << 8;
  for (const unsigned char c : {'.', '@', '&', '+', '#'}) table[c] |= kSymbol << 8;
  for (const unsigned char c : {':', '_'}) table[c] |= kJoiner << 8;
  table[static_cast<unsigned char>(kMiddleDot.back())] |= kDot << 8;
  return table;
}();

bool is_all_ascii(std::string_view text) {
  unsigned char all = 0;
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return all < 0x80;
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

// The same symbol however it is to look: without variation selectors and joiners.
void put_symbol(std::string_view token, std::string& word) {
  word.clear();
  for (std::size_t at = 0; at < token.size();) {
    const CodePoint c = decode_utf8(token, at);
    at += c.bytes;
    if ((c.value < 0xfe00 || c.value > 0xfe0f) && c.value != 0x200d) append_utf8(c.value, word);
  }
}

bool is_version(std::string_view word) {
  return word.size() > 2 && word[0] == 'v' && is_ascii_digit(word[1]) && word.find('.') != std::string_view::npos;
}

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
  std::unique_ptr<TermCache> cache;                     // with a stemmer only; may be null
  bool standard3 = false;
  bool turkish = false;            // standard3: what is behind an apostrophe is left out
  bool keeps_dotless = false;      // and I is the capital of the i without a dot, until words are stemmed
  unsigned known_marks = kMarks2;  // of the analyzer
  CutForm cut_form;                // standard3 only
  std::string turkish_form;        // scratch
  NormalForm normal_form{false};   // not of standard
  StopWordSet stop_words;
  std::string word;                                  // scratch: the token in one case
  std::array<char, 2 * kMaxTokenBytes> porter_word;  // scratch: the word that is stemmed

  std::string_view without_marks(unsigned marks);
  std::string_view compared(std::string_view token);
  void lower(std::string_view token);
  unsigned unify(std::string_view token);
  std::string_view stem(std::string_view of);
  std::string_view stem_or_drop(std::string_view of);
  std::string_view term_of_word(std::string_view of);
  std::string_view term_of_marked(unsigned marks);
  std::string_view with_dotted(std::string_view term);
};

// At most kMaxTokenBytes: a few letters are longer in lower case.
void Analyzer::State::lower(std::string_view token) {
  word.resize(token.size());
  unsigned char high = 0;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const auto byte = static_cast<unsigned char>(token[i]);
    high |= byte;
    word[i] = static_cast<char>(kLowerAndMarks[byte]);
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

// Puts the token into `word`: ASCII in lower case, other text in its normal form. Returns the marks in it.
unsigned Analyzer::State::unify(std::string_view token) {
  word.resize(token.size());
  unsigned char high = 0;
  unsigned all = 0;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const auto byte = static_cast<unsigned char>(token[i]);
    high |= byte;
    all |= kLowerAndMarks[byte];
    word[i] = static_cast<char>(kLowerAndMarks[byte]);
  }
  const bool has_dotless = keeps_dotless && token.find('I') != std::string_view::npos;
  if (high < 0x80 && !has_dotless) return all >> 8 & known_marks;
  if (standard3 && begins_with_symbol(token)) {
    put_symbol(token, word);
    return 0;
  }
  if (has_dotless) {
    turkish_form = token;
    replace_all(turkish_form, std::string("I").append(kDotAbove), "i");
    replace_all(turkish_form, "I", kDotlessI);
    token = turkish_form;
  }
  normal_form.apply(token, word);
  all = 0;
  for (const char c : word) all |= kLowerAndMarks[static_cast<unsigned char>(c)];
  return all >> 8 & known_marks;
}

std::string_view Analyzer::State::stem(std::string_view of) {
  if (config.stemmer == Stemmer::kPorter && of.size() < porter_word.size() && is_all_ascii(of)) {
    std::memcpy(porter_word.data(), of.data(), of.size());
    const std::size_t size = porter_stem(porter_word.data(), of.size());
    return size == 0 ? of : std::string_view(porter_word.data(), size);
  }
  const sb_symbol* stemmed =
      sb_stemmer_stem(stemmer.get(), reinterpret_cast<const sb_symbol*>(of.data()), static_cast<int>(of.size()));
  if (!stemmed) return of;  // out of memory inside the library
  const int bytes = sb_stemmer_length(stemmer.get());
  if (bytes <= 0) return of;
  return {reinterpret_cast<const char*>(stemmed), static_cast<std::size_t>(bytes)};
}

std::string_view Analyzer::State::stem_or_drop(std::string_view of) {
  if (stop_words.contains(of)) return {};
  return stemmer ? stem(of) : of;
}

// The term of a word in one case; empty for a stop word.
std::string_view Analyzer::State::term_of_word(std::string_view of) {
  if (of.empty() || !cache || of.size() > TermCache::kMaxWord) return stem_or_drop(of);
  TermCache::Entry& entry = cache->slot(of);
  if (entry.the_word() == of) return entry.the_term();
  const std::string_view term = stem_or_drop(of);
  TermCache::fill(entry, of, term);
  return term;
}

// `word` without what is left out of words with these marks.
std::string_view Analyzer::State::without_marks(unsigned marks) {
  if (turkish && (marks & kApostrophe) != 0 && word.find('\'') > 0) word.resize(word.find('\''));
  if ((marks & kDot) != 0) replace_all(word, "l\xc2\xb7l", "ll");
  std::string_view of = word;
  if ((marks & kApostrophe) != 0) of = without_apostrophes(word);
  if ((marks & kComma) != 0) of = without_thousands_commas(word);
  return of;
}

// Of a word with marks. Words of several parts (node.js, C++) are not stemmed.
std::string_view Analyzer::State::term_of_marked(unsigned marks) {
  std::string_view of = without_marks(marks);
  if ((marks & kDot) != 0 && of.find(kMiddleDot) == std::string_view::npos) marks &= ~kDot;
  if ((marks & (kSymbol | kJoiner | kDot)) == 0) return term_of_word(of);
  if (standard3 && are_initials(of)) {
    word.erase(0, static_cast<std::size_t>(of.data() - word.data()));
    std::erase(word, '.');
    return stemmer ? stem(word) : std::string_view(word);
  }
  if (standard3 && is_version(of)) of.remove_prefix(1);
  return stop_words.contains(of) ? std::string_view() : of;
}

std::string_view Analyzer::State::with_dotted(std::string_view term) {
  if (term.find(kDotlessI) == std::string_view::npos) return term;
  turkish_form = term;
  replace_all(turkish_form, kDotlessI, "i");
  return turkish_form;
}

// The token as it is compared with stop words.
std::string_view Analyzer::State::compared(std::string_view token) {
  if (config.kind != AnalyzerKind::kStandard) return without_marks(unify(token));
  lower(stemmer ? without_possessive(token) : token);
  return word;
}

Analyzer::Analyzer(const AnalyzerConfig& config, int cache_bits) : state_(std::make_unique<State>()) {
  FROND_CHECK(is_valid(config));
  state_->config = config;
  state_->standard3 = config.kind == AnalyzerKind::kStandard3;
  state_->turkish = state_->standard3 && config.stemmer == Stemmer::kTurkish;
  state_->keeps_dotless = state_->turkish && !config.fold_accents;
  if (state_->standard3) state_->known_marks = kMarks3;
  state_->normal_form = NormalForm(config.fold_accents, state_->standard3 && !state_->keeps_dotless);
  state_->word.reserve(2 * kMaxTokenBytes);
  if (config.stemmer != Stemmer::kNone) {
    const std::string name(name_of(config.stemmer));
    state_->stemmer.reset(sb_stemmer_new(name.c_str(), "UTF_8"));
    FROND_CHECK(state_->stemmer != nullptr);  // Debian's libstemmer has all of them
    if (cache_bits > 0) state_->cache = std::make_unique<TermCache>(cache_bits);
  }
  std::vector<std::string> compared;
  for (const std::string& word : config.stop_words.words())
    if (const std::string_view form = state_->compared(word); !form.empty()) compared.emplace_back(form);
  state_->stop_words = StopWordSet(std::move(compared));
}
Analyzer::~Analyzer() = default;

const AnalyzerConfig& Analyzer::config() const { return state_->config; }

std::string_view Analyzer::term_of(std::string_view token) {
  State& s = *state_;
  if (s.config.kind != AnalyzerKind::kStandard) {
    const unsigned marks = s.unify(token);
    const std::string_view term = marks == 0 ? s.term_of_word(s.word) : s.term_of_marked(marks);
    return s.keeps_dotless ? s.with_dotted(term) : term;
  }
  if (s.stemmer) token = without_possessive(token);
  s.lower(token);
  return s.term_of_word(s.word);
}

CutForm& Analyzer::cut_form() { return state_->cut_form; }

std::vector<std::string> Analyzer::terms(std::string_view text) {
  std::vector<std::string> all;
  analyze(text, [&](std::string_view term, TokenSpan) { all.emplace_back(term); });
  return all;
}

std::vector<std::string> Analyzer::query_terms(std::string_view text) {
  if (state_->config.kind == AnalyzerKind::kStandard) return terms(text);
  std::vector<std::string> all;
  const std::string_view form = state_->standard3 ? cut_form().of(text) : text;
  for_each_span(
      form,
      [&](TokenSpan where, bool main) {
        if (!main) return;
        const std::string_view term = term_of(form.substr(where.begin, where.end - where.begin));
        if (!term.empty()) all.emplace_back(term);
      },
      span_rules(state_->config));
  return all;
}

std::string described(const AnalyzerConfig& config) {
  return "analyzer " + std::string(name_of(config.kind)) + ", stemmer " + std::string(name_of(config.stemmer)) +
         ", stop words " + std::string(config.stop_words.name()) + (config.fold_accents ? ", accents folded" : "") +
         (config.split_case ? ", split at capitals" : "");
}

}  // namespace frond::text
