#include "leaf/collect/facet_counters.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "leaf/collect/bucket_table.h"

namespace frond::leaf::collect {
namespace {

using Kind = query::Facet::Kind;
using schema::FieldType;
using Counts = std::vector<std::uint32_t>;  // of documents of a partition, so 32 bits do
void add_to(Counts& to, std::span<const std::uint32_t> counts) {
  FROND_CHECK(counts.size() == to.size());
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += counts[i];
}

// What bucket a value is in, by its ordering key; ascending as the values.
class BucketOf {
 public:
  BucketOf(const query::Facet& facet, FieldType type) : facet_(facet), type_(type) {
    for (const schema::Value& bound : facet.bounds) bounds_.push_back(schema::ordering_key(type, bound));
  }
  std::uint64_t operator()(std::uint64_t key) const {
    if (facet_.kind == Kind::kRanges)
      return static_cast<std::uint64_t>(std::upper_bound(bounds_.begin(), bounds_.end(), key) - bounds_.begin());
    return facet_.kind == Kind::kHistogram || facet_.kind == Kind::kDates ? query::bucket_key(facet_, type_, key) : key;
  }

 private:
  const query::Facet& facet_;
  const FieldType type_;
  std::vector<std::uint64_t> bounds_;
};

// Keywords by their numbers.
class KeywordCounter final : public FacetCounter {
 public:
  KeywordCounter(const query::Facet& facet, const partition::ValueColumn& column, KeywordCache::Numbers numbers)
      : facet_(facet), column_(column), numbers_(std::move(numbers)), counts_(numbers_->size()) {}

  bool take(std::uint32_t number, const Chunk& chunk, const Bits& documents) override {
    const std::uint32_t* const numbers = numbers_->of_chunk(number).data();
    std::uint32_t* const counts = counts_.data();
    for_each_code(chunk, documents, [=](std::uint64_t code, bool) { ++counts[numbers[code]]; });
    return true;
  }
  void add(std::span<const std::uint32_t> counts) override { add_to(counts_, counts); }
  bool can_count_rest() const override { return true; }
  std::uint64_t count_rest() override {
    is_rest_ = true;
    return numbers_->documents_with_any();
  }
  Result<void> finish(FacetRoom& room, query::FacetCounts& counts) override {
    for (std::uint32_t i = 0; is_rest_ && i < counts_.size(); ++i) counts_[i] = numbers_->documents(i) - counts_[i];
    const auto buckets = static_cast<std::size_t>(std::ranges::count_if(counts_, [](auto n) { return n != 0; }));
    if (buckets > room.buckets_left()) return room.too_many_buckets(facet_);
    counts.words.reserve(buckets);
    if (facet_.kind == Kind::kValues) counts.counts.reserve(buckets);
    for (std::uint32_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] == 0) continue;
      counts.words.emplace_back(numbers_->word(column_, i));
      FROND_TRY(room.take_word(facet_, counts.words.back()));
      if (facet_.kind == Kind::kValues) counts.counts.push_back(counts_[i]);
    }
    return {};
  }
  std::size_t most_bytes() const override { return counts_.size() * sizeof counts_[0]; }

 private:
  const query::Facet& facet_;
  const partition::ValueColumn& column_;
  const KeywordCache::Numbers numbers_;
  bool is_rest_ = false;  // what is counted is what does not match
  Counts counts_;
};

// Values that lie close together, each by its distance from the first; they become buckets at the end. A document has
// one value, or its values are its buckets. Days and parts of them stand for dates whose buckets are made of these.
class DirectCounter final : public FacetCounter {
 public:
  DirectCounter(const query::Facet& facet, FieldType type, const ValueSpan& span)
      : facet_(facet), bucket_of_(facet, type), span_(span), counts_(span.steps) {}

