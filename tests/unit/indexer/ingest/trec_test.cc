#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/indexer/ingest/files.h"

namespace frond::indexer {
namespace {

Result<Document> trec(std::string_view text) { return parse_record(raw(Format::kTrec, text)); }

TEST(Trec, ReadsTextDocuments) {
  const Document document = trec(
                                "\n<DOCNO> FT911-1 </DOCNO>\n<PROFILE>_AN-1</PROFILE>\n<HEADLINE>\nA head &amp; line\n"
                                "</HEADLINE>\n<TEXT>\nFirst  words.\n<P>\nSecond.</P></TEXT>\n")
                                .value();
  EXPECT_EQ(document.id, "FT911-1");
  EXPECT_EQ(document.title, "A head & line");
  EXPECT_EQ(document.body, "_AN-1\nFirst words.\nSecond.");
}
TEST(Trec, ReadsWebDocuments) {
  const Document document =
      trec(
          "<DOCNO>GX000-00-0</DOCNO>\n<DOCHDR>\nhttp://example.org/a 1.2.3.4 19970101\nHTTP/1.0 200\n"
          "</DOCHDR>\n<html><head><title>The page</title><script>no()</script></head>"
          "<body><h1>Caf\xe9</h1>words</body></html>")
          .value();
  EXPECT_EQ(document.id, "GX000-00-0");
  EXPECT_EQ(document.url, "http://example.org/a");
  EXPECT_EQ(document.title, "The page");
  EXPECT_THAT(document.body, testing::EndsWith("\nwords"));
}
TEST(Trec, NeedsADocumentNumber) {
  EXPECT_EQ(trec("<TEXT>x</TEXT>").error().message(), "no <DOCNO>");
  EXPECT_EQ(trec("<DOCNO> </DOCNO>").error().message(), "the id is empty");
}
TEST(Trec, EndsAHeadlineThatIsNeverClosed) {
  const Document document = trec("<DOCNO>1</DOCNO><HEADLINE> Some <P>news\n<TEXT>\nThe story.\n</TEXT>\n").value();
  EXPECT_EQ(document.title, "Some news");
  EXPECT_EQ(document.body, "The story.");
}

}  // namespace
}  // namespace frond::indexer
