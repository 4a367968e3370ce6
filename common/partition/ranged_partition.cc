#include "common/partition/ranged_partition.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "common/partition/document_block.h"
#include "common/partition/format.h"
#include "common/partition/ranged_numbers.h"
#include "common/partition/ranged_tables.h"
#include "common/partition/rocks.h"

namespace frond::partition {
namespace {

constexpr std::size_t kDocumentsAtOnce = 512;                 // whose blocks are looked for together
constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 20;  // of blocks that are fetched together
constexpr ArrayShape kLengths{kLengthsPrefix, kNumbersPerValue, sizeof(std::uint32_t)};
constexpr ArrayShape kDigests{kTermDigestsPrefix, kDigestsPerValue, sizeof(std::uint64_t)};

std::string key_of(DocId docid) {
  std::string key;
  append_be32(key, docid);
  return key;
}

class Ranged final : public RangedPartition {
 public:
  Ranged(std::string name, const PartitionSummary& summary, ReadRange read)
      : name_(std::move(name)),
        count_(static_cast<std::uint32_t>(summary.documents)),
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
        digests(files_, arrays_, kDigests, count_, docids);
    documents_.expect(docids);
    Blocks blocks(std::min(docids.size(), kDocumentsAtOnce));
    // What can be asked for at the same time is.
    const auto first_requests = [&]() -> Result<bool> {
      bool all = FROND_TRY(lengths.attempt());
      all = FROND_TRY(digests.attempt()) && all;
      all = FROND_TRY(read_dictionary()) && all;
      files_.drop_large();
      return FROND_TRY(locate(docids, blocks)) && all;
    };
    FROND_TRY(files_.until_there(first_requests));
    arrays_.drop();
    if (digests.numbers().empty()) return false;
    if (lengths.numbers().empty()) return Error(Code::kCorrupt, "it has no lengths");
    for (std::size_t at = 0; at < docids.size(); at += blocks.size()) {
      const auto some = docids.subspan(at, std::min(docids.size() - at, kDocumentsAtOnce));
      if (at > 0) {
        blocks.assign(some.size(), std::nullopt);
        FROND_TRY(files_.until_there([&] { return locate(some, blocks); }));
      }
      documents_.drop();
      const auto take = [&](std::size_t place, const StoredDocument& fields) {
        return visit(some[place], {fields, static_cast<std::uint32_t>(lengths.numbers()[at + place]),
                                   digests.numbers()[at + place]});
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
  RangedFiles files_;
  RangedTables arrays_, documents_;
  std::optional<BlockDecompressor> decompressor_;  // nothing: the dictionary is not read yet
};

}  // namespace

std::unique_ptr<RangedPartition> RangedPartition::open(std::string name, const PartitionSummary& summary,
                                                       ReadRange read) {
  return std::make_unique<Ranged>(std::move(name), summary, std::move(read));
}

}  // namespace frond::partition