  bool take(std::uint32_t, const Chunk& chunk, const Bits& documents) override {
    std::uint32_t* const counts = counts_.data();
    const std::uint64_t least = chunk.least - span_.base;
    if (span_.unit == 1)
      for_each_code(chunk, documents, [=](std::uint64_t code, bool) { ++counts[least + code]; });
    else
      for_each_code(chunk, documents,
                    [=, unit = span_.unit](std::uint64_t code, bool) { ++counts[(least + code) / unit]; });
    return true;
  }
  void add(std::span<const std::uint32_t> counts) override { add_to(counts_, counts); }
  Result<void> finish(FacetRoom& room, query::FacetCounts& counts) override {
    const bool counted = facet_.kind != Kind::kDistinct;
    for (std::uint64_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] == 0) continue;
      const std::uint64_t bucket = bucket_of_(span_.base + i * span_.unit);
      if (counts.keys.empty() || counts.keys.back() != bucket) {
        FROND_TRY(room.take_number(facet_));
        counts.keys.push_back(bucket);
        if (counted) counts.counts.push_back(0);
      }
      if (counted) counts.counts.back() += counts_[i];
    }
    return {};
  }
  std::size_t most_bytes() const override { return counts_.size() * sizeof counts_[0]; }

 private:
  const query::Facet& facet_;
  const BucketOf bucket_of_;
  const ValueSpan span_;
  Counts counts_;
};

// Buckets in a hash table.
class BucketCounter final : public FacetCounter {
 public:
  BucketCounter(const query::Facet& facet, const partition::ValueColumn& column, std::size_t max_buckets)
      : facet_(facet),
        bucket_of_(facet, column.type()),
        max_buckets_(max_buckets),
        possible_(facet.kind == Kind::kRanges ? facet.bounds.size() + 1 : column.values()) {}

  bool take(std::uint32_t, const Chunk& chunk, const Bits& documents) override {
    std::uint64_t last = 0;
    for_each_code(chunk, documents, [&](std::uint64_t code, bool is_first) {
      const std::uint64_t bucket = bucket_of_(chunk.least + code);
      if (!is_first && bucket == last) return;  // values ascend, so equal buckets follow each other
      last = bucket;
      if (table_.size() <= max_buckets_) table_.add(bucket);
    });
    return table_.size() <= max_buckets_;
  }
  void add(std::span<const std::uint32_t>) override { FROND_CHECK(false); }
  Result<void> finish(FacetRoom& room, query::FacetCounts& counts) override {
    if (table_.size() > room.buckets_left()) return room.too_many_buckets(facet_);
    for (const BucketTable::Bucket& one : table_.take()) {
      FROND_TRY(room.take_number(facet_));
      counts.keys.push_back(one.bucket);
      if (facet_.kind != Kind::kDistinct) counts.counts.push_back(one.count);
    }
    return {};
  }
  std::size_t most_bytes() const override {
    return BucketTable::most_bytes(std::min<std::size_t>(max_buckets_, possible_));
  }

 private:
  const query::Facet& facet_;
  const BucketOf bucket_of_;
  const std::size_t max_buckets_;
  const std::uint64_t possible_;  // no more buckets are there
  BucketTable table_;
};

class StatsCounter final : public FacetCounter {
 public:
  explicit StatsCounter(const partition::ValueColumn& column) : type_(column.type()), column_(column) {}

  bool take(std::uint32_t, const Chunk& chunk, const Bits& documents) override {
    std::uint64_t count = 0, least = ~std::uint64_t{0}, greatest = 0;
    std::int64_t high = 0, low = 0;  // of the sum, which is high · 2^32 + low: a chunk has less than 2^31 values
    for_each_code(chunk, documents, [&](std::uint64_t code, bool) {
      const std::uint64_t key = chunk.least + code;
      ++count;
      least = std::min(least, key);
      greatest = std::max(greatest, key);
      if (type_ == FieldType::kFloat) return stats_.sum.add(std::get<double>(schema::value_of_key(type_, key)));
      const auto value = static_cast<std::int64_t>(key ^ std::uint64_t{1} << 63);
      high += value >> 32;
      low += value & 0xffff'ffff;
    });
    add(count, least, greatest, high, low);
    return true;
  }
  // A column of a device has less than 2^31 values, so that the halves of the sum are as small as a chunk's.
  void add(std::span<const std::uint32_t> counts) override {
    FROND_CHECK(type_ != FieldType::kFloat);
    const std::uint64_t base = whole_span(column_).base;
    std::uint64_t count = 0, least = ~std::uint64_t{0}, greatest = 0;
    std::int64_t high = 0, low = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      const std::uint64_t key = base + i;
      count += counts[i];
      least = std::min(least, key);
      greatest = key;
      const auto value = static_cast<std::int64_t>(key ^ std::uint64_t{1} << 63);
      high += (value >> 32) * counts[i];
      low += (value & 0xffff'ffff) * counts[i];
    }
    add(count, least, greatest, high, low);
  }
  Result<void> finish(FacetRoom&, query::FacetCounts& counts) override {
    counts.values = stats_.values;
    counts.least = stats_.least;
    counts.greatest = stats_.greatest;
    counts.sum = stats_.sum;
    return {};
  }
  std::size_t most_bytes() const override { return sizeof *this; }

