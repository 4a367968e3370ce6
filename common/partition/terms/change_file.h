#pragma once
// What a change of a collection adds to a generation beside partitions: how document frequencies change, and which
// documents of which partitions are hidden. One sorted file, generations/<n>.changes.sst, as large as the change.
// Format: docs/formats/partition.md, "Changes".
//
// A generation's document frequency of a term is that of its base (GenerationTerms) plus what each of its change files
// adds; a partition's hidden documents are those of all of them together.
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/partition/terms/term_statistics.h"

namespace frond::partition {

// By the partition's id: docIDs, ascending.
using HiddenByPartition = std::map<std::string, std::vector<DocId>, std::less<>>;

// Writes one file. One thread.
class ChangeWriter {
 public:
  // Creates `file`, whose folder exists, and writes the hidden documents. Errors, of every method: kUnavailable if the
  // file cannot be written.
  static Result<std::unique_ptr<ChangeWriter>> create(const std::filesystem::path& file,
                                                      const HiddenByPartition& hidden);
  virtual ~ChangeWriter() = default;
  // Terms come in ascending byte order. `by` may be negative; 0 is not stored. kInvalid: out of order.
  virtual Result<void> add_term(std::string_view term, std::int64_t by) = 0;
  // Writes the totals of the generation that the file is made for, and syncs. Called once, last.
  virtual Result<void> finish(const TermTotals& totals) = 0;
};

// Visits terms in byte order. One thread.
class ChangeCursor {
 public:
  virtual ~ChangeCursor() = default;
  // Moves to the next term; false if there is none. Errors: kCorrupt, kUnavailable.
  virtual Result<bool> next() = 0;
  virtual std::string_view term() const = 0;  // valid until the next call of next()
  virtual std::int64_t by() const = 0;
};

// Visits those of a file, and keeps it open.
class ChangeFileCursor : public ChangeCursor {
 public:
  // Of any term, best in ascending order; moves the cursor.
  virtual Result<std::int64_t> by_of(std::string_view term) = 0;
};

// Reads such a file, mapped. The hidden documents are read when it is opened, 4 bytes each. Any thread. Survives any
// bytes. If the file is cut short or the disk can't read it, look-ups fail, and intact() gives an error from then on.
class Changes {
 public:
  // Errors: kNotFound; kCorrupt if it is no such file, or cut short.
  static Result<std::shared_ptr<const Changes>> open(const std::filesystem::path& file);
  virtual ~Changes() = default;
  // By how much the term's document frequency changes; 0 if it does not.
  virtual Result<std::int64_t> by(std::string_view term) const = 0;
  virtual const HiddenByPartition& hidden() const = 0;
  virtual const TermTotals& totals() const = 0;
  // From `first` on.
  virtual std::unique_ptr<ChangeFileCursor> terms(std::string_view first = {}) const = 0;
  virtual Result<void> verify_checksums() const = 0;
  virtual Result<void> intact() const = 0;
  virtual Result<void> check_files() const = 0;
};
using ChangesPtr = std::shared_ptr<const Changes>;

// Visits each term of any cursor once, with the sum of what the cursors add; also sums of 0. Holds a term of each.
std::unique_ptr<ChangeCursor> merged_changes(std::vector<std::unique_ptr<ChangeCursor>> cursors);
// The same of files, from `first` on.
std::unique_ptr<ChangeCursor> merged_changes(std::span<const ChangesPtr> files, std::string_view first = {});

// The document frequencies of a generation: `base` with `changes`, oldest first. `base` and each file keep what was
// looked up in them, for all generations that share them. Look-ups give kCorrupt if a sum is negative.
// REQUIRES: at least one file of changes.
std::shared_ptr<const GenerationTerms> changed_terms(std::shared_ptr<const GenerationTerms> base,
                                                     std::vector<ChangesPtr> changes);

// The hidden documents of partition `id`, ascending. kCorrupt: a document is hidden twice, or is not below `documents`.
Result<std::vector<DocId>> hidden_documents_of(std::string_view id, std::uint64_t documents,
                                               std::span<const ChangesPtr> changes);

}  // namespace frond::partition
