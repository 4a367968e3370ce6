#include "indexer/invert/gpu/text/terms/text_terms.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "common/text/token_cutter.h"
#include "common/text/unicode.h"

namespace frond::indexer::invert::gpu {
namespace {

// Fewer of them take less time than beginning a thread.
constexpr std::size_t kKeysOfAThread = 512, kChunksOfAThread = 256;
constexpr std::size_t kKeysAtATime = std::size_t{1} << 19;  // what is kept of them takes up to 48 bytes each
constexpr std::size_t kLookupsAhead = 16;                   // whose places are fetched into the caches
constexpr std::size_t kChunksAhead = 8;                     // whose texts are fetched into the caches

}  // namespace

std::uint32_t rules_on_device(const text::AnalyzerConfig& analyzer) {
  if (analyzer.kind == text::AnalyzerKind::kStandard) return 0;
  if (analyzer.kind == text::AnalyzerKind::kStandard2) return kSpanRules;
  return kSpanRules | kStandard3Rules | (analyzer.split_case ? kSplitCaseRules : 0) |
         (analyzer.stemmer == text::Stemmer::kTurkish ? kTurkishRules : 0);
}

TextTerms::TextTerms(const text::AnalyzerConfig& analyzer, std::uint32_t threads)
    : has_spans_(analyzer.kind != text::AnalyzerKind::kStandard),
      rules_(text::span_rules(analyzer)),
      ends_words_(256),
      crew_(threads) {
  for (std::size_t byte = 0; byte < 128; ++byte) {
    const bool joins = has_spans_ && (byte == '@' || byte == '&' || byte == '+' || byte == '#');
    ends_words_[byte] = text::kAsciiWordClass[byte] == text::WordClass::kBreak && !joins;
  }
  for (std::uint32_t i = 0; i < std::max(1u, threads); ++i) workers_.push_back(std::make_unique<Worker>(analyzer));
}

void TextTerms::clear() {
  numbers_.clear();
  for (const auto& worker : workers_) worker->tokens = parse::TokenTable(kTokenBits);
}

std::uint32_t TextTerms::term_of(Worker& worker, std::string_view token) {
  const std::string_view found = worker.analyzer.term_of(token);
  return found.empty() ? kDroppedTerm : numbers_.number_of(found);
}

// Terms of all keys are made first, and then their numbers are found, by group of hashes: no two threads want the same
// shard of numbers.
void TextTerms::find(std::span<const TokenKey> keys, std::vector<std::uint32_t>& terms) {
  terms.resize(keys.size());
  for (std::size_t at = 0; at < keys.size(); at += kKeysAtATime) {
    const auto some = keys.subspan(at, std::min(kKeysAtATime, keys.size() - at));
    const std::uint32_t parts = crew_.small_parts_of(some.size(), kKeysOfAThread);
    for (const auto& worker : workers_) worker->begin(parts);
    crew_.by_threads(some.size(), parts, [&](std::uint32_t thread, std::uint32_t, std::size_t begin, std::size_t end) {
      make_terms(*workers_[thread], some, begin, end, parts, terms.data() + at);
    });
    crew_.in_parts(parts, parts, [&](std::uint32_t group, std::size_t, std::size_t) {
      for (const auto& worker : workers_) find_numbers(*worker, group, terms.data() + at);
    });
  }
}

// groups: of hashes. Chunks are answered at once.
void TextTerms::make_terms(Worker& worker, std::span<const TokenKey> keys, std::size_t begin, std::size_t end,
                           std::uint32_t groups, std::uint32_t* answers) {
  for (std::size_t i = begin; i < end; ++i) {
    if (is_chunk(keys[i])) {
      answers[i] = term_of_chunk(worker, keys[i]);
      continue;
    }
    const auto* const bytes = reinterpret_cast<const char*>(&keys[i]);
    const std::string_view found = worker.uncached.term_of({bytes, ::strnlen(bytes, kKeyBytes)});
    answers[i] = kDroppedTerm;
    if (found.empty()) continue;
    const std::uint64_t hash = TermNumbers::hash_of(found);
    worker.lookups[TermNumbers::group_of(hash, groups)].push_back({hash, static_cast<std::uint32_t>(i),
                                                                   static_cast<std::uint32_t>(worker.text.size()),
                                                                   static_cast<std::uint32_t>(found.size())});
    worker.text.append(found);
  }
}

// Of what a worker made, in a group of hashes. While one is looked for, the places of the next ones come to the caches.
void TextTerms::find_numbers(const Worker& worker, std::uint32_t group, std::uint32_t* answers) {
  const std::vector<NewLookup>& all = worker.lookups[group];
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i + kLookupsAhead < all.size()) numbers_.fetch_slot(all[i + kLookupsAhead].hash);
    const std::string_view term = std::string_view(worker.text).substr(all[i].begin, all[i].size);
    answers[all[i].key] = numbers_.number_of(term, all[i].hash);
  }
}

