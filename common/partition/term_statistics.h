#pragma once
// Document frequencies of a whole generation: one sorted file, term -> df over all partitions. Made when a generation
// is published, carried to every leaf. Format: docs/formats/partition.md, "Term statistics".
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/partition/partition.h"

namespace frond::partition {

struct TermTotals {
  std::uint64_t terms = 0;        // distinct
  std::uint64_t postings = 0;     // sum of document frequencies
  std::uint64_t occurrences = 0;  // sum of frequencies: tokens, where every token is a posting
  friend bool operator==(const TermTotals&, const TermTotals&) = default;
};

// Every term of any of the cursors once, in byte order, with its statistics summed (segments too). The cursors are new.
// Stops at the first error, the visitor's too.
using TermCursors = std::vector<std::unique_ptr<TermCursor>>;
Result<TermTotals> merge_terms(const TermCursors& cursors,
                               const std::function<Result<void>(std::string_view, const TermStatistics&)>& visit);
// The same of open partitions. Reads one block of each at a time.
Result<TermTotals> merge_terms(std::span<const std::shared_ptr<const Partition>> partitions,
                               const std::function<Result<void>(std::string_view, const TermStatistics&)>& visit);

// Writes and syncs `file`, whose folder exists. Holds about a 200th of the file: its index. kUnavailable: can't be
// written.
Result<TermTotals> write_term_statistics(const TermCursors& cursors, const std::filesystem::path& file);
Result<TermTotals> write_term_statistics(std::span<const std::shared_ptr<const Partition>> partitions,
                                         const std::filesystem::path& file);

// Such a file, mapped, with a cache of 1.5 MiB over it (df_cache.h). Any thread. The file may be unlinked; cut short,
// or where the disk can't read it, it is an error of what is looked up, and intact() tells.
class GenerationTerms {
 public:
  // kNotFound, kCorrupt: not such a file, or cut short.
  static Result<std::shared_ptr<const GenerationTerms>> open(const std::filesystem::path& file);
  virtual ~GenerationTerms() = default;
  // A term's document frequency in the generation, at least 1. kNotFound: no document has it.
  virtual Result<std::uint64_t> df(std::string_view term) const = 0;
  virtual const TermTotals& totals() const = 0;
  // Every term in byte order, until `visit` returns false.
  virtual Result<void> for_each(const std::function<bool(std::string_view term, std::uint64_t df)>& visit) const = 0;
  virtual Result<void> verify_checksums() const = 0;
  // As Partition's.
  virtual Result<void> intact() const = 0;
  virtual Result<void> check_files() const = 0;
};

}  // namespace frond::partition