 private:
  // Of values whose sum is high · 2^32 + low.
  void add(std::uint64_t count, std::uint64_t least, std::uint64_t greatest, std::int64_t high, std::int64_t low) {
    stats_.values += count;
    stats_.least = std::min(stats_.least, least);
    stats_.greatest = std::max(stats_.greatest, greatest);
    // Both halves of `high` are exact as doubles, and stay so times a power of two.
    stats_.sum.add(std::ldexp(static_cast<double>(high >> 31), 63));
    stats_.sum.add(std::ldexp(static_cast<double>(high & 0x7fff'ffff), 32));
    stats_.sum.add_integer(low);
  }

  const FieldType type_;
  const partition::ValueColumn& column_;
  query::FacetCounts stats_;
};

}  // namespace

KeyBounds key_bounds(const partition::ValueColumn& column) {
  KeyBounds bounds;
  for (std::uint32_t i = 0; i < column.chunks(); ++i) {
    const Chunk& chunk = column.chunk(i);
    if (chunk.values == 0) continue;
    bounds.least = std::min(bounds.least, chunk.least);
    bounds.greatest = std::max(bounds.greatest, chunk.greatest);
    bounds.several = bounds.several || chunk.offsets != nullptr;
  }
  return bounds;
}

ValueSpan whole_span(const partition::ValueColumn& column) {
  const KeyBounds bounds = key_bounds(column);
  if (bounds.least > bounds.greatest || bounds.greatest - bounds.least >= ~std::uint64_t{0} - 2) return {};
  return {bounds.least, 1, bounds.greatest - bounds.least + 1};
}

ValueSpan span_of(const query::Facet& facet, const partition::ValueColumn& column) {
  const auto [least, greatest, several] = key_bounds(column);
  if (least > greatest || (several && facet.kind != Kind::kValues && facet.kind != Kind::kDistinct)) return {};
  ValueSpan span{least, 1, 0};
  if (facet.kind == Kind::kDates) {
    constexpr std::uint64_t kMinute = 60'000;
    query::Facet units = facet;
    units.unit = std::min(facet.unit, query::DateUnit::kDay);
    span.unit = facet.unit == query::DateUnit::kMinute ? kMinute
                : facet.unit == query::DateUnit::kHour ? 60 * kMinute
                                                       : 1440 * kMinute;
    span.base = query::bucket_key(units, FieldType::kDate, least);
    if (span.base == 0) return {};  // the first of all dates is in the middle of a unit
  }
  const std::uint64_t steps = (greatest - span.base) / span.unit;
  const std::uint64_t most = 4096 + column.documents() / 8;  // more would take longer to look through than to count
  if (steps < most) span.steps = steps + 1;
  return span;
}

std::unique_ptr<FacetCounter> facet_counter(const query::Facet& facet, const partition::ValueColumn& column,
                                            KeywordCache::Numbers numbers, std::size_t max_buckets) {
  const FieldType type = column.type();
  if (facet.kind == Kind::kStats) return std::make_unique<StatsCounter>(column);
  if (type == FieldType::kKeyword) return std::make_unique<KeywordCounter>(facet, column, std::move(numbers));
  if (const auto span = span_of(facet, column); span.steps != 0)
    return std::make_unique<DirectCounter>(facet, type, span);
  return std::make_unique<BucketCounter>(facet, column, max_buckets);
}

}  // namespace frond::leaf::collect
