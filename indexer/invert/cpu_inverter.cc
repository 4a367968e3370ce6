#include "indexer/invert/cpu_inverter.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "indexer/dictionary/arena.h"
#include "indexer/dictionary/hash_dictionary.h"
#include "indexer/invert/partition_runs.h"
#include "indexer/invert/posting_chain.h"
#include "indexer/parse/token_groups.h"

namespace frond::indexer::invert {

// A term that an inverter looks up soon.
struct TermAhead {
  const parse::TokenGroup* group = nullptr;
  parse::GroupedTerm term;
  std::size_t end = 0;  // in the group's bytes
  // If the dictionary takes hashes:
  std::uint32_t hash = 0;
  PostingChain* chain =
      nullptr;  // probably the term's: that of the first term with this hash; null: none was found yet
};

namespace {

// Adds all terms of the dictionary, whose documents count from `first`; it holds nothing then. The caller finishes
// `runs`. kUnavailable: the disk.
template <class Dictionary>
Result<void> write_terms(InverterMemory<Dictionary>& memory, DocumentNumber first, PartitionRuns& runs) {
  Result<void> written;
  std::string term;
  memory.dictionary.for_each_in_order([&](std::string_view prefix, std::string_view suffix, const PostingChain& chain) {
    term.assign(prefix).append(suffix);
    for_each_posting(chain, memory.arena,
                     [&](std::uint32_t number, Frequency frequency) { runs.add(term, first + number, frequency); });
    written = runs.end_term(term);
    return written.has_value();
  });
  return written;
}

// The terms of a collection, which a dictionary has put in order.
template <class Dictionary>
class DictionaryTerms final : public CollectionTerms {
 public:
  DictionaryTerms(const InMemoryPostings& of, Dictionary& dictionary, dictionary::TrieCollection collection)
      : of_(of), prefix_(collection), ordered_(dictionary.order(collection)) {}
  std::size_t size() const override { return ordered_.size(); }
  std::string term(std::size_t place) const override {
    std::string scratch;
    return std::string(prefix_.text()).append(ordered_.suffix(place, scratch));
  }
  void append(std::size_t begin, std::size_t end, TermPostings& to) const override {
    std::string scratch;
    for (std::size_t i = begin; i < end; ++i) {
      const PostingChain& chain = ordered_.value(i);
      to.text.append(prefix_.text()).append(ordered_.suffix(i, scratch));
      to.terms.push_back({&chain, &of_, static_cast<std::uint32_t>(to.text.size()), postings_of(chain)});
    }
  }

 private:
  const InMemoryPostings& of_;
  const dictionary::TriePrefix prefix_;
  const typename Dictionary::Ordered ordered_;
};

template <class Dictionary>
class DictionaryPostings final : public InMemoryPostings {
 public:
  // first: the number of the document that postings count from.
  DictionaryPostings(std::unique_ptr<InverterMemory<Dictionary>> memory, DocumentNumber first)
      : memory_(std::move(memory)), first_(first) {}

  std::size_t terms_of(dictionary::TrieCollection collection) const override {
    return memory_->dictionary.terms_of(collection);
  }
  std::unique_ptr<CollectionTerms> order(dictionary::TrieCollection collection) override {
    return std::make_unique<DictionaryTerms<Dictionary>>(*this, memory_->dictionary, collection);
  }
  const dictionary::Arena& arena() const override { return memory_->arena; }
  std::uint64_t first_document() const override { return first_; }
  Result<void> write_runs(PartitionRuns& runs) override { return write_terms(*memory_, first_, runs); }

