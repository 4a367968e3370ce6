#include "common/partition/head_table.h"

#include <string>

#include "common/partition/format.h"

namespace frond::partition {

HeadTable::HeadTable(const std::filesystem::path& folder) : table_(folder, std::string(kHeadFiles), kFileBytes) {}

Result<void> HeadTable::add(const StoredDocument& document) {
  append_head(document, next_docid_++, heads_);
  ends_.push_back(static_cast<std::uint32_t>(heads_.size()));
  // Documents without a stored head take places, too.
  if (heads_.size() + ends_.size() * sizeof(std::uint32_t) < kHeadChunkBytes) return {};
  return write_chunk();
}

Result<std::vector<PartitionFile>> HeadTable::finish() {
  if (!ends_.empty()) FROND_TRY(write_chunk());
  return table_.finish();
}

Result<void> HeadTable::write_chunk() {
  const auto first = static_cast<DocId>(next_docid_ - ends_.size());
  FROND_TRY(table_.put(head_chunk_key(first), encode_head_chunk(heads_, ends_)));
  starts_.push_back(first);
  heads_.clear();
  ends_.clear();
  return {};
}

}  // namespace frond::partition
