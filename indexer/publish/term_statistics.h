#pragma once
// The statistics of a generation's terms, written while lists are built. Where one thread sees all postings of every
// term in order, nobody has to read the terms of the partitions again when they are published
// (docs/adr/0044-term-statistics-beside-the-lists.md).
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/base/threads/task_pool.h"
#include "common/partition/terms/term_sections.h"
#include "common/partition/terms/term_statistics.h"
#include "indexer/publish/list_stream.h"

namespace frond::indexer::publish {

// Adds up the pieces of lists, which come in order. One thread.
class PieceSums {
 public:
  // Calls Result<void> visit(std::string_view term, std::uint64_t document_frequency, std::uint64_t occurrences) for
  // each list that ends in the group. One that goes on in the next group waits for it. Errors of visit.
  template <class Visit>
  Result<void> add(const PostingGroup& group, Visit&& visit) {
    std::size_t begin = 0;
    for (const PostingGroup::Piece& piece : group.pieces) {
      for (std::size_t i = begin; i < piece.end; ++i) occurrences_ += group.frequencies[i];
      documents_ += piece.end - std::exchange(begin, piece.end);
      if (piece.last)
        FROND_TRY(visit(std::string_view(piece.term), std::exchange(documents_, 0), std::exchange(occurrences_, 0)));
    }
    return {};
  }

 private:
  std::uint64_t documents_ = 0, occurrences_ = 0;  // of a list that goes on
};

// A whole file of term statistics, synced.
struct TermsFile {
  std::filesystem::path path;
  partition::TermTotals totals;
};

// One thread, which begins others. Errors: kUnavailable, the disk; kInvalid, terms do not ascend.
class TermsWriter {
 public:
  // Creates the file. Up to `threads` others encode it.
  static Result<std::unique_ptr<TermsWriter>> create(const std::filesystem::path& file, std::uint32_t threads);

  // Terms ascend in byte order.
  Result<void> put(std::string_view term, std::uint64_t document_frequency, std::uint64_t occurrences);
  // The terms of a partition's groups, which come in order.
  Result<void> put(const PostingGroup& group) {
    return sums_.add(group,
                     [this](auto term, auto documents, auto occurrences) { return put(term, documents, occurrences); });
  }
  // After all terms, by who has something else to do before finish(): the last ones are encoded meanwhile.
  Result<void> end() { return out_.end(totals_); }
  // After all terms.
  Result<TermsFile> finish();

 private:
  TermsWriter(std::filesystem::path file, partition::TermSectionsWriter out)
      : file_(std::move(file)), out_(std::move(out)) {}

  const std::filesystem::path file_;
  partition::TermSectionsWriter out_;
  partition::TermTotals totals_;
  PieceSums sums_;
};

// The statistics of the terms of several partitions, kept in memory while their lists are written, which happens side
// by side or in turns. When all are written, threads of the pool merge them, each the terms of one range after the
// other, so nobody reads the lists' files again (docs/adr/0044-term-statistics-beside-the-lists.md).
class PartitionTerms {
 public:
  // The terms of all partitions take `max_bytes` at most, about 10 bytes each. If there are more, none are kept.
  PartitionTerms(std::size_t partitions, std::uint64_t max_bytes) : max_bytes_(max_bytes), parts_(partitions) {}

  // The terms of the groups of partition p, which come in order. Each partition has a thread.
  void put(std::size_t p, const PostingGroup& group);
  // When all partitions are whole: gives all terms to `to`. False: there were too many, and `to` has none. Errors as
  // TermsWriter::put().
  Result<bool> merge(TaskPool& pool, TermsWriter& to);

  std::uint64_t bytes() const { return bytes_; }

 private:
  // Of records: how many bytes the term shares with the one before it, its other bytes, its document frequency, its
  // occurrences. The first term of a block shares nothing.
  static constexpr std::size_t kBlockBytes = std::size_t{4} << 10;
  using Blocks = std::vector<ByteBuffer>;
  struct Part {
    Blocks blocks;
    std::string last_term;
    PieceSums sums;
  };
  class Cursor;
  struct Merged;
  void add(Part& part, std::string_view term, std::uint64_t document_frequency, std::uint64_t occurrences);
  static std::string_view first_term(const ByteBuffer& block);
  Result<Merged> merge_range(std::string_view begin, std::optional<std::string_view> end) const;

  const std::uint64_t max_bytes_;
  std::atomic<std::uint64_t> bytes_ = 0;
  std::atomic<bool> too_many_ = false;
  std::vector<Part> parts_;
};

}  // namespace frond::indexer::publish