 private:
  const std::unique_ptr<InverterMemory<Dictionary>> memory_;
  const DocumentNumber first_;
};

template <class Dictionary>
inline constexpr bool kTakesHashes = std::is_same_v<Dictionary, dictionary::HashDictionary<PostingChain>>;

// The next terms that an inverter looks up. While they wait, what their look-ups will read is fetched into the caches:
// at first a slot of the dictionary, some terms later the term's entry, then the end of its postings. In a run of
// millions of terms each of these would be waited for.
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

}  // namespace

template <class Dictionary>
CpuInverter<Dictionary>::CpuInverter(std::filesystem::path folder, std::string label, std::uint32_t partitions,
                                     InverterBudget budget, std::size_t frame_bytes)
    : folder_(std::move(folder)),
      label_(std::move(label)),
      partitions_(partitions),
      budget_(std::move(budget)),
      frame_bytes_(frame_bytes) {
  note_memory();
}

template <class Dictionary>
std::string_view CpuInverter<Dictionary>::name() const {
  return std::is_same_v<Dictionary, dictionary::HashDictionary<PostingChain>> ? "cpu" : "cpu_btree";
}

template <class Dictionary>
Result<void> CpuInverter<Dictionary>::invert(const parse::TokenGroups& tokens,
                                             std::span<const parse::TokenGroup> groups,
                                             std::span<const DocumentNumber> numbers) {
  const auto kept = [](DocumentNumber number) { return number != kDropped; };
  const auto first = std::find_if(numbers.begin(), numbers.end(), kept);
  if (first == numbers.end()) return {};
  if (!first_) first_ = *first;
  const auto last = std::find_if(numbers.rbegin(), numbers.rend(), kept);
  if (*last - *first_ >= kMaxRunDocuments) return Error(Code::kInvalid, "a run of more than 2^32 documents");
  TermsAhead<Dictionary> ahead(memory_->dictionary, memory_->arena, tokens, groups);
  const parse::TokenGroup* group = nullptr;
  std::size_t room = 0;  // there is room for so many bytes of the group
  while (const TermAhead* const next = ahead.next()) {
    if (next->group != std::exchange(group, next->group)) room = 0;
    if (next->end > room) {
      const std::size_t left = next->group->end - next->group->begin - room;
      const std::size_t slice = std::min(std::max(Dictionary::kSliceBytes, next->end - room), left);
      if (FROND_TRY(make_room(slice, *first))) ahead.forget_chains();
      room += slice;
    }
    add(*next, numbers);
  }
  note_memory();
  return {};
}

template <class Dictionary>
void CpuInverter<Dictionary>::add(const TermAhead& next, std::span<const DocumentNumber> numbers) {
  std::uint32_t first = 0;  // posting that is not dropped
  while (first < next.term.postings && numbers[next.term.document(first)] == kDropped) ++first;
  if (first == next.term.postings) return;
  ChainTail tail(chain_of(next), memory_->arena);
  for (std::uint32_t i = first; i < next.term.postings; ++i)
    if (const DocumentNumber number = numbers[next.term.document(i)]; number != kDropped)
      tail.add(static_cast<std::uint32_t>(number - *first_), next.term.frequency(i));
}

template <class Dictionary>
PostingChain& CpuInverter<Dictionary>::chain_of(const TermAhead& next) {
  if constexpr (kTakesHashes<Dictionary>) {
    if (next.chain != nullptr && Dictionary::is_value_of(*next.chain, next.term.suffix)) return *next.chain;
    return memory_->dictionary.find_or_add(next.group->collection, next.term.suffix, next.hash);
  } else {
    return memory_->dictionary.find_or_add(next.group->collection, next.term.suffix);
  }
}

// Writes runs if the budget does not allow so many more bytes of tokens. The next run begins with document `first`.
// True: it has.
template <class Dictionary>
Result<bool> CpuInverter<Dictionary>::make_room(std::size_t token_bytes, DocumentNumber first) {
  const std::uint64_t holds = held();
  note_memory();
  const std::uint64_t may_hold = holds + memory_->dictionary.growth_bytes() + Dictionary::kGrowth * token_bytes;
  if (holds <= kMinInverterBytes || may_hold <= budget_()) return false;
  FROND_TRY(write_runs());
  first_ = first;
  return true;
}

template <class Dictionary>
Result<std::vector<runs::RunFile>> CpuInverter<Dictionary>::flush() {
  if (first_) FROND_TRY(write_runs());
  return std::exchange(runs_, {});
}

template <class Dictionary>
std::unique_ptr<InMemoryPostings> CpuInverter<Dictionary>::take_postings() {
  if (!runs_.empty()) return nullptr;
  auto memory = std::exchange(memory_, std::make_unique<InverterMemory<Dictionary>>());
  note_memory();
  return std::make_unique<DictionaryPostings<Dictionary>>(std::move(memory), first_.value_or(0));
}

template <class Dictionary>
Result<void> CpuInverter<Dictionary>::write_runs() {
  PartitionRuns runs(folder_, label_ + "-" + std::to_string(flushes_), partitions_, frame_bytes_);
  FROND_TRY(write_terms(*memory_, *first_, runs));
  FROND_TRY(runs.finish(runs_));
  memory_->dictionary.clear();
  memory_->arena.clear();
  first_.reset();
  ++flushes_;
  note_memory();
  return {};
}

template class CpuInverter<dictionary::HashDictionary<PostingChain>>;
template class CpuInverter<dictionary::BTreeDictionary<PostingChain>>;

}  // namespace frond::indexer::invert
