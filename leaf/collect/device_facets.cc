#include "leaf/collect/device_facets.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/partition/values/value_column.h"
#include "leaf/collect/facet_counters.h"

namespace frond::leaf::collect {
namespace {

using partition::ValueColumn;
constexpr std::uint32_t kChunkDocuments = partition::ColumnChunkWriter::kChunkDocuments;

class ColumnCodes final : public engine::DocumentCodes {
 public:
  ColumnCodes(const ValueColumn& column, std::shared_ptr<const void> name, std::uint32_t codes,
              KeywordCache::Numbers words, const ValueSpan& span)
      : DocumentCodes(std::move(name), column.documents(), codes),
        column_(column),
        words_(std::move(words)),
        span_(span) {}

  void write(DocId first, std::span<std::byte> out) const override {
    std::fill(out.begin(), out.end(), std::byte{0});
    const std::size_t room = out.size() / width();
    const auto end = static_cast<DocId>(std::min<std::size_t>(documents(), first + room));
    for (DocId docid = first; docid < end; ++docid) {
      const Chunk& chunk = column_.chunk(docid / kChunkDocuments);
      const std::uint32_t document = docid % kChunkDocuments;
      if (chunk.values == 0 || !chunk.has(document)) continue;
      const std::uint64_t number = number_of(chunk, docid / kChunkDocuments, chunk.code(document));
      // Below codes(), also where bytes became zeros since they were checked.
      const auto code = static_cast<std::uint16_t>(std::min<std::uint64_t>(number + 1, codes() - 1));
      std::memcpy(&out[(docid - first) * width()], &code, width());
    }
  }

 private:
  std::uint64_t number_of(const Chunk& chunk, std::uint32_t number, std::uint64_t code) const {
    if (words_ == nullptr) return (chunk.least + code - span_.base) / span_.unit;
    const auto numbers = words_->of_chunk(number);
    return code < numbers.size() ? numbers[code] : 0;
  }

  const ValueColumn& column_;
  const KeywordCache::Numbers words_;
  const ValueSpan span_;
};

bool has_single_values(const ValueColumn& column) {
  for (std::uint32_t i = 0; i < column.chunks(); ++i)
    if (column.chunk(i).values != 0 && column.chunk(i).offsets != nullptr) return false;
  return true;
}

// Codes of dates differ by their units.
std::size_t name_of(const query::Facet& facet) {
  if (facet.kind != query::Facet::Kind::kDates) return 0;
  return 1 + static_cast<std::size_t>(std::min(facet.unit, query::DateUnit::kDay));
}
static_assert(static_cast<std::size_t>(query::DateUnit::kDay) + 1 < ValueColumn::kNames);

}  // namespace

std::optional<DeviceFacets> DeviceFacets::make(const std::vector<query::Facet>& facets, const schema::Schema& schema,
                                               const clauses::SearchedPartition& searched, std::uint64_t partition,
                                               KeywordCache& keywords, const Deadline& deadline, const Clock& clock) {
  DeviceFacets made;
  for (const query::Facet& facet : facets) {
    const schema::Field* const field = schema.find(facet.field);
    if (field == nullptr || facet.kind == query::Facet::Kind::kStats) return std::nullopt;
    const auto number = static_cast<std::uint32_t>(field - schema.fields.data());
    Counted counted{&facet, searched.column(number), {}, 0};
    if (counted.column != nullptr && field->type == schema::FieldType::kKeyword) {
      auto words = keywords.numbers(partition, number, *counted.column, deadline, clock);
      if (!words) return std::nullopt;
      counted.words = *std::move(words);
    }
    if (counted.column != nullptr && !made.add(counted)) return std::nullopt;
    made.facets_.push_back(std::move(counted));
  }
  if (made.codes_.empty()) return std::nullopt;
  return made;
}

// False: a device does not count it.
bool DeviceFacets::add(Counted& counted) {
  const ValueColumn& column = *counted.column;
  if (!has_single_values(column)) return false;
  const ValueSpan span = counted.words == nullptr ? span_of(*counted.facet, column) : ValueSpan{};
  const std::uint64_t codes = 1 + (counted.words == nullptr ? span.steps : counted.words->size());
  if (codes == 1 || codes > engine::DocumentCodes::kMostCodes) return false;
  std::shared_ptr<const void> name = column.name(name_of(*counted.facet));
  const auto same = std::ranges::find(codes_, name, &engine::DocumentCodes::owner);
  counted.codes = static_cast<std::size_t>(same - codes_.begin());
  if (same == codes_.end())
    codes_.push_back(std::make_shared<const ColumnCodes>(column, std::move(name), static_cast<std::uint32_t>(codes),
                                                         counted.words, span));
  return true;
}

Result<std::vector<query::FacetCounts>> DeviceFacets::counts(const engine::Outcome& outcome, FacetRoom room) const {
  std::vector<query::FacetCounts> all;
  for (const Counted& one : facets_) {
    query::FacetCounts& counts = all.emplace_back();
    counts.missing = outcome.matches;
    if (one.column == nullptr) continue;
    const std::vector<std::uint32_t>& counted = outcome.counts[one.codes];
    counts.missing = counted[0];
    counts.with_value = outcome.matches - counted[0];
    const auto counter = facet_counter(*one.facet, *one.column, one.words, room.buckets_left());
    counter->add(std::span(counted).subspan(1));
    FROND_TRY(counter->finish(room, counts));
  }
  return all;
}

}  // namespace frond::leaf::collect
