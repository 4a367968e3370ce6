#pragma once
// Some documents' numbers in an array of a partition whose files lie elsewhere: few bytes of the values of 4 MiB, or
// a whole value where many of its numbers are asked for. Internal to this folder.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/partition/ranged_tables.h"

namespace frond::partition {

struct ArrayShape {
  std::string_view prefix;    // of its values' keys
  std::size_t per_value = 0;  // numbers
  std::size_t width = 0;      // bytes of a number, 4 or 8
};

// One thread.
class RangedNumbers {
 public:
  // The numbers of `docids`, ascending, of which there are `documents`. All but `shape` is borrowed.
  RangedNumbers(RangedFiles& files, RangedTables& tables, const ArrayShape& shape, std::uint64_t documents,
                std::span<const DocId> docids);
  // Takes what is there. Whether that is all; else RangedFiles::fetch() brings more, and what is large may be dropped
  // before. Errors: kCorrupt. Checksums are verified of whole values only.
  Result<bool> attempt();
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
  Result<bool> attempt(Group& group);
  Result<bool> find_block(Group& group);
  Result<bool> find_value(Group& group);
  Result<bool> read_whole(Group& group);
  bool read_single(Group& group);
  std::uint64_t number_at(ByteView bytes) const;
  Error corrupt(const Group& group, std::string_view what) const;

  RangedFiles& files_;
  RangedTables& tables_;
  const ArrayShape shape_;
  const std::span<const DocId> docids_;
  std::vector<Group> groups_;
  std::vector<std::uint64_t> numbers_;
  bool absent_ = false;
};

}  // namespace frond::partition
