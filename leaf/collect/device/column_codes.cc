#include "leaf/collect/device/column_codes.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

namespace frond::leaf::collect {
namespace {

using partition::ValueColumn;
constexpr std::uint32_t kChunkDocuments = partition::ColumnChunkWriter::kChunkDocuments;

// How many values the chunk's documents before this one have.
std::uint32_t values_before(const Chunk& chunk, std::uint32_t document) {
  if (chunk.values == 0) return 0;
  if (chunk.offsets != nullptr) return std::min(chunk.places(document).first, chunk.values);
  std::uint32_t values = 0;
  for (std::uint32_t i = 0; i < document; ++i) values += chunk.has(i) ? 1 : 0;
  return values;
}

// Where the values of each document begin, and one more.
class ValuePlaces final : public engine::DocumentCodes {
 public:
  explicit ValuePlaces(const ValueColumn& column)
      : DocumentCodes(column.name(static_cast<std::size_t>(CodesOf::kPlaces)), column.documents() + 1,
                      std::uint64_t{1} << 32),
        column_(column) {}

  void write(DocId first, std::span<std::byte> out) const override {
    std::fill(out.begin(), out.end(), std::byte{0});
    const auto end = static_cast<DocId>(std::min<std::size_t>(documents(), first + out.size() / width()));
    const std::uint32_t chunks = std::min(first / kChunkDocuments, column_.chunks());
    std::uint32_t before = 0;  // values of the chunks before
    for (std::uint32_t i = 0; i < chunks; ++i) before += column_.chunk(i).values;
    std::uint32_t here =
        first / kChunkDocuments < column_.chunks() ? values_before(column_.chunk(chunks), first % kChunkDocuments) : 0;
    for (DocId docid = first; docid < end; ++docid) {
      const std::uint32_t place = before + here;
      std::memcpy(&out[(docid - first) * width()], &place, sizeof place);
      if (docid + 1 == documents()) return;
      const Chunk& chunk = column_.chunk(docid / kChunkDocuments);
      const std::uint32_t document = docid % kChunkDocuments;
      if (chunk.values != 0 && chunk.has(document)) {
        const auto [begin, behind] = chunk.places(document);
        // Not beyond the chunk's, also where bytes became zeros since they were checked.
        here = std::min(here + (behind > begin ? behind - begin : 0), chunk.values);
      }
      if (document + 1 != kChunkDocuments) continue;
      before += chunk.values;
      here = 0;
    }
  }

 private:
  const ValueColumn& column_;
};

// By document its value, or one of its values, or by value.
class ColumnCodes final : public engine::DocumentCodes {
 public:
  ColumnCodes(const ValueColumn& column, CodesOf of, KeywordCache::Numbers words, const ValueSpan& span,
              const std::shared_ptr<const engine::DocumentCodes>& places)
      : DocumentCodes(column.name(static_cast<std::size_t>(of)),
                      places == nullptr ? column.documents() : static_cast<std::uint32_t>(column.values()),
                      1 + (words == nullptr ? span.steps : words->size()), places),
        column_(column),
        words_(std::move(words)),
        span_(span),
        greatest_(of == CodesOf::kGreatest) {}  // also of hours, which are of single values

  void write(DocId first, std::span<std::byte> out) const override {
    std::fill(out.begin(), out.end(), std::byte{0});
    const std::size_t room = out.size() / width();
    if (places() != nullptr) return write_values(first, std::min<std::size_t>(documents() - first, room), out);
    const auto end = static_cast<DocId>(std::min<std::size_t>(documents(), first + room));
    for (DocId docid = first; docid < end; ++docid) {
      const Chunk& chunk = column_.chunk(docid / kChunkDocuments);
      const std::uint32_t document = docid % kChunkDocuments;
      if (chunk.values == 0 || !chunk.has(document)) continue;
      const auto [begin, behind] = chunk.places(document);
      put(docid / kChunkDocuments, greatest_ && behind > begin ? behind - 1 : begin, &out[(docid - first) * width()]);
    }
  }

 private:
  // So many values from number `first` of the column on.
  void write_values(std::size_t first, std::size_t count, std::span<std::byte> out) const {
    std::uint32_t number = 0;
    while (number < column_.chunks() && first >= column_.chunk(number).values) first -= column_.chunk(number++).values;
    std::size_t done = 0;
    for (; number < column_.chunks() && done < count; ++number, first = 0) {
      const Chunk& chunk = column_.chunk(number);
      std::size_t next = 0;  // of the chunk's values
      for (std::uint32_t document = 0; document < chunk.documents && done < count && next < chunk.values; ++document) {
        if (!chunk.has(document)) continue;
        const auto [begin, behind] = chunk.places(document);
        for (std::uint32_t place = begin; place < behind && done < count && next < chunk.values; ++place, ++next) {
          if (next < first) continue;
          put(number, place, &out[done * width()]);
          ++done;
        }
      }
    }
  }

  void put(std::uint32_t number, std::uint32_t place, std::byte* to) const {
    const Chunk& chunk = column_.chunk(number);
    // Below codes(), also where bytes became zeros since they were checked.
    const std::uint64_t code = std::min(number_of(chunk, number, chunk.code(place)), codes() - 2) + 1;
    std::memcpy(to, &code, width());  // little-endian
  }

  std::uint64_t number_of(const Chunk& chunk, std::uint32_t number, std::uint64_t code) const {
    if (words_ == nullptr) return (chunk.least + code - span_.base) / span_.unit;
    const auto numbers = words_->of_chunk(number);
    return code < numbers.size() ? numbers[code] : 0;
  }

  const ValueColumn& column_;
  const KeywordCache::Numbers words_;
  const ValueSpan span_;
  const bool greatest_;
};

}  // namespace

bool has_single_values(const ValueColumn& column) {
  for (std::uint32_t i = 0; i < column.chunks(); ++i)
    if (column.chunk(i).values != 0 && column.chunk(i).offsets != nullptr) return false;
  return true;
}

std::shared_ptr<const engine::DocumentCodes> column_codes(const ValueColumn& column, CodesOf of,
                                                          KeywordCache::Numbers words, const ValueSpan& span) {
  std::shared_ptr<const engine::DocumentCodes> places;
  if (of == CodesOf::kValues && !has_single_values(column)) places = std::make_shared<const ValuePlaces>(column);
  return std::make_shared<const ColumnCodes>(column, of, std::move(words), span, places);
}

}  // namespace frond::leaf::collect
