#include "leaf/collect/facets/facet_counters.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "common/base/check.h"
#include "common/query/facets/facet_buckets.h"
#include "leaf/collect/facets/bucket_slots.h"
#include "leaf/collect/facets/stats_counter.h"

namespace frond::leaf::collect {
namespace {

using Kind = query::Facet::Kind;
using schema::FieldType;
using Slot = BucketSlots::Slot;
using Counts = std::vector<std::uint32_t>;  // of documents of a partition, so 32 bits do

void add_to(Counts& to, std::span<const std::uint32_t> counts) {
  FROND_CHECK(counts.size() == to.size());
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += counts[i];
}
// Calls visit(slot) for each bucket: of those counted by number, or else of slots, by key_of(number). Returns the
// slots.
template <class KeyOf, class Visit>
Result<FacetCounter::Slots> visit_buckets(const Counts& counts, BucketSlots& slots, const KeyOf& key_of,
                                          const Visit& visit) {
  FacetCounter::Slots order;
  for (std::uint32_t i = 0; i < counts.size(); ++i)
    if (counts[i] != 0) FROND_TRY(visit(Slot{0, i, counts[i]}));
  for (const Slot& one : slots.take(key_of)) {
    FROND_TRY(visit(one));
    order.push_back(one.slot);
  }
  return order;
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
    return is_value(facet_.kind) ? key : query::bucket_key(facet_, type_, key);
  }
  static bool is_value(Kind kind) { return kind == Kind::kValues || kind == Kind::kDistinct; }

 private:
  const query::Facet& facet_;
  const FieldType type_;
  std::vector<std::uint64_t> bounds_;
};

// Appends a bucket with its key, or adds to the last one, which has the same.
Result<void> put_key(const query::Facet& facet, const Slot& one, std::uint64_t key, FacetRoom& room,
                     std::span<query::FacetCounts> counts) {
  query::FacetCounts& to = counts[one.around];
  const bool counted = facet.kind != Kind::kDistinct;
  if (to.keys.empty() || to.keys.back() != key) {
    FROND_TRY(room.take_number(facet));
    to.keys.push_back(key);
    if (counted) to.counts.push_back(0);
  }
  if (counted) to.counts.back() += one.count;
  return {};
}

// Keywords by their numbers.
class KeywordCounter final : public FacetCounter {
 public:
  KeywordCounter(const query::Facet& facet, const partition::ValueColumn& column, KeywordCache::Numbers numbers)
      : facet_(facet), column_(column), numbers_(std::move(numbers)) {}

  bool take(std::uint32_t number, const Chunk& chunk, const Bits& documents) override {
    counts_.resize(numbers_->size());
    const std::uint32_t* const numbers = numbers_->of_chunk(number).data();
    std::uint32_t* const counts = counts_.data();
    for_each_code(chunk, documents, [=](std::uint64_t code, bool) { ++counts[numbers[code]]; });
    return true;
  }
  void take(std::uint32_t number, const Chunk& chunk, std::span<const Row> rows, std::vector<Row>* into) override {
    const std::uint32_t* const numbers = numbers_->of_chunk(number).data();
    for_each_code(chunk, rows, [&](std::uint64_t code, bool, const Row& row) { slots_.add(row, numbers[code], into); });
  }
  std::size_t slots() const override { return slots_.size(); }
  void add(std::span<const std::uint32_t> counts) override {
    counts_.resize(numbers_->size());
    add_to(counts_, counts);
  }
  bool can_count_rest() const override { return true; }
  std::uint64_t count_rest() override {
    is_rest_ = true;
    counts_.resize(numbers_->size());
    return numbers_->documents_with_any();
  }
  Result<Slots> finish(FacetRoom& room, std::span<query::FacetCounts> counts) override {
    for (std::uint32_t i = 0; is_rest_ && i < counts_.size(); ++i) counts_[i] = numbers_->documents(i) - counts_[i];
    const auto alone = static_cast<std::size_t>(std::ranges::count_if(counts_, [](auto n) { return n != 0; }));
    if (alone + slots_.size() > room.buckets_left()) return room.too_many_buckets(facet_);
    if (alone != 0) counts[0].words.reserve(alone);
    if (alone != 0 && facet_.kind == Kind::kValues) counts[0].counts.reserve(alone);
    return visit_buckets(counts_, slots_, std::identity(), [&](const Slot& one) {
      query::FacetCounts& to = counts[one.around];
      to.words.emplace_back(numbers_->word(column_, one.number));
      if (facet_.kind == Kind::kValues) to.counts.push_back(one.count);
      return room.take_word(facet_, to.words.back());
    });
  }
  std::size_t bytes() const override { return counts_.size() * sizeof counts_[0] + slots_.bytes(); }
  std::size_t array_bytes(bool alone) const override { return alone ? numbers_->size() * sizeof counts_[0] : 0; }

