#pragma once
// The statistics of a generation's terms, written while lists are built. Where one thread sees all postings of every
// term in order, nobody has to read the terms of the partitions again when they are published
// (docs/adr/0044-term-statistics-beside-the-lists.md).
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include "common/base/result.h"
#include "common/partition/terms/term_sections.h"
#include "common/partition/terms/term_statistics.h"
#include "indexer/publish/list_stream.h"

namespace frond::indexer::publish {

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
  // The terms of a partition's groups, which come in order. A list that goes on in the next group waits for it.
  Result<void> put(const PostingGroup& group);
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
  std::uint64_t documents_ = 0, occurrences_ = 0;  // of a list that goes on
};

}  // namespace frond::indexer::publish
