#pragma once
// The tables of one family whose files lie elsewhere: finds the blocks of a key in all of its files. Internal to this
// folder.
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/partition/format.h"
#include "common/partition/ranged_table.h"

namespace frond::partition {

// Which of a partition's files have this family, in the order of their keys, but those of heads and priors.
std::vector<std::size_t> files_of(std::span<const PartitionFile> files, Family family);

// One thread. As RangedTable's: find() gives nothing while it wants something.
class RangedTables {
 public:
  // numbers: those of the family's files in `files`, in the order of their keys; the bounds are of all of them.
  RangedTables(RangedFiles& files, std::span<const std::size_t> numbers, KeyBounds bounds = {});
  // Which documents will be looked for, ascending, where keys are their numbers. Borrowed; called before find().
  void expect(std::span<const DocId> docids) { expected_ = docids; }
  // So many keys will be looked for, anywhere.
  void expect(std::size_t keys) { expected_keys_ = keys; }

  struct Found {
    std::size_t file = 0;
    RangedTable::Blocks blocks{};
  };
  // In the last file that begins with the key or before it. No blocks: there are no files.
  Result<std::optional<Found>> find(std::string_view key);
  // Drops what is held of the files, and indexes that were read whole, but that of the last file where a key was found:
  // keys come in ascending order.
  void drop();

 private:
  Result<bool> learn_firsts();
  RangedFiles& files_;
  const KeyBounds bounds_;
  std::vector<RangedTable> tables_;
  std::vector<std::string> firsts_;  // keys of tables_; empty: not known yet
  std::span<const DocId> expected_;
  std::size_t expected_keys_ = 0;
  std::size_t last_ = 0;  // in tables_, where a key was found
};

}  // namespace frond::partition
