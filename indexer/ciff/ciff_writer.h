#pragma once
// Writes a CIFF file: it appears under its name when it is whole and synced.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/files/descriptor.h"
#include "indexer/ciff/ciff_format.h"

namespace frond::indexer::ciff {

// The bytes that a posting takes in its list; `gap` from the posting before, of the first one its docID.
std::uint64_t posting_bytes(std::uint64_t gap, std::uint64_t frequency);

// One thread. The header, then lists, each with its postings, then documents: as many as the header says. Errors:
// kInvalid: a number or a list is too large for a protocol buffer, or the path is something else than a file;
// kUnavailable: the disk. Messages name the file.
class CiffWriter {
 public:
  // Writes to "<path>.part".
  static Result<std::unique_ptr<CiffWriter>> create(const std::filesystem::path& path);
  Result<void> header(const CiffHeader& header);
  // `postings`: the sum of the posting_bytes() of the list's postings, which follow.
  Result<void> list(std::string_view term, std::uint64_t document_frequency, std::uint64_t occurrences,
                    std::uint64_t postings);
  Result<void> posting(std::uint64_t gap, std::uint64_t frequency);
  Result<void> document(std::uint64_t docid, std::string_view id, std::uint32_t length);
  // Syncs the file and renames it. Gives its bytes.
  Result<std::uint64_t> finish();

 private:
  CiffWriter(std::filesystem::path path, files::Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}
  Result<void> flush_if_full();
  Result<void> flush();
  Result<void> put_message();
  std::filesystem::path draft() const;

  std::filesystem::path path_;
  files::Descriptor file_;
  ByteBuffer message_, buffer_;
  std::uint64_t bytes_ = 0;
};

}  // namespace frond::indexer::ciff
