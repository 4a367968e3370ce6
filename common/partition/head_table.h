#pragma once
// Writes the heads of documents (head_chunk.h) to files of table `arrays`. Internal: includes RocksDB.
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/partition/head_chunk.h"
#include "common/partition/sst_table.h"

namespace frond::partition {

// One thread. Holds a chunk, at most kHeadChunkBytes and a head. Errors: as SstTable.
class HeadTable {
 public:
  explicit HeadTable(const std::filesystem::path& folder);

  // Adds the next document, in docID order from 0.
  Result<void> add(const StoredDocument& document);
  // Writes what is held back. Called once, last.
  Result<std::vector<PartitionFile>> finish();
  // The first docID of each chunk. Complete after finish().
  std::span<const DocId> starts() const { return starts_; }

 private:
  Result<void> write_chunk();

  SstTable table_;
  ByteBuffer heads_;
  std::vector<std::uint32_t> ends_;  // of the documents in heads_
  std::vector<DocId> starts_;
  DocId next_docid_ = 0;
};

}  // namespace frond::partition
