#include "leaf/collect/column_codes.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

namespace frond::leaf::collect {
namespace {

using partition::ValueColumn;
constexpr std::uint32_t kChunkDocuments = partition::ColumnChunkWriter::kChunkDocuments;

class ColumnCodes final : public engine::DocumentCodes {
 public:
  ColumnCodes(const ValueColumn& column, CodesOf of, KeywordCache::Numbers words, const ValueSpan& span)
      : DocumentCodes(column.name(static_cast<std::size_t>(of)), column.documents(),
                      1 + (words == nullptr ? span.steps : words->size())),
        column_(column),
        words_(std::move(words)),
        span_(span),
        greatest_(of == CodesOf::kGreatest) {}  // also of hours, which are of single values

  void write(DocId first, std::span<std::byte> out) const override {
    std::fill(out.begin(), out.end(), std::byte{0});
    const std::size_t room = out.size() / width();
    const auto end = static_cast<DocId>(std::min<std::size_t>(documents(), first + room));
    for (DocId docid = first; docid < end; ++docid) {
      const Chunk& chunk = column_.chunk(docid / kChunkDocuments);
      const std::uint32_t document = docid % kChunkDocuments;
      if (chunk.values == 0 || !chunk.has(document)) continue;
      const auto [begin, behind] = chunk.places(document);
      const std::uint32_t place = greatest_ && behind > begin ? behind - 1 : begin;
      const std::uint64_t number = number_of(chunk, docid / kChunkDocuments, chunk.code(place));
      // Below codes(), also where bytes became zeros since they were checked.
      const std::uint64_t code = std::min(number, codes() - 2) + 1;
      std::memcpy(&out[(docid - first) * width()], &code, width());  // little-endian
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
  return std::make_shared<const ColumnCodes>(column, of, std::move(words), span);
}

}  // namespace frond::leaf::collect
