#include "indexer/invert/cpu_inverter.h"

#include <algorithm>
#include <utility>

#include "indexer/invert/partition_runs.h"

namespace frond::indexer::invert {

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