 private:
  const query::Facet& facet_;
  const partition::ValueColumn& column_;
  const KeywordCache::Numbers numbers_;
  bool is_rest_ = false;  // what is counted is what does not match
  Counts counts_;
  BucketSlots slots_;
};

// Values that lie close together, each by its distance from the first; they become buckets at the end. A document has
// one value, or its values are its buckets. Days and parts of them stand for dates whose buckets are made of these.
class DirectCounter final : public FacetCounter {
 public:
  DirectCounter(const query::Facet& facet, FieldType type, const ValueSpan& span)
      : facet_(facet), bucket_of_(facet, type), span_(span) {}

  bool take(std::uint32_t, const Chunk& chunk, const Bits& documents) override {
    counts_.resize(span_.steps);
    std::uint32_t* const counts = counts_.data();
    const std::uint64_t least = chunk.least - span_.base;
    if (span_.unit == 1)
      for_each_code(chunk, documents, [=](std::uint64_t code, bool) { ++counts[least + code]; });
    else
      for_each_code(chunk, documents,
                    [=, unit = span_.unit](std::uint64_t code, bool) { ++counts[(least + code) / unit]; });
    return true;
  }
  void take(std::uint32_t, const Chunk& chunk, std::span<const Row> rows, std::vector<Row>* into) override {
    first_steps_.resize(span_.steps, kUnknown);
    const std::uint64_t least = chunk.least - span_.base;
    for_each_code(chunk, rows, [&](std::uint64_t code, bool, const Row& row) {
      std::uint32_t& first = first_steps_[(least + code) / span_.unit];
      if (first == kUnknown) first = first_step((least + code) / span_.unit);
      slots_.add(row, first, into);
    });
  }
  std::size_t slots() const override { return slots_.size(); }
  void add(std::span<const std::uint32_t> counts) override {
    counts_.resize(span_.steps);
    add_to(counts_, counts);
  }
  Result<Slots> finish(FacetRoom& room, std::span<query::FacetCounts> counts) override {
    return visit_buckets(counts_, slots_, std::identity(),
                         [&](const Slot& one) { return put_key(facet_, one, bucket_at(one.number), room, counts); });
  }
  std::size_t bytes() const override {
    return (counts_.size() + first_steps_.size()) * sizeof counts_[0] + slots_.bytes();
  }
  std::size_t array_bytes(bool) const override { return span_.steps * sizeof counts_[0]; }

 private:
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};
  std::uint64_t bucket_at(std::uint64_t step) const { return bucket_of_(span_.base + step * span_.unit); }
  // Of the bucket that this step is in: buckets ascend.
  std::uint32_t first_step(std::uint64_t step) const {
    const std::uint64_t bucket = bucket_at(step);
    std::uint64_t first = 0, last = step;
    while (first != last) {
      const std::uint64_t middle = first + (last - first) / 2;
      if (bucket_at(middle) == bucket)
        last = middle;
      else
        first = middle + 1;
    }
    return static_cast<std::uint32_t>(first);
  }

  const query::Facet& facet_;
  const BucketOf bucket_of_;
  const ValueSpan span_;
  Counts counts_;
  Counts first_steps_;  // of the bucket of each step, or kUnknown
  BucketSlots slots_;
};

// Buckets in a hash table.
class BucketCounter final : public FacetCounter {
 public:
  BucketCounter(const query::Facet& facet, FieldType type, std::size_t max_buckets)
      : facet_(facet),
        bucket_of_(facet, type),
        max_buckets_(max_buckets),
        counts_values_(facet.kind == Kind::kPercentiles) {}

