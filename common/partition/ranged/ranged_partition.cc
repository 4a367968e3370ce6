#include "common/partition/ranged/ranged_partition.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/partition/documents/document_block.h"
#include "common/partition/files/rocks.h"
#include "common/partition/format/format.h"
#include "common/partition/format/sst_layout.h"
#include "common/partition/ranged/ranged_tables.h"

namespace frond::partition {

namespace {

constexpr std::size_t kSmallBlockBytes = std::size_t{16} << 10;     // is read whole
constexpr std::uint64_t kMaxWantedBytes = std::uint64_t{16} << 20;  // of whole values at a time

// Some documents' numbers in an array of a partition whose files lie elsewhere: few bytes of the values of 4 MiB, or
// a whole value where many of its numbers are asked for.
// One thread.
class RangedNumbers {
 public:
  // The numbers of `docids`, ascending, of which there are `documents`. All but `column` is borrowed.
  RangedNumbers(RangedFiles& files, RangedTables& tables, const Column& column, std::uint64_t documents,
                std::span<const DocId> docids)
      : files_(files), tables_(tables), column_(column), docids_(docids), numbers_(docids.size()) {
    for (std::size_t i = 0; i < docids.size(); ++i) {
      const auto first = static_cast<DocId>(docids[i] / column.per_value() * column.per_value());
      if (groups_.empty() || groups_.back().first != first) {
        Group group{i, i, column.key(first)};
        group.first = first;
        group.value_bytes = std::min<std::uint64_t>(column.per_value(), documents - first) * column.width;
        groups_.push_back(std::move(group));
      }
      groups_.back().end = i + 1;
    }
    for (Group& group : groups_) group.whole = group.value_bytes <= kBytesPerRequest * (group.end - group.begin);
  }
  // Takes what is there. Whether that is all; else RangedFiles::fetch() brings more, and what is large may be dropped
  // before. Errors: kCorrupt. Checksums are verified of whole values only.
  Result<bool> attempt() {
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
  // Then: as many as `docids`, or none, if the partition does not have the array.
  const std::vector<std::uint64_t>& numbers() const { return numbers_; }

 private:
  // The documents of a value.
  struct Group {
    std::size_t begin = 0, end = 0;  // in docids_
    std::string key{};
    std::uint64_t value_bytes = 0;
    DocId first = 0;       // of the value
    std::size_t file = 0;  // where the block is,
    std::optional<BlockHandle> block{};
    std::size_t head_bytes = 256;  // to be read of it
    bool whole = false, done = false;
    std::optional<std::uint64_t> offset{};  // of the value, in the file
  };
  Result<bool> attempt(Group& group) {
    if (!FROND_TRY(find_block(group)) || absent_) return false;
    if (!group.whole && (!FROND_TRY(find_value(group)) || absent_)) return false;
    if (group.whole) return read_whole(group);
    return read_single(group);
  }
  Result<bool> find_block(Group& group) {
    if (group.block) return true;
    const auto found = FROND_TRY(tables_.find(group.key));
    if (!found) return false;
    group.file = found->file;
    group.block = found->blocks.at;
    absent_ = absent_ || !group.block;
    if (group.block && group.block->bytes <= kSmallBlockBytes) group.whole = true;
    return true;
  }
  Result<bool> find_value(Group& group) {
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
  Result<bool> read_whole(Group& group) {
    if (files_.wanted_bytes() >= kMaxWantedBytes) return false;
    const auto block = files_.get(group.file, group.block->offset, static_cast<std::size_t>(group.block->bytes));
    if (!block) return false;
    if (!is_intact(*block)) return corrupt(group, "the checksum is wrong");
    const auto entry = FROND_TRY(last_up_to(*block, group.key));
    absent_ = absent_ || !entry || entry->key != group.key;
    if (absent_) return false;
    if (entry->value.size() != group.value_bytes) return corrupt(group, "a value of another length");
    for (std::size_t i = group.begin; i < group.end; ++i)
      numbers_[i] = number_at(entry->value.subspan((docids_[i] - group.first) * column_.width));
    return true;
  }
  bool read_single(Group& group) {
    bool all = true;
    for (std::size_t i = group.begin; i < group.end; ++i) {
      const auto bytes =
          files_.get(group.file, *group.offset + (docids_[i] - group.first) * column_.width, column_.width);
      all = all && bytes.has_value();
      if (bytes) numbers_[i] = number_at(*bytes);
    }
    return all;
  }
  std::uint64_t number_at(ByteView bytes) const {
    return column_.width == sizeof(std::uint64_t) ? load_le<std::uint64_t>(bytes.data())
                                                  : load_le<std::uint32_t>(bytes.data());
  }
  Error corrupt(const Group& group, std::string_view what) const {
    return Error(Code::kCorrupt, files_.file(group.file).name + ": " + std::string(column_.prefix) + " from " +
                                     std::to_string(group.first) + ": " + std::string(what));
  }

  RangedFiles& files_;
  RangedTables& tables_;
  const Column column_;
  const std::span<const DocId> docids_;
  std::vector<Group> groups_;
  std::vector<std::uint64_t> numbers_;
  bool absent_ = false;
};

constexpr std::size_t kDocumentsAtOnce = 512;                 // whose blocks are looked for together
constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 20;  // of blocks that are fetched together

std::string key_of(DocId docid) { return numbered_key({}, docid); }

class Ranged final : public RangedPartition {
 public:
  Ranged(std::string name, const PartitionSummary& summary, ReadRange read)
      : name_(std::move(name)),
        count_(static_cast<std::uint32_t>(summary.documents)),
        field_tokens_(summary.field_tokens),
        files_(summary.files, std::move(read)),
        arrays_(files_, files_of(summary.files, Family::kArrays)),
        documents_(files_, files_of(summary.files, Family::kDocuments), {key_of(0), key_of(count_)}) {}

  Result<bool> read(std::span<const DocId> docids, const Visit& visit) override {
    auto done = guarded(name_, [&] { return read_all(docids, visit); });
    if (!done) return std::move(done).error().within(name_);
    return done;
  }

 private:
  using Blocks = std::vector<std::optional<RangedTables::Found>>;  // of some documents; nothing: not found yet

  Result<bool> read_all(std::span<const DocId> docids, const Visit& visit) {
    if (docids.empty()) return true;
    if (docids.back() >= count_)
      return Error(Code::kNotFound, "document " + std::to_string(docids.back()) + " of " + std::to_string(count_));
    RangedNumbers lengths(files_, arrays_, kLengths, count_, docids),
        digests(files_, arrays_, kTermDigests, count_, docids);
    std::vector<std::pair<std::size_t, RangedNumbers>> field_lengths;
    for (std::uint32_t field = 0; field < field_tokens_.size(); ++field)
      if (field_tokens_[field] > 0)
        field_lengths.emplace_back(field, RangedNumbers(files_, arrays_, lengths_in_field(field), count_, docids));
    documents_.expect(docids);
    Blocks blocks(std::min(docids.size(), kDocumentsAtOnce));
    // What can be asked for at the same time is.
    const auto first_requests = [&]() -> Result<bool> {
      bool all = FROND_TRY(lengths.attempt());
      all = FROND_TRY(digests.attempt()) && all;
      for (auto& [field, numbers] : field_lengths) all = FROND_TRY(numbers.attempt()) && all;
      all = FROND_TRY(read_dictionary()) && all;
      files_.drop_large();
      return FROND_TRY(locate(docids, blocks)) && all;
    };
    FROND_TRY(files_.until_there(first_requests));
    arrays_.drop();
    if (digests.numbers().empty()) return false;
    if (lengths.numbers().empty()) return Error(Code::kCorrupt, "it has no lengths");
    for (const auto& [field, numbers] : field_lengths)
      if (numbers.numbers().empty())
        return Error(Code::kCorrupt, "it has no lengths in field " + std::to_string(field));
    for (std::size_t at = 0; at < docids.size(); at += blocks.size()) {
      const auto some = docids.subspan(at, std::min(docids.size() - at, kDocumentsAtOnce));
      if (at > 0) {
        blocks.assign(some.size(), std::nullopt);
        FROND_TRY(files_.until_there([&] { return locate(some, blocks); }));
      }
      documents_.drop();
      const auto take = [&](std::size_t place, const StoredDocument& fields) {
        std::vector<std::uint32_t> in_fields(field_tokens_.size());
        for (const auto& [field, numbers] : field_lengths)
          in_fields[field] = static_cast<std::uint32_t>(numbers.numbers()[at + place]);
        return visit(some[place], {fields, static_cast<std::uint32_t>(lengths.numbers()[at + place]),
                                   digests.numbers()[at + place], std::move(in_fields)});
      };
      FROND_TRY(visit_blocks(some, blocks, take));
    }
    return true;
  }

  Result<bool> read_dictionary() {
    if (decompressor_) return true;
    const auto found = FROND_TRY(arrays_.find(kDictionaryKey));
    if (!found) return false;
    ByteView dictionary;
    if (found->blocks.at) {
      const BlockHandle at = *found->blocks.at;
      const auto block = files_.get(found->file, at.offset, static_cast<std::size_t>(at.bytes));
      if (!block) return false;
      if (!is_intact(*block)) return Error(Code::kCorrupt, "the checksum of its dictionary is wrong");
      const auto entry = FROND_TRY(last_up_to(*block, kDictionaryKey));
      if (entry && entry->key == kDictionaryKey) dictionary = entry->value;
      decompressor_.emplace(dictionary);
    } else {
      decompressor_.emplace(dictionary);
    }
    return true;
  }

  // Finds the blocks of as many of these documents as `blocks` has.
  Result<bool> locate(std::span<const DocId> docids, Blocks& blocks) {
    bool all = true;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (!blocks[i]) blocks[i] = FROND_TRY(documents_.find(key_of(docids[i])));
      all = all && blocks[i].has_value();
    }
    return all;
  }

  // The bytes of one or two blocks, as one range where they are neighbours.
  struct Bytes {
    std::optional<ByteView> before, at;
    bool all = true;
  };
  Bytes bytes_of(const RangedTables::Found& found) {
    const auto& [before, at] = found.blocks;
    Bytes bytes;
    const auto get = [&](const BlockHandle& block) {
      auto got = files_.get(found.file, block.offset, static_cast<std::size_t>(block.bytes));
      bytes.all = bytes.all && got.has_value();
      return got;
    };
    if (before) bytes.before = get(*before);
    if (at) bytes.at = get(*at);
    return bytes;
  }

  template <class Take>
  Result<void> visit_blocks(std::span<const DocId> docids, const Blocks& blocks, const Take& take) {
    DocumentBlock held;
    DocId first = 0;
    for (std::size_t begin = 0, end = 0; begin < docids.size(); begin = end) {
      for (end = begin; end < docids.size() && files_.wanted_bytes() < kMostBytes; ++end) (void)bytes_of(*blocks[end]);
      FROND_TRY(files_.fetch());
      for (std::size_t i = begin; i < end; ++i) {
        if (docids[i] < first || docids[i] - first >= held.documents.size())
          first = FROND_TRY(load(docids[i], bytes_of(*blocks[i]), held));
        FROND_TRY(take(i, held.documents[docids[i] - first]));
      }
      documents_.drop();
    }
    return {};
  }

  // Fills `block` with the documents stored with this one, and gives the first.
  Result<DocId> load(DocId docid, const Bytes& bytes, DocumentBlock& block) {
    const auto corrupt = [&](const char* what) {
      return Error(Code::kCorrupt, "document " + std::to_string(docid) + ": " + what);
    };
    for (const auto& one : {bytes.at, bytes.before}) {
      if (!one) continue;
      if (!is_intact(*one)) return corrupt("the checksum of its block is wrong");
      const auto entry = FROND_TRY(last_up_to(*one, key_of(docid)));
      if (!entry) continue;  // it is at the end of the block before
      if (entry->key.size() != sizeof(DocId)) return corrupt("its block has a wrong key");
      const DocId first = read_be32(entry->key);
      FROND_TRY(decompressor_->decompress(entry->value, block));
      if (docid - first >= block.documents.size()) return corrupt("its block is too short");
      return first;
    }
    return corrupt("no block holds it");
  }

  const std::string name_;
  const std::uint32_t count_;
  const FieldTokens field_tokens_;
  RangedFiles files_;
  RangedTables arrays_, documents_;
  std::optional<BlockDecompressor> decompressor_;  // nothing: the dictionary is not read yet
};

}  // namespace

std::unique_ptr<RangedPartition> RangedPartition::open(std::string name, const PartitionSummary& summary,
                                                       ReadRange read) {
  return std::make_unique<Ranged>(std::move(name), summary, std::move(read));
}

namespace {

constexpr std::size_t kIdsAtOnce = 256;

class RangedIds {
 public:
  RangedIds(const PartitionSummary& summary, ReadRange read, std::size_t ids)
      : files_(summary.files, std::move(read)), tables_(files_, files_of(summary.files, Family::kIds)) {
    tables_.expect(ids);
  }

