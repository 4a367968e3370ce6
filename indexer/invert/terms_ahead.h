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
  std::size_t end = 0;  // in the group's bytes
  // If the dictionary takes hashes:
  std::uint32_t hash = 0;
  PostingChain* chain =
      nullptr;  // probably the term's: that of the first term with this hash; null: none was found yet
};

template <class Dictionary>
inline constexpr bool kTakesHashes = std::is_same_v<Dictionary, dictionary::HashDictionary<PostingChain>>;

// One thread. Borrows all; the dictionary and the arena may change meanwhile, and forget_chains() comes after they were
// cleared.
template <class Dictionary>
class TermsAhead {
 public:
  TermsAhead(Dictionary& dictionary, const dictionary::Arena& arena, const parse::TokenGroups& tokens,
             std::span<const parse::TokenGroup> groups)
      : dictionary_(dictionary), arena_(arena), tokens_(tokens), groups_(groups) {}

  // Valid until the next call. Null: there is none left.
  const TermAhead* next() {
    while (read_ < given_ + kAhead && read_term()) {
      if constexpr (kTakesHashes<Dictionary>) fetch();
    }
    return given_ == read_ ? nullptr : &ring_[given_++ % kRing];
  }
  void forget_chains() {
    for (TermAhead& one : ring_) one.chain = nullptr;
  }

 private:
  static constexpr std::size_t kTermBehindChain =
      48;  // most terms end so far behind their chains, often a line further
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
    last.chain = nullptr;
    dictionary_.prefetch_slot(last.group->collection, last.hash);
    if (read_ <= 2 * kStep) return;
    TermAhead& before = ring_[(read_ - 1 - kStep) % kRing];
    before.chain = dictionary_.value_by_hash(before.group->collection, before.hash);
    if (before.chain != nullptr) {
      __builtin_prefetch(before.chain);
      __builtin_prefetch(reinterpret_cast<const std::byte*>(before.chain) + kTermBehindChain);
    }
    const PostingChain* const chain = ring_[(read_ - 1 - 2 * kStep) % kRing].chain;
    if (chain != nullptr && chain->tail != dictionary::kNoRef) __builtin_prefetch(arena_.at(chain->tail) + chain->used);
  }

  Dictionary& dictionary_;
  const dictionary::Arena& arena_;
  const parse::TokenGroups& tokens_;
  std::span<const parse::TokenGroup> groups_;
  std::size_t at_ = 0;                  // in the first group
  std::uint64_t read_ = 0, given_ = 0;  // terms
  std::array<TermAhead, kRing> ring_;
};

}  // namespace frond::indexer::invert
