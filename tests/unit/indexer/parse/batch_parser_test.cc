// Records to a parsed batch.
#include "indexer/parse/batch_parser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace frond::indexer {
namespace {

RawRecord jsonl(std::uint64_t number, std::string bytes) {
  return {.format = Format::kJsonl,
          .file = "f.jsonl",
          .name = "",
          .number = number,
          .offset = 0,
          .bytes = std::move(bytes)};
}

TEST(BatchParser, DealsDocumentsCountsTermsAndKeepsWhatIsBad) {
  const std::vector<RawRecord> records = {jsonl(1, R"({"id":"a","title":"The fox","body":"the fox and the dogs"})"),
                                          jsonl(2, "broken"), jsonl(3, R"({"id":"b","contents":""})"),
                                          jsonl(4, R"({"id":"c","contents":"wolf"})")};
  BatchParser parser({text::Stemmer::kPorter, true}, 2);
  ParsedBatch batch;
  for (int round = 0; round < 2; ++round) {
    batch.bad.clear();
    parser.parse(records, batch);
    ASSERT_EQ(batch.documents.size(), 3u);
    EXPECT_EQ(batch.documents[0].length, 3u);  // fox, fox, dog
    EXPECT_EQ(batch.documents[1].length, 0u);
    EXPECT_EQ(batch.documents[2].record, 3u);
    EXPECT_EQ(batch.documents[2].id, hash_id("c"));
    ASSERT_EQ(batch.bad.size(), 1u);
    EXPECT_EQ(batch.bad[0].number, 2u);
    ASSERT_EQ(batch.frames.size(), 2u);
    const auto header = read_frame_header(batch.frames[0]);
    ASSERT_TRUE(header);
    const auto frame = DocumentFrame::open(*header, ByteView(batch.frames[0]).subspan(kDocumentFrameHeaderBytes));
    ASSERT_TRUE(frame);
    ASSERT_EQ(frame->documents().size(), 2u);
    EXPECT_EQ(frame->documents()[0].id, "a");
    EXPECT_EQ(frame->documents()[0].body, "the fox and the dogs");
    EXPECT_EQ(frame->documents()[1].id, "c");
    EXPECT_EQ(frame->length(0), 3u);
  }
}

}  // namespace
}  // namespace frond::indexer
