#pragma once
// What `frond-indexer check` does: reads a published generation whole, and says what is wrong with it.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"

namespace frond::indexer::check {

struct Fault {
  std::string where;  // the file, or partition with term or document
  std::string what;
};

struct CheckReport {
  Generation generation = 0;
  std::string codec, order;   // as the manifest records them; no order: built before it was recorded
  std::uint64_t faults = 0;   // all of them
  std::vector<Fault> listed;  // the first CheckOptions::max_listed
  std::uint64_t partitions = 0, files = 0, file_bytes = 0, lists = 0, postings = 0, documents = 0;  // read
};

struct CheckOptions {
  std::size_t max_listed = 100;
  std::function<void(std::string_view what)> progress;  // told what is being read; may be empty
};

// Checks generation `generation` (0: the current one) of a repository in a directory:
// - the manifest: its checksum and its sums; that no two partitions have an ordinal in common;
// - every file: size, checksum, every block of RocksDB;
// - every list: it opens and decodes, docIDs ascend and are documents, frequencies are at least 1, document frequency
//   and occurrences are the term's, each block's last docID is, each block's deficit is a lower bound of its postings';
// - every document: it can be read, its id leads back to it; lengths sum to the tokens;
// - the term statistics: each df is the sum over the partitions.
// A partition is looked into through a scratch database of hard links in "<collection>/.check-XXXXXX" (under the
// system's folder for temporary files, copied, where that can't be made), removed at the end; a writer removes one that
// a killed check left. Published files are only read. Memory: a partition's lengths, and one list's segments mapped.
//
// A fault is in the report; an Error is a check that could not be made: kNotFound (no such generation), kUnavailable.
Result<CheckReport> check_generation(const std::filesystem::path& root, std::string_view collection,
                                     Generation generation = 0, const CheckOptions& options = {});

}  // namespace frond::indexer::check
