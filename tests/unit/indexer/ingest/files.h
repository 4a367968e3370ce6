#pragma once
// Files to read in a test, compressed as wanted.
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "indexer/ingest/files/record_reader.h"
#include "indexer/ingest/formats/csv.h"
#include "indexer/ingest/formats/formats.h"
#include "indexer/ingest/records/parse_record.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::ingest {

// Writes a file and creates missing folders of its path. Returns the path.
std::filesystem::path write_in(const support::ScratchFolder& folder, std::string_view name, std::string_view content);

std::string gzipped(std::string_view plain);
std::string bzipped(std::string_view plain);
std::string xz_compressed(std::string_view plain, std::uint32_t dictionary_bytes = 1 << 20);
std::string zstd_compressed(std::string_view plain, int window_log = 0);  // 0: the compression level's

// Everything that a reader returns.
struct Collected {
  std::vector<Document> documents;
  std::vector<std::string> bad;  // as to_string(), without the folder
  std::string error;             // that ended the stream, without the folder
  std::string skipped_records;   // as to_string(), without the folder
  std::vector<std::string> ids() const;
};
Collected collect(std::vector<std::filesystem::path> inputs, const SourceFormat* format = nullptr);

inline RawRecord raw(const SourceFormat* format, std::string_view bytes, std::string name = {}) {
  return {format, "file", std::move(name), 1, 0, std::string(bytes)};
}

}  // namespace frond::indexer::ingest