  // Appends the documents of these ids.
  Result<void> find_some(std::span<const std::string_view> ids, std::vector<std::optional<DocId>>& docids) {
    std::vector<std::optional<RangedTables::Found>> places(ids.size());
    const auto locate = [&]() -> Result<bool> {
      bool all = true;
      for (std::size_t i = 0; i < ids.size(); ++i) {
        if (!places[i]) places[i] = FROND_TRY(tables_.find(ids[i]));
        all = all && places[i].has_value();
      }
      return all;
    };
    FROND_TRY(files_.until_there(locate));
    const auto read_blocks = [&]() -> Result<bool> {
      bool all = true;
      for (const auto& place : places)
        if (place->blocks.at) all = block_of(*place).has_value() && all;
      return all;
    };
    FROND_TRY(files_.until_there(read_blocks));
    for (std::size_t i = 0; i < ids.size(); ++i) docids.push_back(FROND_TRY(look_up(ids[i], *places[i])));
    tables_.drop();
    return {};
  }

 private:
  std::optional<ByteView> block_of(const RangedTables::Found& place) {
    return files_.get(place.file, place.blocks.at->offset, static_cast<std::size_t>(place.blocks.at->bytes));
  }

  Result<std::optional<DocId>> look_up(std::string_view id, const RangedTables::Found& place) {
    if (!place.blocks.at) return std::optional<DocId>();
    const auto block = block_of(place);
    if (!block || !is_intact(*block)) return Error(Code::kCorrupt, "the checksum of a block of ids is wrong");
    const auto entry = FROND_TRY(last_up_to(*block, id));
    if (!entry || entry->key != id) return std::optional<DocId>();
    return std::optional<DocId>(FROND_TRY(decode_docid(entry->value)));
  }

  RangedFiles files_;
  RangedTables tables_;
};

}  // namespace

Result<std::vector<std::optional<DocId>>> find_ids_by_ranges(const std::string& name, const PartitionSummary& summary,
                                                             ReadRange read, std::span<const std::string_view> ids) {
  RangedIds ranged(summary, std::move(read), ids.size());
  std::vector<std::optional<DocId>> docids;
  docids.reserve(ids.size());
  for (std::size_t at = 0; at < ids.size(); at += kIdsAtOnce) {
    const auto some = ids.subspan(at, std::min(ids.size() - at, kIdsAtOnce));
    auto found = guarded(name, [&] { return ranged.find_some(some, docids); });
    if (!found) return std::move(found).error().within(name);
  }
  return docids;
}

}  // namespace frond::partition
