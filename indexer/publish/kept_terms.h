#pragma once
// The statistics of the terms of several partitions, kept in memory while their lists are written, which happens side
// by side or in turns. When all are written, threads of the pool merge them, each the terms of one range after the
// other, so nobody reads the lists' files again (docs/adr/0056-term-statistics-of-several-partitions.md).
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/base/task_pool.h"
#include "indexer/publish/list_stream.h"
#include "indexer/publish/written_terms.h"

namespace frond::indexer::publish {

class KeptTerms {
 public:
  // The terms of all partitions take `max_bytes` at most, about 10 bytes each. If there are more, none are kept.
  KeptTerms(std::size_t partitions, std::uint64_t max_bytes) : max_bytes_(max_bytes), parts_(partitions) {}

  // The terms of the groups of partition p, which come in order. Each partition has a thread.
  void put(std::size_t p, const PostingGroup& group);
  // When all partitions are whole: gives all terms to `to`. False: there were too many, and `to` has none. Errors as
  // WrittenTerms::put().
  Result<bool> merge(TaskPool& pool, WrittenTerms& to);

  std::uint64_t bytes() const { return bytes_; }

 private:
  // Of records: how many bytes the term shares with the one before it, its other bytes, its document frequency, its
  // occurrences. The first term of a block shares nothing.
  static constexpr std::size_t kBlockBytes = std::size_t{4} << 10;
  using Blocks = std::vector<ByteBuffer>;
  struct Part {
    Blocks blocks;
    std::string last_term;
    std::uint64_t documents = 0, occurrences = 0;  // of a term whose list goes on in the next group
  };
  class Cursor;
  struct Merged;
  void add(Part& part, std::string_view term);
  static std::string_view first_term(const ByteBuffer& block);
  Merged merge_range(std::string_view begin, std::optional<std::string_view> end) const;

  const std::uint64_t max_bytes_;
  std::atomic<std::uint64_t> bytes_ = 0;
  std::atomic<bool> too_many_ = false;
  std::vector<Part> parts_;
};

}  // namespace frond::indexer::publish
