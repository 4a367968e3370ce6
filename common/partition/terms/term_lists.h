#pragma once
// Finds terms and their lists in a partition's tables. Internal to this folder.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/partition/files/database.h"
#include "common/partition/partition.h"

namespace frond::partition {

// Any thread that may use the database. Methods: as Partition's of the same names.
class TermLists {
 public:
  // documents: of the partition; no list may have more.
  TermLists(std::shared_ptr<const Database> database, std::uint32_t documents)
      : database_(std::move(database)), documents_(documents) {}

  Result<TermStatistics> term(std::string_view term) const;
  Result<TermList> list(std::string_view term) const;

 private:
  struct Record {
    TermStatistics statistics;
    PinnedBytes inline_list;
  };
  Result<Record> record_of(std::string_view term) const;
  Result<PinnedBytes> stored(std::string_view term, std::uint32_t number) const;
  std::string where(std::string_view term) const { return database_->where(Family::kTerms, term); }

  const std::shared_ptr<const Database> database_;
  const std::uint32_t documents_;
};

}  // namespace frond::partition
