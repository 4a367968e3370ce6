#pragma once
// The terms of words that were met before, for the documents of a collection with a schema: what TermFinder's table of
// tokens is for those without one.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "common/partition/values/token_codes.h"
#include "common/text/analyzer.h"
#include "indexer/parse/document_tokens.h"
#include "indexer/parse/token_groups.h"

namespace frond::indexer::parse {

// Adds words to the grouper's document. One thread. Its table takes 4 MiB.
class KnownWords {
 public:
  explicit KnownWords(TokenGrouper& grouper) : grouper_(grouper), entries_(std::size_t{1} << kBits) {}

  // DocumentTokens::take_words() wants it.
  std::uint64_t operator()(text::Analyzer& analyzer, std::string_view word, const DocumentTokens::FieldOfWords& of) {
    if (word.empty() || word.size() > kMaxWord) {
      Entry once;
      learn(analyzer, word, of, once);
      return add(once, of);
    }
    Entry& entry = slot(word, of.number);
    const bool known = entry.epoch == grouper_.epoch() && entry.field == of.number && entry.the_word() == word;
    if (!known) learn(analyzer, word, of, entry);
    return add(entry, of);
  }
  // The document ends.
  void finish() {
    grouper_.add(ids_);
    ids_.clear();
  }

 private:
  static constexpr int kBits = 16;
  static constexpr std::size_t kMaxWord = 40;
  static constexpr std::size_t kIdsAtOnce = 1024;
  static constexpr std::uint32_t kNoEpoch = 0xffffffff;
  struct alignas(64) Entry {
    std::uint64_t hash = 0;          // of the term; DocumentTokens::kStopWord
    std::uint32_t epoch = kNoEpoch;  // of the grouper, in which the ids are valid
    TermId plain = 0, in_field = 0;
    std::uint16_t field = 0;
    std::uint8_t word_bytes = 0;
    char word[kMaxWord] = {};
    std::string_view the_word() const { return {word, word_bytes}; }
  };
  static_assert(sizeof(Entry) == 64);

  Entry& slot(std::string_view word, std::uint32_t field) {
    std::uint64_t head = 0, tail = 0;
    const std::size_t part = std::min<std::size_t>(word.size(), 8);
    std::memcpy(&head, word.data(), part);
    std::memcpy(&tail, word.data() + word.size() - part, part);
    std::uint64_t hash = (head ^ word.size() ^ std::uint64_t{field} << 48) * 0x9e37'79b9'7f4a'7c15;
    hash = ((hash ^ hash >> 29) + tail) * 0xbf58'476d'1ce4'e5b9;
    return entries_[hash >> (64 - kBits)];
  }
  void learn(text::Analyzer& analyzer, std::string_view word, const DocumentTokens::FieldOfWords& of, Entry& entry) {
    finish();  // new terms may make the ids of others invalid
    const std::string_view term = analyzer.term_of(word);
    entry.hash = term.empty() ? DocumentTokens::kStopWord : partition::term_hash(term);
    entry.field = static_cast<std::uint16_t>(of.number);
    entry.word_bytes = static_cast<std::uint8_t>(std::min(word.size(), kMaxWord));
    std::copy_n(word.data(), entry.word_bytes, entry.word);
    do {
      entry.epoch = grouper_.epoch();
      if (term.empty()) return;
      entry.plain = grouper_.intern(term);
      if (of.field_search) entry.in_field = grouper_.intern(of.term(term));
    } while (entry.epoch != grouper_.epoch());
  }
  std::uint64_t add(const Entry& entry, const DocumentTokens::FieldOfWords& of) {
    if (entry.hash == DocumentTokens::kStopWord) return entry.hash;
    for (std::uint32_t i = 0; i < of.weight; ++i) ids_.push_back(entry.plain);
    if (of.field_search) ids_.push_back(entry.in_field);
    if (ids_.size() >= kIdsAtOnce) finish();
    return entry.hash;
  }

  TokenGrouper& grouper_;
  std::vector<Entry> entries_;
  std::vector<TermId> ids_;  // of the document, not added yet
};

}  // namespace frond::indexer::parse
