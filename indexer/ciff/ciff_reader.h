#pragma once
// Reads a CIFF file from front to back, compressed or not. Holds little of it, however long a list is. Accepts any
// bytes.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "indexer/ciff/ciff_format.h"

namespace frond::indexer::ciff {

struct CiffList {
  std::string term;
  std::uint64_t document_frequency = 0, occurrences = 0;  // as the file says
};
struct CiffDocument {
  std::string id;
  std::uint32_t length = 0;
};

// One thread. kCorrupt: not a CIFF file, cut short, or its parts contradict each other; kUnavailable: the disk.
// Messages name the file and what of it is wrong. After an error, no further call is made.
class CiffReader {
 public:
  static constexpr std::size_t kMaxTextBytes = std::size_t{1} << 20;  // of a term, an id or the description
  static Result<std::unique_ptr<CiffReader>> open(const std::filesystem::path& path);
  virtual ~CiffReader() = default;

  virtual const CiffHeader& header() const = 0;
  // The next list; no value behind the last one. The postings of the one before were read to their end.
  virtual Result<std::optional<CiffList>> next_list() = 0;
  // Reads the next postings of the list. docIDs ascend and are below header().documents; frequencies are at least 1.
  // How many were read; fewer than there is room for: the list has ended, and has the document frequency that it says.
  virtual Result<std::size_t> read_postings(std::span<DocId> docids, std::span<Frequency> frequencies) = 0;
  // Behind the lists: the documents by docID, each once; no value behind the last one, where the file ends.
  virtual Result<std::optional<CiffDocument>> next_document() = 0;
  virtual std::uint64_t bytes_read() const = 0;
};

}  // namespace frond::indexer::ciff
