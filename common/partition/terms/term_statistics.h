#pragma once
// Document frequencies of a whole generation: one sorted file, term -> df over all partitions. Written when a
// generation is published, fetched by every leaf. Format: docs/formats/partition.md, "Term statistics".
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

// Visits every term of any cursor once, in byte order, with its statistics summed (segments too). The cursors have not
// been moved yet. Stops at the first error, of a cursor or of `visit`.
using TermCursors = std::vector<std::unique_ptr<TermCursor>>;
Result<TermTotals> merge_terms(const TermCursors& cursors,
                               const std::function<Result<void>(std::string_view, const TermStatistics&)>& visit);
// The same for open partitions. Reads one block of each at a time.
Result<TermTotals> merge_terms(std::span<const std::shared_ptr<const Partition>> partitions,
                               const std::function<Result<void>(std::string_view, const TermStatistics&)>& visit);

// Writes and syncs `file`, whose folder exists; `threads` encode it. Needs memory for the file's index, about a 200th
// of it, and 32 MiB. Errors: kUnavailable if it cannot be written.
Result<TermTotals> write_term_statistics(const TermCursors& cursors, const std::filesystem::path& file,
                                         std::uint32_t threads = 1);
Result<TermTotals> write_term_statistics(std::span<const std::shared_ptr<const Partition>> partitions,
                                         const std::filesystem::path& file);

class GenerationTerms;
// The same from another generation's document frequencies; its totals become the file's. kCorrupt if they disagree.
Result<TermTotals> write_term_statistics(const GenerationTerms& terms, const std::filesystem::path& file);

// Reads such a file, mapped, through a cache of 1.5 MiB (df_cache.h). Any thread. The file may be unlinked. If it is
// cut short or the disk can't read it, look-ups fail, and intact() returns an error from then on.
// Looks up many terms, best in ascending order: what one look-up has found is where the next begins. One thread.
class DfReader {
 public:
  virtual ~DfReader() = default;
  // 0: no document has the term. Errors: kCorrupt, kUnavailable.
  virtual Result<std::uint64_t> df(std::string_view term) = 0;
};

class GenerationTerms {
 public:
  // Errors: kNotFound; kCorrupt if it is no such file or cut short.
  static Result<std::shared_ptr<const GenerationTerms>> open(const std::filesystem::path& file);
  virtual ~GenerationTerms() = default;
  // A term's document frequency in the generation, at least 1. kNotFound if no document has it.
  virtual Result<std::uint64_t> df(std::string_view term) const = 0;
  // Does without the cache. The terms outlive it.
  virtual std::unique_ptr<DfReader> reader() const = 0;
  virtual const TermTotals& totals() const = 0;
  // Visits every term in byte order, until `visit` returns false.
  using Visit = std::function<bool(std::string_view term, std::uint64_t df)>;
  Result<void> for_each(const Visit& visit) const { return for_each_from({}, visit); }
  // The same from `first` on.
  virtual Result<void> for_each_from(std::string_view first, const Visit& visit) const = 0;
  virtual Result<void> verify_checksums() const = 0;
  // As Partition's.
  virtual Result<void> intact() const = 0;
  virtual Result<void> check_files() const = 0;
};

}  // namespace frond::partition
