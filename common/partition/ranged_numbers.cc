#include "common/partition/ranged_numbers.h"

#include <algorithm>

#include "common/partition/block_search.h"
#include "common/partition/format.h"

namespace frond::partition {
namespace {

constexpr std::size_t kSmallBlockBytes = std::size_t{16} << 10;     // is read whole
constexpr std::uint64_t kMaxWantedBytes = std::uint64_t{16} << 20;  // of whole values at a time

}  // namespace

RangedNumbers::RangedNumbers(RangedFiles& files, RangedTables& tables, const ArrayShape& shape, std::uint64_t documents,
                             std::span<const DocId> docids)
    : files_(files), tables_(tables), shape_(shape), docids_(docids), numbers_(docids.size()) {
  for (std::size_t i = 0; i < docids.size(); ++i) {
    const auto first = static_cast<DocId>(docids[i] / shape.per_value * shape.per_value);
    if (groups_.empty() || groups_.back().first != first) {
      Group group{i, i, std::string(shape.prefix)};
      append_be32(group.key, first);
      group.first = first;
      group.value_bytes = std::min<std::uint64_t>(shape.per_value, documents - first) * shape.width;
      groups_.push_back(std::move(group));
    }
    groups_.back().end = i + 1;
  }
  for (Group& group : groups_) group.whole = group.value_bytes <= kBytesPerRequest * (group.end - group.begin);
}

Error RangedNumbers::corrupt(const Group& group, std::string_view what) const {
  return Error(Code::kCorrupt, files_.file(group.file).name + ": " + std::string(shape_.prefix) + " from " +
                                   std::to_string(group.first) + ": " + std::string(what));
}

Result<bool> RangedNumbers::attempt() {
  bool all = true;
  for (Group& group : groups_) {
    if (!group.done && !absent_) {
      auto done = attempt(group);
      if (!done) return done;
      group.done = *done;
    }
    all = all && group.done;
  }
  if (!absent_) return all;
  numbers_.clear();
  return true;
}

Result<bool> RangedNumbers::attempt(Group& group) {
  if (!FROND_TRY(find_block(group)) || absent_) return false;
  if (!group.whole && (!FROND_TRY(find_value(group)) || absent_)) return false;
  if (group.whole) return read_whole(group);
  return read_single(group);
}

Result<bool> RangedNumbers::find_block(Group& group) {
  if (group.block) return true;
  const auto found = FROND_TRY(tables_.find(group.key));
  if (!found) return false;
  group.file = found->file;
  group.block = found->blocks.at;
  absent_ = absent_ || !group.block;
  if (group.block && group.block->bytes <= kSmallBlockBytes) group.whole = true;
  return true;
}

Result<bool> RangedNumbers::find_value(Group& group) {
  if (group.offset) return true;
  const auto block_bytes = static_cast<std::size_t>(group.block->bytes);
  const auto head = files_.get(group.file, group.block->offset, std::min(group.head_bytes, block_bytes));
  if (!head) return false;
  const BlockAnswer answer = find_in_block(*head, block_bytes, group.key);
  if (answer.told && !answer.value) {
    absent_ = true;
  } else if (answer.told) {
    if (answer.value->bytes != group.value_bytes) return corrupt(group, "a value of another length");
    group.offset = group.block->offset + answer.value->offset;
  } else if (group.head_bytes < kBlockHeadBytes) {
    group.head_bytes = kBlockHeadBytes;
    return false;
  } else {
    group.whole = true;
  }
  return true;
}

Result<bool> RangedNumbers::read_whole(Group& group) {
  if (files_.wanted_bytes() >= kMaxWantedBytes) return false;
  const auto block = files_.get(group.file, group.block->offset, static_cast<std::size_t>(group.block->bytes));
  if (!block) return false;
  if (!is_intact(*block)) return corrupt(group, "the checksum is wrong");
  const auto entry = FROND_TRY(last_up_to(*block, group.key));
  absent_ = absent_ || !entry || entry->key != group.key;
  if (absent_) return false;
  if (entry->value.size() != group.value_bytes) return corrupt(group, "a value of another length");
  for (std::size_t i = group.begin; i < group.end; ++i)
    numbers_[i] = number_at(entry->value.subspan((docids_[i] - group.first) * shape_.width));
  return true;
}

bool RangedNumbers::read_single(Group& group) {
  bool all = true;
  for (std::size_t i = group.begin; i < group.end; ++i) {
    const auto bytes = files_.get(group.file, *group.offset + (docids_[i] - group.first) * shape_.width, shape_.width);
    all = all && bytes.has_value();
    if (bytes) numbers_[i] = number_at(*bytes);
  }
  return all;
}

std::uint64_t RangedNumbers::number_at(ByteView bytes) const {
  return shape_.width == sizeof(std::uint64_t) ? load_le<std::uint64_t>(bytes.data())
                                               : load_le<std::uint32_t>(bytes.data());
}

}  // namespace frond::partition
