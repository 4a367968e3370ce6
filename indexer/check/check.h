#pragma once
// `frond-indexer check`: reads a whole published generation, and reports what is wrong with it.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/files/descriptor.h"
#include "common/repository/repository.h"

namespace frond::indexer::check {

struct Fault {
  std::string where;  // the file, or the partition and the term or document
  std::string what;
};

struct CheckReport {
  Generation generation = 0;
  std::string codec, order;   // from the manifest; order is empty for a build that did not record it yet
  std::uint64_t faults = 0;   // how many there are
  std::vector<Fault> listed;  // the first CheckOptions::max_listed
  std::uint64_t partitions = 0, files = 0, file_bytes = 0, lists = 0, postings = 0, documents = 0;  // read
};

struct CheckOptions {
  std::size_t max_listed = 100;
  repository::ObjectWriting objects = {};               // for a repository at s3://bucket/prefix
  std::function<void(std::string_view what)> progress;  // called with what is being read; may be empty
};

// Checks generation `generation` (0: the current one) of a repository in a directory or an object store, of which it
// first fetches the generation's files into objects.scratch:
// - the manifest: its checksum and its sums; no two partitions have an ordinal in common;
// - every file: size, checksum, every block of RocksDB; the SHA-256 that was signed, if it is, but not by whom;
// - every list: it opens and decodes; docIDs ascend and are documents; frequencies are at least 1; document frequency
//   and occurrences agree with the term's; each block's last docID is correct, and its deficit is a lower bound of its
//   postings' deficits;
// - every document: it can be read, and its id leads to it; the lengths sum to the number of tokens; its values are
//   those of the schema, and its lengths in fields those of the fields' lists;
// - the changes: hidden documents are of their partitions, as many as the manifest counts, with as many tokens,
// postings;
// - the term statistics: each df is the sum over the partitions, without hidden documents.
// Published files are only read. Memory: a partition's lengths, also in fields, and one list's segments.
//
// Faults are in the report. An Error means that the check could not be made: kNotFound: there is no such generation, or
// it was removed meanwhile (of 0, the one that is current then is read instead); kUnavailable.
Result<CheckReport> check_generation(const std::filesystem::path& root, std::string_view collection,
                                     Generation generation = 0, const CheckOptions& options = {});

// A folder for the files of a generation that is read as a whole, by a check of an object store or an export:
// "<collection>/.check-XXXXXX", or where that cannot be made, in the system's folder for temporary files. It is locked,
// so that a writer does not remove it as a dead check's. Removed with this object.
class Scratch {
 public:
  // kUnavailable.
  static Result<std::unique_ptr<Scratch>> make(const std::filesystem::path& collection);
  Scratch(std::filesystem::path path, std::optional<files::Descriptor> lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::optional<files::Descriptor> lock_;
};

}  // namespace frond::indexer::check
