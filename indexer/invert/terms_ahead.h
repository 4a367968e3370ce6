#pragma once
// The next terms that an inverter looks up. While they wait, what their look-ups will read is fetched into the caches:
// at first a slot of the dictionary, some terms later the term's entry, then the end of its postings. In a run of
// millions of terms each of these would be waited for.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "indexer/dictionary/arena.h"
#include "indexer/dictionary/hash_dictionary.h"
#include "indexer/invert/posting_chain.h"
#include "indexer/parse/token_groups.h"

namespace frond::indexer::invert {

struct TermAhead {
  const parse::TokenGroup* group = nullptr;
  parse::GroupedTerm term;
  std::size_t end = 0;     // in the group's bytes
  std::uint32_t hash = 0;  // if the dictionary takes hashes
};

template <class Dictionary>
inline constexpr bool kTakesHashes = std::is_same_v<Dictionary, dictionary::HashDictionary<PostingChain>>;

// One thread. Borrows all; the dictionary and the arena may change meanwhile.
template <class Dictionary>
class TermsAhead {
 public:
  TermsAhead(const Dictionary& dictionary, const dictionary::Arena& arena, const parse::TokenGroups& tokens,
             std::span<const parse::TokenGroup> groups)
      : dictionary_(dictionary), arena_(arena), tokens_(tokens), groups_(groups) {}

  // Valid until the next call. Null: there is none left.
  const TermAhead* next() {
    while (read_ < given_ + kAhead && read_term()) {
      if constexpr (kTakesHashes<Dictionary>) fetch();
    }
    return given_ == read_ ? nullptr : &ring_[given_++ % kRing];
  }

 private:
  static constexpr std::size_t kStep = 4, kAhead = 3 * kStep, kRing = 16;

  bool read_term() {
    while (!groups_.empty() && at_ == tokens_.of(groups_.front()).size()) {
      groups_ = groups_.subspan(1);
      at_ = 0;
    }
    if (groups_.empty()) return false;
    TermAhead& one = ring_[read_++ % kRing];
    one.group = &groups_.front();
    const ByteView bytes = tokens_.of(*one.group);
    one.term = parse::GroupedTerm::read(bytes.data() + at_);
    one.end = at_ = static_cast<std::size_t>(one.term.end() - bytes.data());
    return true;
  }
  // For the term just read, for the one `kStep` before it, and for the one before that.
  void fetch() {
    TermAhead& last = ring_[(read_ - 1) % kRing];
    last.hash = Dictionary::hash_of(last.term.suffix);
    dictionary_.prefetch_slot(last.group->collection, last.hash);
    if (read_ <= 2 * kStep) return;
    __builtin_prefetch(chain_of(kStep));
    const PostingChain* const chain = chain_of(2 * kStep);
    if (chain != nullptr && chain->tail != dictionary::kNoRef) __builtin_prefetch(arena_.at(chain->tail) + chain->used);
  }
  // Probably that of the term `before` the last one; null if it is new.
  const PostingChain* chain_of(std::size_t before) const {
    const TermAhead& one = ring_[(read_ - 1 - before) % kRing];
    return dictionary_.value_by_hash(one.group->collection, one.hash);
  }

  const Dictionary& dictionary_;
  const dictionary::Arena& arena_;
  const parse::TokenGroups& tokens_;
  std::span<const parse::TokenGroup> groups_;
  std::size_t at_ = 0;                  // in the first group
  std::uint64_t read_ = 0, given_ = 0;  // terms
  std::array<TermAhead, kRing> ring_;
};

}  // namespace frond::indexer::invert
