#pragma once
// What clauses read of a partition beside its posting lists, and a search of one partition: ClausePlan.
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/partition/partition.h"
#include "common/partition/values/value_column.h"
#include "leaf/clauses/resolve/resolved_query.h"
#include "leaf/engine/plan.h"
#include "leaf/lists/list_store.h"

namespace frond::leaf::clauses {

// As the functions of these names of partition::Partition. Any thread.
class SearchedPartition {
 public:
  virtual ~SearchedPartition() = default;
  virtual const partition::ValueColumn* column(std::uint32_t field) const = 0;
  virtual std::span<const std::uint32_t> lengths_in(std::uint32_t field) const = 0;
  virtual ByteView token_codes(DocId docid) const = 0;
  virtual Result<DocId> docid_of(std::string_view id) const = 0;
};

class OpenedPartition final : public SearchedPartition {
 public:
  // `partition` outlives this.
  explicit OpenedPartition(const partition::Partition& partition) : partition_(partition) {}
  const partition::ValueColumn* column(std::uint32_t field) const override { return partition_.column(field); }
  std::span<const std::uint32_t> lengths_in(std::uint32_t field) const override {
    const auto lengths = partition_.lengths_in(field);
    return lengths ? std::span<const std::uint32_t>(*lengths) : std::span<const std::uint32_t>();
  }
  ByteView token_codes(DocId docid) const override { return partition_.token_codes(docid); }
  Result<DocId> docid_of(std::string_view id) const override { return partition_.docid_of(id); }

 private:
  const partition::Partition& partition_;
};

struct ClausePlan {
  // Without terms: `mode` is ignored. `norm`: of all text.
  engine::Plan plan;
  const ResolvedQuery* query = nullptr;
  std::vector<lists::ListLease> lists;  // by ListNumber; null or without postings: the partition does not have the term
  const SearchedPartition* partition = nullptr;
  scoring::DeficitBasis built;  // of the partition
};

}  // namespace frond::leaf::clauses
