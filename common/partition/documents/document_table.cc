#include "common/partition/documents/document_table.h"

#include <string>

#include "common/partition/format/format.h"

namespace frond::partition {
namespace {

constexpr std::size_t kSampleBytes = 4 << 20;

}  // namespace

DocumentTable::DocumentTable(const std::filesystem::path& folder, StoredCompression how)
    : table_(folder, stem_of(Family::kDocuments), kFileBytes), how_(how) {
  if (how == StoredCompression::kFast) compressor_ = std::make_unique<BlockCompressor>(ByteView(), how);
}

Result<void> DocumentTable::add(const StoredDocument& document) {
  const std::size_t before = pending_.size();
  append_document(document, pending_);
  sizes_.push_back(pending_.size() - before);
  if (!compressor_ && pending_.size() < kSampleBytes) return {};
  if (!compressor_) train();
  return write_blocks(/*all=*/false);
}

Result<void> DocumentTable::add_block(ByteView block, std::uint32_t documents) {
  starts_.push_back(next_docid_);
  FROND_TRY(table_.put(numbered_key({}, next_docid_), block));
  next_docid_ += documents;
  return {};
}

Result<std::vector<PartitionFile>> DocumentTable::finish() {
  if (sizes_.empty()) return table_.finish();
  if (!compressor_) train();
  FROND_TRY(write_blocks(/*all=*/true));
  return table_.finish();
}

void DocumentTable::train() {
  std::size_t samples = 0, bytes = 0;
  while (samples < sizes_.size() && bytes + sizes_[samples] <= kSampleBytes) bytes += sizes_[samples++];
  dictionary_ = train_dictionary(ByteView(pending_).first(bytes), std::span(sizes_).first(samples));
  compressor_ = std::make_unique<BlockCompressor>(dictionary_);
}

// A block ends with the document that fills it.
Result<void> DocumentTable::write_blocks(bool all) {
  const std::size_t block_bytes = document_block_bytes(how_);
  if (!all && pending_.size() < block_bytes) return {};  // else every small document would sum the sizes again
  std::size_t begin = 0, end = 0, first = 0;
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    end += sizes_[i];
    const bool last = all && i + 1 == sizes_.size();
    if (end - begin < block_bytes && !last) continue;
    const auto count = static_cast<std::uint32_t>(i + 1 - first);
    FROND_TRY(add_block(compressor_->compress(ByteView(pending_).subspan(begin, end - begin), count), count));
    begin = end;
    first = i + 1;
  }
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(begin));
  sizes_.erase(sizes_.begin(), sizes_.begin() + static_cast<std::ptrdiff_t>(first));
  if (pending_.capacity() > 2 * kSampleBytes) pending_.shrink_to_fit();  // after a long document
  return {};
}

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
  FROND_TRY(table_.put(numbered_key(kHeadsPrefix, first), encode_head_chunk(heads_, ends_)));
  starts_.push_back(first);
  heads_.clear();
  ends_.clear();
  return {};
}

}  // namespace frond::partition
