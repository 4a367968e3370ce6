#include "common/partition/document_table.h"

#include <string>

#include "common/partition/format.h"

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
  std::string key;
  append_be32(key, next_docid_);
  starts_.push_back(next_docid_);
  FROND_TRY(table_.put(key, block));
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

}  // namespace frond::partition