  bool take(std::uint32_t, const Chunk& chunk, const Bits& documents) override {
    std::uint64_t last = 0;
    for_each_code(chunk, documents, [&](std::uint64_t code, bool is_first) {
      const std::uint64_t bucket = bucket_of_(chunk.least + code);
      if (!is_first && bucket == last && !counts_values_) return;  // values ascend, so equal buckets follow each other
      last = bucket;
      if (table_.size() <= max_buckets_) table_.add(bucket);
    });
    return table_.size() <= max_buckets_;
  }
  void take(std::uint32_t, const Chunk& chunk, std::span<const Row> rows, std::vector<Row>* into) override {
    std::uint64_t last = 0;
    for_each_code(chunk, rows, [&](std::uint64_t code, bool is_first, const Row& row) {
      const std::uint64_t bucket = bucket_of_(chunk.least + code);
      if (!is_first && bucket == last && !counts_values_) return;
      last = bucket;
      std::uint64_t& number = table_.count_of(bucket);
      if (number == 0) {
        buckets_.push_back(bucket);
        number = buckets_.size();
      }
      slots_.add(row, static_cast<std::uint32_t>(number - 1), into);
    });
  }
  std::size_t slots() const override { return slots_.size(); }
  Result<Slots> finish(FacetRoom& room, std::span<query::FacetCounts> counts) override {
    if (buckets_.empty()) {
      if (table_.size() > room.buckets_left()) return room.too_many_buckets(facet_);
      for (const BucketTable::Bucket& one : table_.take())
        FROND_TRY(put_key(facet_, {0, 0, one.count}, one.bucket, room, counts));
    }
    const auto bucket_of = [&](std::uint32_t number) { return buckets_[number]; };
    return visit_buckets({}, slots_, bucket_of,
                         [&](const Slot& one) { return put_key(facet_, one, buckets_[one.number], room, counts); });
  }
  std::size_t bytes() const override {
    return table_.bytes() + buckets_.capacity() * sizeof buckets_[0] + slots_.bytes();
  }

 private:
  const query::Facet& facet_;
  const BucketOf bucket_of_;
  const std::size_t max_buckets_;
  const bool counts_values_;  // not documents
  BucketTable table_;         // counts, or numbers and one more in buckets_
  std::vector<std::uint64_t> buckets_;
  BucketSlots slots_;
};

// Documents by clauses that they match; without clauses all of them.
class DocumentCounter final : public FacetCounter {
 public:
  DocumentCounter(const query::Facet& facet, LeftOut left_out) : facet_(facet), left_out_(std::move(left_out)) {
    if (left_out_.empty()) left_out_.push_back(nullptr);
    counts_.resize(left_out_.size());
  }

  bool take(std::uint32_t number, const Chunk&, const Bits& documents) override {
    for (std::size_t i = 0; i < left_out_.size(); ++i) {
      Bits matching = documents;
      for (std::uint32_t word = 0; left_out_[i] != nullptr && word < matching.size(); ++word)
        matching[word] &= ~left_out_[i]->word(std::size_t{number} * matching.size() + word);
      counts_[i] += clauses::count(matching);
    }
    return true;
  }
  void take(std::uint32_t number, const Chunk&, std::span<const Row> rows, std::vector<Row>* into) override {
    for (const Row& row : rows)
      for (std::uint32_t i = 0; i < left_out_.size(); ++i)
        if (left_out_[i] == nullptr || !left_out_[i]->contains(number * kWindow + row.document))
          slots_.add(row, i, into);
  }
  std::size_t slots() const override { return slots_.size(); }
  Result<Slots> finish(FacetRoom& room, std::span<query::FacetCounts> counts) override {
    return visit_buckets(counts_, slots_, std::identity(),
                         [&](const Slot& one) { return put_key(facet_, one, one.number, room, counts); });
  }
  std::size_t bytes() const override { return slots_.bytes(); }

 private:
  const query::Facet& facet_;
  LeftOut left_out_;
  Counts counts_;
  BucketSlots slots_;
};

}  // namespace

void FacetCounter::add(std::span<const std::uint32_t>) { FROND_CHECK(false); }

std::unique_ptr<FacetCounter> facet_counter(const query::Facet& facet, const partition::ValueColumn& column,
                                            KeywordCache::Numbers numbers, std::size_t max_buckets) {
  if (facet.kind == Kind::kStats || facet.kind == Kind::kCount) return stats_counter(facet, column);
  if (numbers != nullptr) return std::make_unique<KeywordCounter>(facet, column, std::move(numbers));
  if (const auto span = span_of(facet, column); span.steps != 0)
    return std::make_unique<DirectCounter>(facet, column.type(), span);
  return std::make_unique<BucketCounter>(facet, column.type(), max_buckets);
}

std::unique_ptr<FacetCounter> document_counter(const query::Facet& facet, LeftOut left_out) {
  return std::make_unique<DocumentCounter>(facet, std::move(left_out));
}

}  // namespace frond::leaf::collect
