#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/indexer/ingest/files.h"

namespace frond::indexer::ingest {
namespace {

Result<Document> trec(std::string_view text) { return parse_record(raw(&kTrec, text)); }

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
TEST(Trec, TakesTheCharsetAndTypeOfTheResponse) {
  const auto body = [](std::string_view header, std::string_view page) {
    return trec("<DOCNO>GX0</DOCNO>\n<DOCHDR>\nhttp://example.org/a\nHTTP/1.1 200 OK\n" + std::string(header) +
                "\n</DOCHDR>\n" + std::string(page))
        ->body;
  };
  EXPECT_EQ(body("Content-type: text/html; charset=windows-1251", "<p>\xcc\xee\xf1\xea\xe2\xe0"), "Москва");
  EXPECT_EQ(body("Content-Type: application/pdf", "if a < b then <c> is d\n"), "if a < b then <c> is d");
  EXPECT_EQ(body("Content-Type: text/plain", "<html><body>a page"), "a page");
  EXPECT_EQ(body("Server: x", "<b>a</b> page"), "a page");
}
TEST(Trec, TakesTagsInAnyCase) {
  const Document document = trec("<docno> 1 </DocNo><Title>wing</title><TEXT>flow</text>").value();
  EXPECT_EQ(document.id + "|" + document.title, "1|wing");
  EXPECT_EQ(trec("<docno>1</docno><dochdr>\nhttp://x.y/ z\n</dochdr><p>flow")->url, "http://x.y/");
}
TEST(Trec, NeedsADocumentNumber) {
  EXPECT_THAT(trec("<TEXT>x</TEXT>").error().message(), testing::StartsWith("no <DOCNO>; --make-ids"));
  EXPECT_THAT(trec("<DOCNO> </DOCNO>").error().message(), testing::StartsWith("no <DOCNO>; --make-ids"));
}
TEST(Trec, EndsAHeadlineThatIsNeverClosed) {
  const Document document = trec("<DOCNO>1</DOCNO><HEADLINE> Some <P>news\n<TEXT>\nThe story.\n</TEXT>\n").value();
  EXPECT_EQ(document.title, "Some news");
  EXPECT_EQ(document.body, "The story.");
}

TEST(Wikiextractor, TakesAttributesAndText) {
  const auto wiki = [](std::string_view text) { return parse_record(raw(&kWikiextractor, text)); };
  const Document page = wiki(
                            "id=\"12\" revid=\"3\" url=\"https://w/?a=1&amp;b\" title=\"A \"b\" &lt;c&gt;\">\n"
                            "A \"b\" &lt;c&gt;\n\nText &amp; more &unknown;.\n")
                            .value();
  EXPECT_EQ(page.id + "|" + page.url + "|" + page.title + "|" + page.body,
            "12|https://w/?a=1&b|A \"b\" <c>|Text & more &unknown;.");
  EXPECT_EQ(wiki("id=\"1\" title=\"T\">\nno title first\n")->body, "no title first");
  EXPECT_THAT(wiki("title=\"T\">\nx\n").error().message(), testing::HasSubstr("the id is empty"));
  EXPECT_THAT(wiki("id=\"1\" title=\"T\nx\n").error().message(), testing::HasSubstr("does not end on its line"));
}

}  // namespace
}  // namespace frond::indexer::ingest
