#include "indexer/invert/gpu/text/text_terms.h"

#include <algorithm>
#include <bit>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "common/base/check.h"
#include "common/text/token_cutter.h"
#include "common/text/word_class.h"

namespace frond::indexer::invert::gpu {
namespace {

constexpr std::size_t kFirstSlots = 1 << 12;
constexpr int kTokenBits = 16;

std::uint64_t first_eight(std::string_view term) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, term.data(), std::min<std::size_t>(term.size(), 8));
  return __builtin_bswap64(bytes);
}

}  // namespace

TextTerms::TextTerms(const text::AnalyzerConfig& analyzer)
    : analyzer_(analyzer),
      standard2_(analyzer.kind == text::AnalyzerKind::kStandard2),
      ends_words_(256),
      tokens_(kTokenBits) {
  for (std::size_t byte = 0; byte < 128; ++byte) {
    const bool joins = standard2_ && (byte == '@' || byte == '&' || byte == '+' || byte == '#');
    ends_words_[byte] = text::kAsciiWordClass[byte] == text::WordClass::kBreak && !joins;
  }
  clear();
}

void TextTerms::clear() {
  slots_.assign(kFirstSlots, {});
  slots_.shrink_to_fit();
  begins_.assign(1, 0);
  begins_.shrink_to_fit();
  bytes_ = {};
  tokens_ = parse::TokenTable(kTokenBits);
}

std::uint64_t TextTerms::memory_bytes() const {
  return slots_.size() * sizeof(Slot) + begins_.capacity() * sizeof begins_[0] + bytes_.capacity();
}

void TextTerms::grow() {
  std::vector<Slot> larger(slots_.size() * 2);
  const std::size_t mask = larger.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.term_plus_1 == 0) continue;
    std::size_t at = slot.hash & mask;
    while (larger[at].term_plus_1 != 0) at = (at + 1) & mask;
    larger[at] = slot;
  }
  slots_.swap(larger);
}

std::uint32_t TextTerms::number_of(std::string_view of) {
  const auto hash = static_cast<std::uint32_t>(XXH3_64bits(of.data(), of.size()));
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; slots_[at].term_plus_1 != 0; at = (at + 1) & mask)
    if (slots_[at].hash == hash && term(slots_[at].term_plus_1 - 1) == of) return slots_[at].term_plus_1 - 1;
  const std::uint32_t number = size();
  FROND_CHECK(number < kChunkBit);
  bytes_.insert(bytes_.end(), of.begin(), of.end());
  begins_.push_back(bytes_.size());
  slots_[at] = {hash, number + 1};
  if (std::size_t{number} * 3 > slots_.size() * 2) grow();
  return number;
}

std::uint32_t TextTerms::term_of(std::string_view token) {
  const std::string_view found = analyzer_.term_of(token);
  return found.empty() ? kDroppedTerm : number_of(found);
}

std::uint32_t TextTerms::term_of(const TokenKey& key) {
  char bytes[kKeyBytes];
  std::memcpy(bytes, &key, kKeyBytes);
  return term_of(std::string_view(bytes, ::strnlen(bytes, kKeyBytes)));
}

void TextTerms::cut(std::string_view text, const HostChunk& chunk, std::vector<std::uint32_t>& terms) {
  if (chunk.token != 0) {
    const text::TokenSpan token = text::next_token(text, chunk.begin);
    if (const std::uint32_t term = term_of(text.substr(token.begin, token.end - token.begin)); term != kDroppedTerm)
      terms.push_back(term);
    return;
  }
  std::size_t end = chunk.begin;
  while (end < text.size() && !ends_words(text[end])) ++end;
  // What is before the chunk's first dot matters to standard2 (".NET").
  const std::size_t begin = chunk.begin - (chunk.begin > 0 ? 1 : 0);
  cut_all(text.substr(begin, end - begin), terms);
}

void TextTerms::cut_all(std::string_view text, std::vector<std::uint32_t>& terms) {
  static_assert(parse::TokenTable::kStopWord == kDroppedTerm);
  const auto take = [&](text::TokenSpan token) {
    const parse::SoughtToken sought = tokens_.seek(text, token);
    std::optional<parse::TermId> term = tokens_.find(sought);
    if (!term) {
      term = term_of(text.substr(token.begin, token.end - token.begin));
      tokens_.add(sought, *term);
    }
    if (*term != kDroppedTerm) terms.push_back(*term);
  };
  if (standard2_)
    text::for_each_span(text, [&](text::TokenSpan token, bool) { take(token); });
  else
    text::for_each_token(text, take);
}

std::vector<std::uint32_t> TextTerms::in_order(std::span<const std::uint32_t> totals) const {
  struct Key {
    std::uint64_t bytes;
    std::uint32_t number;
  };
  std::vector<Key> keys;
  for (std::uint32_t number = 0; number < totals.size(); ++number)
    if (totals[number] != 0) keys.push_back({first_eight(term(number)), number});
  std::sort(keys.begin(), keys.end(), [this](const Key& a, const Key& b) {
    return a.bytes != b.bytes ? a.bytes < b.bytes : term(a.number) < term(b.number);
  });
  std::vector<std::uint32_t> numbers;
  numbers.reserve(keys.size());
  for (const Key& key : keys) numbers.push_back(key.number);
  return numbers;
}

}  // namespace frond::indexer::invert::gpu
