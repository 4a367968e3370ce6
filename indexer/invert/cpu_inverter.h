#pragma once
// The inverter of a CPU thread: a dictionary of its collections' terms, postings in an arena (Wei and JaJa 2011,
// III.D.1).
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "indexer/dictionary/arena.h"
#include "indexer/dictionary/btree_dictionary.h"
#include "indexer/dictionary/hash_dictionary.h"
#include "indexer/invert/in_memory_postings.h"
#include "indexer/invert/inverter.h"
#include "indexer/invert/partition_runs.h"
#include "indexer/invert/posting_chain.h"

namespace frond::indexer::invert {

// The memory of an inverter.
template <class Dictionary>
struct InverterMemory {
  dictionary::Arena arena;
  Dictionary dictionary{arena};
  std::uint64_t bytes() const { return arena.bytes() + dictionary.table_bytes(); }
};

// It may hold so much whatever the budget is: the tables of collections, and the arena's first blocks.
inline constexpr std::uint64_t kMinInverterBytes = std::uint64_t{4} << 20;
struct TermAhead;

// Dictionary: of PostingChain. Instantiated for the two that are included here.
template <class Dictionary>
class CpuInverter final : public Inverter {
 public:
  // Runs are written to `folder` as "<label>-<flush>-p<partition>.run", in frames of at most `frame_bytes`.
  CpuInverter(std::filesystem::path folder, std::string label, std::uint32_t partitions, InverterBudget budget,
              std::size_t frame_bytes = runs::kFramePayloadBytes);
  std::string_view name() const override;
  Result<void> invert(const parse::TokenGroups& tokens, std::span<const parse::TokenGroup> groups,
                      std::span<const DocumentNumber> numbers) override;
  Result<std::vector<runs::RunFile>> flush() override;
  std::unique_ptr<InMemoryPostings> take_postings() override;
  std::uint64_t memory_bytes() const override { return memory_bytes_.load(std::memory_order_relaxed); }

 private:
  void add(const TermAhead& next, std::span<const DocumentNumber> numbers);
  PostingChain& chain_of(const TermAhead& next);
  Result<bool> make_room(std::size_t token_bytes, DocumentNumber first);
  Result<void> write_runs();
  std::uint64_t held() const { return memory_->bytes(); }
  void note_memory() { memory_bytes_.store(held(), std::memory_order_relaxed); }

  std::filesystem::path folder_;
  std::string label_;
  std::uint32_t partitions_;
  InverterBudget budget_;
  std::size_t frame_bytes_;
  std::unique_ptr<InverterMemory<Dictionary>> memory_ = std::make_unique<InverterMemory<Dictionary>>();
  std::optional<DocumentNumber> first_;  // the number of the run's first document
  std::size_t flushes_ = 0;
  std::vector<runs::RunFile> runs_;  // since the last call of flush()
  std::atomic<std::uint64_t> memory_bytes_ = 0;
};

using HashInverter = CpuInverter<dictionary::HashDictionary<PostingChain>>;
using BTreeInverter = CpuInverter<dictionary::BTreeDictionary<PostingChain>>;
extern template class CpuInverter<dictionary::HashDictionary<PostingChain>>;
extern template class CpuInverter<dictionary::BTreeDictionary<PostingChain>>;

}  // namespace frond::indexer::invert
