#include "indexer/parse/term_table.h"

#include <algorithm>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "common/base/check.h"

namespace frond::indexer::parse {

std::uint32_t TermTable::hash_of(dictionary::TrieCollection collection, std::string_view suffix) {
  return static_cast<std::uint32_t>(XXH3_64bits_withSeed(suffix.data(), suffix.size(), collection));
}

TermTable::Lookup TermTable::seek(std::string_view term) const {
  const dictionary::TriePlace place = dictionary::trie_place(term);
  const std::uint32_t hash = hash_of(place.collection, term.substr(place.prefix_bytes));
  __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
  return {hash, place};
}

// Most terms that are there are in the first slot.
void TermTable::fetch_term(const Lookup& lookup) const {
  const Slot& slot = slots_[lookup.hash & (slots_.size() - 1)];
  if (slot.term_plus_1 != 0) __builtin_prefetch(&terms_[slot.term_plus_1 - 1]);
}

void TermTable::fetch_suffix(const Lookup& lookup) const {
  const Slot& slot = slots_[lookup.hash & (slots_.size() - 1)];
  if (slot.term_plus_1 != 0 && slot.hash == lookup.hash)
    __builtin_prefetch(suffixes_.data() + terms_[slot.term_plus_1 - 1].suffix);
}

TermId TermTable::find_or_add(std::string_view term, const Lookup& lookup) {
  const dictionary::TriePlace place = lookup.place;
  const std::string_view suffix = term.substr(place.prefix_bytes);
  const std::uint32_t hash = lookup.hash;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    Slot& slot = slots_[at];
    if (slot.term_plus_1 != 0) {
      const Term& other = terms_[slot.term_plus_1 - 1];
      if (slot.hash != hash || other.collection != place.collection || suffix_of(other) != suffix) continue;
      return slot.term_plus_1 - 1;
    }
    FROND_CHECK(!full() && suffix.size() <= 0xffff);
    terms_.push_back(
        {static_cast<std::uint32_t>(suffixes_.size()), static_cast<std::uint16_t>(suffix.size()), place.collection});
    suffixes_.insert(suffixes_.end(), suffix.begin(), suffix.end());
    slot = {hash, static_cast<TermId>(terms_.size())};
    return slot.term_plus_1 - 1;
  }
}

void TermTable::keep(std::vector<TermId>& numbers) {
  FROND_CHECK(numbers.size() >= terms_.size());
  std::fill(slots_.begin(), slots_.end(), Slot{});
  const std::size_t mask = slots_.size() - 1;
  TermId kept = 0;
  std::uint32_t suffix_end = 0;
  for (TermId id = 0; id < terms_.size(); ++id) {
    if (numbers[id] == kNoTerm) continue;
    Term term = terms_[id];
    std::memmove(suffixes_.data() + suffix_end, suffixes_.data() + term.suffix, term.suffix_bytes);
    term.suffix = suffix_end;
    suffix_end += term.suffix_bytes;
    const std::uint32_t hash = hash_of(term.collection, suffix_of(term));
    std::size_t at = hash & mask;
    while (slots_[at].term_plus_1 != 0) at = (at + 1) & mask;
    terms_[kept] = term;
    numbers[id] = kept++;
    slots_[at] = {hash, kept};
  }
  terms_.resize(kept);
  suffixes_.resize(suffix_end);
}

}  // namespace frond::indexer::parse
