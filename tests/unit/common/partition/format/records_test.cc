#include "common/partition/format/format.h"

#include <gtest/gtest.h>

namespace frond::partition {
namespace {

TEST(AChange, ComesBackAndIsNot0) {
  for (const std::int64_t by : {1l, -1l, 2l, -2l, 70'000l, -(1l << 38)}) {
    ByteBuffer bytes;
    encode_change(by, bytes);
    EXPECT_EQ(decode_change(bytes).value(), by);
    bytes.push_back(std::byte{0});
    EXPECT_FALSE(decode_change(bytes));
  }
  ByteBuffer bytes;
  encode_change(-2, bytes);
  EXPECT_EQ(bytes, ByteBuffer({std::byte{4}}));  // as in docs/formats/partition.md
  EXPECT_FALSE(decode_change(ByteBuffer(1)));
  EXPECT_FALSE(decode_change({}));
}

TEST(HiddenDocumentsOfAFile, ComeBackAndAreRefusedWhenCut) {
  const std::vector<DocId> docids{0, 1, 7, 300, kNoDoc - 1};
  ByteBuffer bytes;
  encode_hidden(std::span(docids).first(3), bytes);
  EXPECT_EQ(bytes, ByteBuffer({std::byte{3}, std::byte{0}, std::byte{0}, std::byte{5}}));  // as documented
  bytes.clear();
  encode_hidden(docids, bytes);
  EXPECT_EQ(decode_hidden(bytes).value(), docids);
  for (std::size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(decode_hidden(ByteView(bytes).first(n))) << n;
  bytes.back() = std::byte{0x7f};
  EXPECT_FALSE(decode_hidden(bytes)) << "past the last docID";
}

TEST(ATermRecord, ComesBack) {
  const auto list = as_bytes("blob");
  for (const TermRecord& record : {TermRecord{{1, 1, 1}, list}, TermRecord{{300, 70000, 1}, {}},
                                   TermRecord{{4000000000u, 1ull << 40, kMaxSegments}, {}}}) {
    ByteBuffer bytes;
    encode_term(record, bytes);
    const auto back = decode_term(bytes).value();
    EXPECT_EQ(back.statistics.document_frequency, record.statistics.document_frequency);
    EXPECT_EQ(back.statistics.occurrences, record.statistics.occurrences);
    EXPECT_EQ(back.statistics.segments, record.statistics.segments);
    EXPECT_EQ(as_text(back.inline_list), as_text(record.inline_list));
  }
}

TEST(ATermRecord, IsRefusedWhenItsNumbersContradictEachOther) {
  for (const TermRecord& record : {TermRecord{{0, 0, 1}, {}}, TermRecord{{2, 1, 1}, {}}, TermRecord{{1, 1, 0}, {}},
                                   TermRecord{{1, 1, kMaxSegments + 1}, {}}, TermRecord{{5, 5, 2}, as_bytes("x")},
                                   TermRecord{{kNoDoc, kNoDoc, 1}, {}}}) {
    ByteBuffer bytes;
    encode_term(record, bytes);
    EXPECT_EQ(decode_term(bytes).error().code(), Code::kCorrupt);
  }
  EXPECT_EQ(decode_term({}).error().code(), Code::kCorrupt);
}

TEST(ASummary, ComesBackAndIsRefusedWhenCut) {
  SummaryRecord record;
  record.summary = {.documents = 7,
                    .tokens = 70,
                    .terms = 3,
                    .postings = 9,
                    .docid_bytes = 11,
                    .frequency_bytes = 12,
                    .index_bytes = 13,
                    .bound_bytes = 14,
                    .header_bytes = 15,
                    .built_average_length = 10.0};
  record.entries = {.terms = 3, .segments = 2, .document_blocks = 1, .ids = 7};
  ByteBuffer bytes;
  encode_summary(record, bytes);
  const auto back = decode_summary(bytes).value();
  EXPECT_EQ(back.entries, record.entries);
  EXPECT_EQ(back.summary.header_bytes, 15u);
  EXPECT_EQ(back.summary.built_average_length, 10.0);
  for (std::size_t n = 0; n < bytes.size(); ++n)
    EXPECT_FALSE(decode_summary(ByteView(bytes).first(n)).has_value()) << n;
  EXPECT_FALSE(back.priors);
  record.priors = true;
  ByteBuffer with_priors;
  encode_summary(record, with_priors);
  EXPECT_TRUE(decode_summary(with_priors)->priors);
  EXPECT_EQ(with_priors[4], std::byte{2});
  record.schema = "{}";
  record.summary.field_tokens = {5, 0, 300};
  record.entries.values = {1, 2, 3};
  ByteBuffer with_schema;
  encode_summary(record, with_schema);
  EXPECT_EQ(with_schema[4], std::byte{3});
  const auto of_schema = decode_summary(with_schema).value();
  EXPECT_TRUE(of_schema.priors);
  EXPECT_EQ(of_schema.schema, "{}");
  EXPECT_EQ(of_schema.summary.field_tokens, record.summary.field_tokens);
  EXPECT_EQ(of_schema.entries, record.entries);
  for (std::size_t n = 0; n < with_schema.size(); ++n)
    EXPECT_FALSE(decode_summary(ByteView(with_schema).first(n)).has_value()) << n;
}

TEST(ASummary, OfAnotherFormatSaysWhich) {
  ByteBuffer bytes;
  encode_summary({}, bytes);
  bytes[4] = std::byte{9};
  const auto refused = decode_summary(bytes);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message().find("format version 9"), std::string::npos) << refused.error().message();
}

TEST(AnIdRecord, IsOneVarint) {
  ByteBuffer bytes;
  ByteWriter(bytes).put_varint(300);
  EXPECT_EQ(decode_docid(bytes), 300u);
  bytes.push_back(std::byte{0});
  EXPECT_EQ(decode_docid(bytes), Code::kCorrupt);
  EXPECT_EQ(decode_docid({}), Code::kCorrupt);
}

TEST(TotalsOfAGeneration, ComeBackAndAreRefusedWhenCut) {
  ByteBuffer bytes;
  encode_totals({5, 50, 500}, bytes);
  EXPECT_EQ(decode_totals(bytes).value(), (TermTotals{5, 50, 500}));
  for (std::size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(decode_totals(ByteView(bytes).first(n)).has_value()) << n;
  bytes.clear();
  encode_totals({5, 4, 500}, bytes);
  EXPECT_FALSE(decode_totals(bytes).has_value());
}

}  // namespace
}  // namespace frond::partition
