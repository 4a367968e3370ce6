#pragma once
// The inverter of a CPU thread: a hash table a collection, postings in an arena, sorted when they are flushed.
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "indexer/dictionary/dictionary.h"
#include "indexer/invert/inverter.h"
#include "indexer/invert/posting_chain.h"

namespace frond::indexer {

class CpuInverter final : public Inverter {
 public:
  // Runs are written to `folder` as "<label>-<flush>-p<partition>.run".
  CpuInverter(std::filesystem::path folder, std::string label, std::uint32_t partitions);
  std::string_view name() const override { return "cpu"; }
  Result<void> invert(const TokenGroups& tokens, std::span<const TokenGroup> groups,
                      std::span<const DocumentNumber> numbers) override;
  Result<std::vector<RunFile>> flush() override;
  std::uint64_t memory_bytes() const override { return memory_bytes_.load(std::memory_order_relaxed); }

 private:
  // The postings of one term for one partition.
  struct Part {
    std::optional<RunWriter> run;
    std::vector<DocId> docids;
    std::vector<Frequency> frequencies;
  };
  Result<void> flush_term(std::string_view term, const PostingChain& chain, std::vector<Part>& parts);
  void note_memory() { memory_bytes_.store(arena_.bytes() + dictionary_.table_bytes(), std::memory_order_relaxed); }

  std::filesystem::path folder_;
  std::string label_;
  std::uint32_t partitions_;
  Arena arena_;
  Dictionary<PostingChain> dictionary_{arena_};
  std::optional<DocumentNumber> first_;  // number of the run's first document
  std::size_t flushes_ = 0;
  ByteBuffer scratch_;
  std::atomic<std::uint64_t> memory_bytes_ = 0;
};

}  // namespace frond::indexer
