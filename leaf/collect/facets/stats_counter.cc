#include "leaf/collect/facets/stats_counter.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/base/check.h"

namespace frond::leaf::collect {
namespace {

using schema::FieldType;

// Of some values, but for the sum of floats. The sum is high · 2^32 + low: of less than 2^31 values if they are added
// by add_few().
struct Stats {
  std::uint64_t values = 0, least = ~std::uint64_t{0}, greatest = 0;
  std::int64_t high = 0, low = 0;

  void add_few(std::uint64_t key, std::uint64_t times = 1) {
    values += times;
    least = std::min(least, key);
    greatest = std::max(greatest, key);
    const auto value = static_cast<std::int64_t>(key ^ std::uint64_t{1} << 63);
    high += (value >> 32) * static_cast<std::int64_t>(times);
    low += (value & 0xffff'ffff) * static_cast<std::int64_t>(times);
  }
  // Of less than 2^32 values.
  void add(std::uint64_t key) {
    add_few(key);
    high += low >> 32;
    low &= 0xffff'ffff;
  }
  void add_to(query::FacetCounts& to) const {
    to.values += values;
    to.least = std::min(to.least, least);
    to.greatest = std::max(to.greatest, greatest);
    add_sum_to(to);
  }
  void add_sum_to(query::FacetCounts& to) const {
    // Both halves of `high` are exact as doubles, and stay so times a power of two.
    to.sum.add(std::ldexp(static_cast<double>(high >> 31), 63));
    to.sum.add(std::ldexp(static_cast<double>(high & 0x7fff'ffff), 32));
    to.sum.add_integer(low);
  }
};

class StatsCounter final : public FacetCounter {
 public:
  explicit StatsCounter(const partition::ValueColumn& column) : type_(column.type()), column_(column) {}

  bool take(std::uint32_t, const Chunk& chunk, const Bits& documents) override {
    Stats here;  // a chunk has less than 2^31 values
    for_each_code(chunk, documents, [&](std::uint64_t code, bool) {
      const std::uint64_t key = chunk.least + code;
      if (type_ != FieldType::kFloat) return here.add_few(key);
      ++here.values;
      here.least = std::min(here.least, key);
      here.greatest = std::max(here.greatest, key);
      stats_.sum.add(real(key));
    });
    here.add_to(stats_);
    return true;
  }
  void take(std::uint32_t, const Chunk& chunk, std::span<const Row> rows, std::vector<Row>*) override {
    for_each_code(chunk, rows, [&](std::uint64_t code, bool, const Row& row) {
      const std::uint64_t key = chunk.least + code;
      if (row.slot >= by_slot_.size()) by_slot_.resize(row.slot + std::size_t{1});
      Stats& stats = by_slot_[row.slot];
      if (type_ != FieldType::kFloat) return stats.add(key);
      if (row.slot >= sums_.size()) sums_.resize(row.slot + std::size_t{1});
      ++stats.values;
      stats.least = std::min(stats.least, key);
      stats.greatest = std::max(stats.greatest, key);
      sums_[row.slot].add(real(key));
    });
  }
  // A column of a device has less than 2^31 values.
  void add(std::span<const std::uint32_t> counts) override {
    FROND_CHECK(type_ != FieldType::kFloat);
    const std::uint64_t base = whole_span(column_).base;
    Stats all;
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (counts[i] != 0) all.add_few(base + i, counts[i]);
    all.add_to(stats_);
  }
  Result<Slots> finish(FacetRoom&, std::span<query::FacetCounts> counts) override {
    if (stats_.values != 0) {
      counts[0].values = stats_.values;
      counts[0].least = stats_.least;
      counts[0].greatest = stats_.greatest;
      counts[0].sum = stats_.sum;
    }
    for (std::size_t i = 0; i < by_slot_.size(); ++i) by_slot_[i].add_to(counts[i]);
    for (std::size_t i = 0; i < sums_.size(); ++i) counts[i].sum.add(sums_[i]);
    return Slots();
  }
  std::size_t bytes() const override {
    return sizeof *this + by_slot_.capacity() * sizeof(Stats) + sums_.capacity() * sizeof(query::ExactSum);
  }

 private:
  double real(std::uint64_t key) const { return std::get<double>(schema::value_of_key(type_, key)); }

  const FieldType type_;
  const partition::ValueColumn& column_;
  query::FacetCounts stats_;
  std::vector<Stats> by_slot_;
  std::vector<query::ExactSum> sums_;  // of floats
};

class ValueCounter final : public FacetCounter {
 public:
  bool take(std::uint32_t, const Chunk& chunk, const Bits& documents) override {
    if (by_slot_.empty()) by_slot_.resize(1);
    if (chunk.offsets == nullptr)
      by_slot_[0] += clauses::count(documents);
    else
      for_each_code(chunk, documents, [&](std::uint64_t, bool) { ++by_slot_[0]; });
    return true;
  }
  void take(std::uint32_t, const Chunk& chunk, std::span<const Row> rows, std::vector<Row>*) override {
    for_each_code(chunk, rows, [&](std::uint64_t, bool, const Row& row) {
      if (row.slot >= by_slot_.size()) by_slot_.resize(row.slot + std::size_t{1});
      ++by_slot_[row.slot];
    });
  }
  Result<Slots> finish(FacetRoom&, std::span<query::FacetCounts> counts) override {
    for (std::size_t i = 0; i < by_slot_.size(); ++i) counts[i].values = by_slot_[i];
    return Slots();
  }
  std::size_t bytes() const override { return by_slot_.capacity() * sizeof(std::uint64_t); }

 private:
  std::vector<std::uint64_t> by_slot_;
};

}  // namespace

// A value is the least of the column, and its code less 1.
void add_sums(const engine::CodeSums& sums, const partition::ValueColumn& column, query::FacetCounts& to) {
  if (sums.codes == 0) return;
  const std::uint64_t base = whole_span(column).base;
  Stats values{sums.codes, base + (sums.least - 1), base + (sums.greatest - 1)};
  values.high = static_cast<std::int64_t>(sums.high);
  values.low = static_cast<std::int64_t>(sums.low) - static_cast<std::int64_t>(sums.codes);
  values.add_to(to);
  Stats bases;
  bases.add_few(base, sums.codes);
  bases.add_sum_to(to);
}

std::unique_ptr<FacetCounter> stats_counter(const query::Facet& facet, const partition::ValueColumn& column) {
  if (facet.kind == query::Facet::Kind::kCount) return std::make_unique<ValueCounter>();
  return std::make_unique<StatsCounter>(column);
}

}  // namespace frond::leaf::collect
