#include "common/partition/ranged_ids.h"

#include <algorithm>
#include <utility>

#include "common/partition/ranged_tables.h"
#include "common/partition/records.h"
#include "common/partition/rocks.h"

namespace frond::partition {
namespace {

constexpr std::size_t kIdsAtOnce = 256;

class IdsByRanges final : public RangedIds {
 public:
  IdsByRanges(std::string name, const PartitionSummary& summary, ReadRange read)
      : name_(std::move(name)),
        files_(summary.files, std::move(read)),
        tables_(files_, files_of(summary.files, Family::kIds)) {}

  Result<std::vector<std::optional<DocId>>> find(std::span<const std::string_view> ids) override {
    std::vector<std::optional<DocId>> docids;
    docids.reserve(ids.size());
    tables_.expect(ids.size());
    for (std::size_t at = 0; at < ids.size(); at += kIdsAtOnce) {
      const auto some = ids.subspan(at, std::min(ids.size() - at, kIdsAtOnce));
      auto found = guarded(name_, [&] { return find_some(some, docids); });
      if (!found) return std::move(found).error().within(name_);
    }
    return docids;
  }

 private:
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

  const std::string name_;
  RangedFiles files_;
  RangedTables tables_;
};

}  // namespace

std::unique_ptr<RangedIds> RangedIds::open(std::string name, const PartitionSummary& summary, ReadRange read) {
  return std::make_unique<IdsByRanges>(std::move(name), summary, std::move(read));
}

}  // namespace frond::partition
