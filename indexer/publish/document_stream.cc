#include "indexer/publish/document_stream.h"

#include <algorithm>

namespace frond::indexer::publish {

Result<std::vector<BlockGroup>> BlockCutter::next() {
  if (ended_) return std::vector<BlockGroup>();
  ended_ = !FROND_TRY(spool_.append_next(fields_, lengths_, priors_));
  // Most frames are cut as they come, so that few are moved to be put together.
  if (!ended_ && fields_.size() < kBlockGroupBytes / 2) return std::vector<BlockGroup>();
  return cut();
}

Result<std::vector<BlockGroup>> BlockCutter::cut() {
  const auto fields = std::make_shared<const runs::FieldBuffer>(std::exchange(fields_, {}));
  const std::vector<std::uint32_t> lengths = std::exchange(lengths_, {});
  const std::vector<scoring::Prior> priors = std::exchange(priors_, {});
  std::vector<BlockGroup> groups;
  bool open = false;  // whether the last group takes more blocks
  BlockGroup::Block block;
  ByteView left = fields->view();
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    block.end += FROND_TRY(runs::take_fields(left)).size();
    ++block.documents;
    if (block.end - block.begin < block_bytes_ && !(ended_ && i + 1 == lengths.size())) continue;
    if (!open) groups.push_back({fields, {}, {}, {}});
    BlockGroup& group = groups.back();
    group.blocks.push_back(block);
    group.lengths.insert(group.lengths.end(), lengths.begin() + static_cast<std::ptrdiff_t>(i + 1 - block.documents),
                         lengths.begin() + static_cast<std::ptrdiff_t>(i + 1));
    group.priors.insert(group.priors.end(), priors.begin() + static_cast<std::ptrdiff_t>(i + 1 - block.documents),
                        priors.begin() + static_cast<std::ptrdiff_t>(i + 1));
    open = group.bytes() < kBlockGroupBytes;
    block = {block.end, block.end, 0};
  }
  if (!left.empty()) return Error(Code::kCorrupt, "a spool has fields of no document");
  // The block that is not full yet is the beginning of what is cut next.
  const ByteView begun = fields->view().subspan(block.begin);
  std::copy(begun.begin(), begun.end(), fields_.grow(begun.size()).begin());
  lengths_.assign(lengths.end() - block.documents, lengths.end());
  priors_.assign(priors.end() - block.documents, priors.end());
  return groups;
}

PackedGroup pack(BlockGroup group, partition::BlockCompressor& compressor) {
  PackedGroup packed;
  packed.documents.reserve(group.lengths.size());
  packed.blocks.reserve(group.blocks.size());
  // Blocks lie behind each other, so what is taken of this is little more than what is used.
  std::size_t room = 0;
  for (const BlockGroup::Block& block : group.blocks)
    room += partition::BlockCompressor::max_bytes(block.end - block.begin);
  packed.bytes = std::make_unique_for_overwrite<std::byte[]>(room);
  std::span<std::byte> left(packed.bytes.get(), room);
  for (const BlockGroup::Block& block : group.blocks) {
    const ByteView fields = group.fields->view().subspan(block.begin, block.end - block.begin);
    const std::size_t size = compressor.compress(fields, block.documents, left);
    packed.blocks.push_back(left.first(size));
    left = left.subspan(size);
    ByteReader in(fields);
    for (std::uint32_t i = 0; i < block.documents; ++i) {
      packed.documents.push_back(runs::read_fields(in));
      packed.documents.back().prior = group.priors[packed.documents.size() - 1];
    }
  }
  packed.group = std::move(group);
  return packed;
}

Result<void> add_group(partition::PartitionWriter& writer, const PackedGroup& packed) {
  std::size_t first = 0;
  for (std::size_t b = 0; b < packed.blocks.size(); ++b) {
    const std::size_t count = packed.group.blocks[b].documents;
    FROND_TRY(writer.add_block(std::span(packed.documents).subspan(first, count),
                               std::span(packed.group.lengths).subspan(first, count), packed.blocks[b]));
    first += count;
  }
  return {};
}

}  // namespace frond::indexer::publish
