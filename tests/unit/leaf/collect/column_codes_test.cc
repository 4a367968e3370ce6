// Codes of columns for a device: whatever piece of them is written, they are those of the documents' values, looked at
// one by one; of single values, of several, and of the least and the greatest one.
#include "leaf/collect/device/column_codes.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace frond::leaf::collect {
namespace {

constexpr std::uint32_t kDocuments = 3 * partition::ColumnChunkWriter::kChunkDocuments + 777;

// Of integers in chunks: with one value a document at most, with several, without any, and a shorter one.
class CodedColumn {
 public:
  CodedColumn(std::uint32_t seed, std::uint32_t most, std::int64_t reach)
      : column_(schema::FieldType::kInteger, kDocuments) {
    std::mt19937 random(seed);
    partition::ColumnChunkWriter writer(schema::FieldType::kInteger);
    bytes_.reserve(column_.chunks());
    for (DocId docid = 0; docid < kDocuments; ++docid) {
      const std::uint32_t chunk = docid / partition::ColumnChunkWriter::kChunkDocuments;
      const std::uint32_t many = chunk == 2 ? 0 : random() % ((chunk == 0 ? 1 : most) + 1);
      std::vector<schema::Value> values;
      for (std::int64_t value = -reach / 2; values.size() < many;)
        values.emplace_back(value += 1 + static_cast<std::int64_t>(random()) % reach);
      writer.add(values);
      if (docid + 1 != kDocuments && (docid + 1) % partition::ColumnChunkWriter::kChunkDocuments != 0) continue;
      bytes_.push_back(writer.finish());
      if (!bytes_.back().empty()) column_.put_chunk(chunk, bytes_.back()).value();
    }
  }
  const partition::ValueColumn& operator*() const { return column_; }
  std::vector<std::uint64_t> codes_of(DocId docid, const ValueSpan& span) const {
    std::vector<std::uint64_t> codes;
    for (const schema::Value& value : column_.values_of(docid))
      codes.push_back(schema::ordering_key(column_.type(), value) - span.base + 1);
    return codes;
  }

 private:
  std::vector<ByteBuffer> bytes_;
  partition::ValueColumn column_;
};

// All of them, written in pieces.
std::vector<std::uint64_t> all_of(const engine::DocumentCodes& codes, std::mt19937& random) {
  std::vector<std::uint64_t> all;
  while (all.size() < codes.documents()) {
    std::vector<std::byte> piece((1 + random() % 5000) * codes.width(), std::byte{0xff});
    codes.write(static_cast<DocId>(all.size()), piece);
    for (std::size_t at = 0; at < piece.size(); at += codes.width()) {
      std::uint64_t code = 0;
      std::memcpy(&code, &piece[at], codes.width());
      if (all.size() < codes.documents())
        all.push_back(code);
      else
        EXPECT_EQ(code, 0u);  // behind the last
    }
  }
  return all;
}

TEST(ColumnCodes, AreThoseOfTheDocumentsValues) {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    std::mt19937 random(seed);
    const std::uint32_t most = 1 + seed % 3 * 4;  // with several, more values than documents
    const std::int64_t reaches[] = {50, 3000, 1 << 20, std::int64_t{1} << 40};
    const CodedColumn column(seed, most, reaches[seed % 4]);
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ValueSpan span = whole_span(*column);
    const auto codes = column_codes(*column, CodesOf::kValues, nullptr, span);
    EXPECT_EQ(codes->codes(), span.steps + 1);
    ASSERT_EQ(codes->places() == nullptr, most == 1);
    const auto got = all_of(*codes, random);
    if (most == 1) {
      for (DocId docid = 0; docid < kDocuments; ++docid) {
        const auto wanted = column.codes_of(docid, span);
        ASSERT_EQ(got[docid], wanted.empty() ? 0 : wanted[0]) << docid;
      }
      continue;
    }
    ASSERT_EQ(got.size(), (*column).values());
    const auto places = all_of(*codes->places(), random);
    const auto least = all_of(*column_codes(*column, CodesOf::kLeast, nullptr, span), random);
    const auto greatest = all_of(*column_codes(*column, CodesOf::kGreatest, nullptr, span), random);
    ASSERT_EQ(places.size(), kDocuments + 1);
    for (DocId docid = 0; docid < kDocuments; ++docid) {
      const auto wanted = column.codes_of(docid, span);
      ASSERT_LE(places[docid + 1], got.size());
      ASSERT_EQ(std::vector(got.begin() + static_cast<std::ptrdiff_t>(places[docid]),
                            got.begin() + static_cast<std::ptrdiff_t>(places[docid + 1])),
                wanted)
          << docid;
      ASSERT_EQ(least[docid], wanted.empty() ? 0 : wanted.front()) << docid;
      ASSERT_EQ(greatest[docid], wanted.empty() ? 0 : wanted.back()) << docid;
    }
  }
}

}  // namespace
}  // namespace frond::leaf::collect