std::uint32_t TextTerms::term_of_chunk(Worker& worker, const TokenKey& key) {
  const auto* const bytes = reinterpret_cast<const char*>(&key);
  std::array<char, 1 + kChunkKeyBytes> text{bytes[kByteBeforeChunk]};
  const std::size_t size = ::strnlen(bytes, kChunkKeyBytes);
  std::copy_n(bytes, size, text.begin() + 1);
  worker.terms.clear();
  cut_all(worker, {text.data(), 1 + size}, worker.terms);
  return worker.terms.empty() ? kDroppedTerm : worker.terms.size() == 1 ? worker.terms[0] : kHostTerm;
}

void TextTerms::cut(const TextPieces& batch, std::span<const HostChunk> chunks, std::vector<std::uint32_t>& places,
                    std::vector<std::uint32_t>& terms) {
  places.resize(chunks.size() + 1);
  const std::uint32_t parts = crew_.small_parts_of(chunks.size(), kChunksOfAThread);
  std::vector<std::vector<std::uint32_t>> found(parts);
  crew_.by_threads(
      chunks.size(), parts, [&](std::uint32_t thread, std::uint32_t part, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          const TextPieces::Together some = batch.around(chunks[i].begin);
          if (i + kChunksAhead < end) {
            const std::uint32_t ahead = chunks[i + kChunksAhead].begin;
            const TextPieces::Together there = batch.around(ahead);
            __builtin_prefetch(there.text.data() + (ahead - there.begin));
          }
          cut_chunk(*workers_[thread], some.text, chunks[i].begin - some.begin, chunks[i].token != 0, found[part]);
          places[i + 1] = static_cast<std::uint32_t>(found[part].size());
        }
      });
  terms.clear();
  places[0] = 0;
  for (std::uint32_t part = 0; part < parts; ++part) {
    const auto before = static_cast<std::uint32_t>(terms.size());
    for (std::size_t i = chunks.size() * part / parts; i < chunks.size() * (part + 1) / parts; ++i)
      places[i + 1] += before;
    terms.insert(terms.end(), found[part].begin(), found[part].end());
  }
}

// chunk: where it begins.
void TextTerms::cut_chunk(Worker& worker, std::string_view text, std::uint32_t chunk, bool is_token,
                          std::vector<std::uint32_t>& terms) {
  if (is_token) {
    const text::TokenSpan token = text::next_token(text, chunk);
    const std::uint32_t term = term_of(worker, text.substr(token.begin, token.end - token.begin));
    if (term != kDroppedTerm) terms.push_back(term);
    return;
  }
  std::size_t end = chunk;
  while (end < text.size() && !ends_words(text[end])) ++end;
  // What is before the chunk's first dot matters to standard2 (".NET").
  const std::size_t begin = chunk - (chunk > 0 ? 1 : 0);
  cut_all(worker, text.substr(begin, end - begin), terms);
}

void TextTerms::cut_all(std::string_view text, std::vector<std::uint32_t>& terms) {
  cut_all(*workers_[0], text, terms);
}

void TextTerms::cut_all(Worker& worker, std::string_view text, std::vector<std::uint32_t>& terms) {
  static_assert(parse::TokenTable::kStopWord == kDroppedTerm);
  const auto take = [&](text::TokenSpan token) {
    const parse::TokenLookup sought = worker.tokens.seek(text, token);
    parse::TermId term = worker.tokens.find(sought);
    if (term == parse::TokenTable::kUnknown) {
      term = term_of(worker, text.substr(token.begin, token.end - token.begin));
      worker.tokens.add(sought, term);
    }
    if (term != kDroppedTerm) terms.push_back(term);
  };
  if (has_spans_)
    text::for_each_span(
        text, [&](text::TokenSpan token, bool) { take(token); }, rules_);
  else
    text::for_each_token(text, take);
}

}  // namespace frond::indexer::invert::gpu
