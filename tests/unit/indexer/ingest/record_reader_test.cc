// Paths to records: order, formats, what is reported and what ends the stream.
#include "indexer/ingest/record_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "indexer/ingest/record_cutter.h"
#include "tests/unit/indexer/ingest/files.h"

namespace frond::indexer {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string json(const std::string& id) { return R"({"id":")" + id + R"(","contents":"text"})" + "\n"; }

TEST(RecordReader, TakesInputsAsGivenAndFoldersInByteOrderOfPath) {
  const TestFolder folder;
  folder.write("in/b.txt", "b");
  folder.write("in/a/z.txt", "z");
  folder.write("in/a/b/c.txt", "c");
  folder.write("in/a.txt", "a");
  folder.write("in/a0.txt", "0");
  const fs::path single = folder.write("single.txt", "s");
  EXPECT_THAT(collect({single, folder.path() / "in"}, Format::kFiles).ids(),
              ElementsAre("single.txt", "a.txt", "a/b/c.txt", "a/z.txt", "a0.txt", "b.txt"));
}
TEST(RecordReader, FollowsNoLinksInsideAFolder) {
  const TestFolder folder;
  const fs::path real = folder.write("in/real.txt", "x");
  fs::create_symlink(folder.path() / "in", folder.path() / "in/loop");
  fs::create_symlink(real, folder.path() / "in/alias.txt");
  fs::create_symlink(folder.path() / "in", folder.path() / "link");
  EXPECT_THAT(collect({folder.path() / "link"}, Format::kFiles).ids(), ElementsAre("real.txt"));
}
TEST(RecordReader, RefusesInputsThatAreNotThere) {
  EXPECT_EQ(RecordReader::open({"/nowhere/at/all"}, Format::kAuto, {}), Code::kNotFound);
  EXPECT_EQ(RecordReader::open({"/dev/null"}, Format::kAuto, {}), Code::kInvalid);
  EXPECT_EQ(RecordReader::open({}, Format::kAuto, {}), Code::kInvalid);
}
TEST(RecordReader, TellsTheFormatByContent) {
  const TestFolder folder;
  const fs::path jsonl = folder.write("one", "\n" + json("j1") + json("j2"));
  const fs::path tsv = folder.write("two", "t1\tsome text\nt2\tmore\n");
  const fs::path trec = folder.write("three", "<DOC>\n<DOCNO> d1 </DOCNO>\n<TEXT>words</TEXT>\n</DOC>\n");
  EXPECT_THAT(collect({jsonl, tsv, trec}).ids(), ElementsAre("j1", "j2", "t1", "t2", "d1"));
  const Collected unknown = collect({folder.write("four", "just a line of text\n")});
  EXPECT_THAT(unknown.error, HasSubstr("four: cannot tell the format"));
  EXPECT_THAT(collect({folder.write("five", "")}).error, IsEmpty());
}
TEST(RecordReader, TakesAFolderForRecordFilesOnlyWhenAllAre) {
  const TestFolder records, documents;
  records.write("in/1", json("a"));
  records.write("in/2", json("b"));
  EXPECT_THAT(collect({records.path() / "in"}).ids(), ElementsAre("a", "b"));
  documents.write("in/1", json("a"));
  documents.write("in/2.txt", "Some text");
  EXPECT_THAT(collect({documents.path() / "in"}).ids(), ElementsAre("1", "2.txt"));
}
TEST(RecordReader, ReportsMalformedRecordsWithTheirPlaceAndGoesOn) {
  const TestFolder folder;
  const Collected got =
      collect({folder.write("x.jsonl", json("a") + "{broken\n\n" + R"({"contents":"no id"})" + "\n" + json("b"))});
  EXPECT_THAT(got.ids(), ElementsAre("a", "b"));
  ASSERT_EQ(got.bad.size(), 2u);
  EXPECT_THAT(got.bad[0], testing::StartsWith("x.jsonl: record 2 at byte 29: broken JSON"));
  EXPECT_EQ(got.bad[1], "x.jsonl: record 4 at byte 38: no \"id\"");
}
TEST(RecordReader, ReportsAFileThatCannotBeOpenedOnce) {
  if (geteuid() == 0) return;  // may read everything
  const TestFolder folder;
  fs::permissions(folder.write("in/a.txt", "x"), fs::perms::none);
  folder.write("in/b.txt", "y");
  const Collected got = collect({folder.path() / "in"}, Format::kFiles);
  EXPECT_THAT(got.ids(), ElementsAre("b.txt"));
  EXPECT_THAT(got.bad, ElementsAre("in/a.txt: cannot open: Permission denied"));
}
TEST(RecordReader, EndsWithADamagedRecordFileButLosesOnlyADamagedDocument) {
  const TestFolder folder;
  const std::string whole = gzipped(json("a") + json("b"));
  const Collected records = collect({folder.write("x.gz", whole.substr(0, whole.size() - 6))}, Format::kJsonl);
  EXPECT_EQ(records.error, "x.gz: at byte " + std::to_string(whole.size() - 6) + ": gzip: the stream is cut short");
  folder.write("in/a.gz", whole.substr(0, whole.size() - 6));
  folder.write("in/b.txt", "fine");
  const Collected files = collect({folder.path() / "in"}, Format::kFiles);
  EXPECT_THAT(files.ids(), ElementsAre("b.txt"));
  EXPECT_THAT(files.bad, ElementsAre(HasSubstr("the stream is cut short")));
  EXPECT_EQ(files.error, "");
}
TEST(RecordReader, SkipsBinaryFiles) {
  const TestFolder folder;
  folder.write("in/a.png", std::string_view("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16));
  folder.write("in/b.pdf", "%PDF-1.4 text");
  folder.write("in/c.txt", "text");
  auto reader = RecordReader::open({folder.path() / "in"}, Format::kFiles, {});
  ASSERT_TRUE(reader);
  const auto record = (*reader)->next();
  ASSERT_TRUE(record && *record);
  EXPECT_EQ((*record)->name, "c.txt");
  EXPECT_FALSE((*reader)->next()->has_value());
  EXPECT_EQ((*reader)->files_skipped(), 2u);
}
TEST(RecordReader, CountsBytesReadAndStored) {
  const TestFolder folder;
  const std::string plain = json("a") + json("b"), stored = gzipped(plain);
  auto reader = RecordReader::open({folder.write("x.gz", stored)}, Format::kAuto, {});
  ASSERT_TRUE(reader);
  EXPECT_EQ((*reader)->stored_bytes_total(), stored.size());
  while ((*reader)->next()->has_value()) {
  }
  EXPECT_EQ((*reader)->bytes_read(), plain.size());
  EXPECT_EQ((*reader)->stored_bytes_read(), stored.size());
}

// The cutters, with a small limit.
std::vector<std::string> cut(Format format, std::string_view content, std::size_t limit) {
  const TestFolder folder;
  ContentStream stream(ByteSource::open(folder.write("x", content)).value());
  const auto cutter = RecordCutter::create(format, limit);
  std::vector<std::string> all;
  for (;;) {
    const std::optional<Cut> record = cutter->next(stream).value();
    if (!record) return all;
    all.push_back(std::to_string(record->number) + "@" + std::to_string(record->offset) + ":" +
                  (record->problem.empty() ? record->bytes : "!" + std::string(record->problem.substr(0, 24))));
  }
}
TEST(LineCutter, NumbersEveryLineAndDropsBlankOnes) {
  EXPECT_THAT(cut(Format::kTsv,
                  "\xef\xbb\xbf"
                  "a\r\n \n\nb",
                  100),
              ElementsAre("1@0:a", "4@9:b"));
}
TEST(LineCutter, ReportsALineOverTheLimitAndGoesOnBehindIt) {
  EXPECT_THAT(cut(Format::kTsv, "aaaa\nbbbbb\ncc\n" + std::string(300000, 'd') + "\ne\n", 4),
              ElementsAre("1@0:aaaa", "2@5:!longer than the limit of", "3@11:cc", "4@14:!longer than the limit of",
                          "5@300015:e"));
}
TEST(TrecCutter, CutsBetweenTagsWhereverTheyStand) {
  EXPECT_THAT(cut(Format::kTrec, "junk <DOC>a</DOC><DOC>b</DOC>\n<<DOC>c\n</DOC> tail <DO", 100),
              ElementsAre("1@5:a", "2@17:b", "3@31:c\n"));
}
TEST(TrecCutter, FindsTagsAcrossPieces) {
  // Pieces are cut at fixed places; every position of a tag around one is tried.
  for (std::size_t pad = 4070; pad < 4110; ++pad) {
    const std::string body(pad, 'x');
    const std::vector<std::string> got =
        cut(Format::kTrec, "<DOC>" + body + "</DOC>\n<DOC>" + body + "</DOC>\n", 10000);
    ASSERT_EQ(got.size(), 2u) << pad;
    ASSERT_EQ(got[1], "2@" + std::to_string(pad + 12) + ":" + body);
  }
}
TEST(TrecCutter, ReportsDocumentsWithoutAnEnd) {
  EXPECT_THAT(cut(Format::kTrec, "<DOC>a\n<DOC>b</DOC>\n<DOC>c", 100),
              ElementsAre("1@0:!no </DOC> before the nex", "2@7:b", "3@20:!no </DOC> before the end"));
}
TEST(TrecCutter, ReportsADocumentOverTheLimitAndGoesOnBehindIt) {
  const std::string large = "<DOC>" + std::string(100000, 'x') + "</DOC>";
  EXPECT_THAT(cut(Format::kTrec, large + "<DOC>b</DOC>", 20),
              ElementsAre("1@0:!longer than the limit of", "2@100011:b"));
}

}  // namespace
}  // namespace frond::indexer
