#include "indexer/ingest/records/document.h"

#include <gtest/gtest.h>

#include <set>

#include "common/text/analyzer.h"
#include "common/text/utf8.h"
#include "tests/unit/indexer/ingest/files.h"

namespace frond::indexer::ingest {
namespace {

Document finished(Document document) {
  EXPECT_TRUE(finish_document(document, kJsonl, false));
  return document;
}
std::vector<std::string> terms(const Document& document) {
  text::Analyzer analyzer({text::Stemmer::kNone, false});
  std::vector<std::string> all = analyzer.terms(document.title), body = analyzer.terms(document.body);
  all.insert(all.end(), body.begin(), body.end());
  return all;
}

TEST(DocumentFields, StayAsTheyAreWithinTheirLimits) {
  const Document document = finished({std::string(512, 'i'), std::string(2048, 'u'), std::string(1024, 't'), "body"});
  EXPECT_EQ(document.url.size() + document.title.size(), 3072u);
  EXPECT_FALSE(document.title_cut || document.url_dropped);
}
TEST(DocumentFields, MoveTheEndOfALongTitleToTheBody) {
  const std::string titles[] = {
      std::string(1020, 'a') + " straddles the limit",
      [] {
        std::string words;
        for (int i = 0; i < 1000; ++i) words += "don't stop-" + std::to_string(i) + ".5 ";
        return words;
      }(),
      std::string(5000, 'w'),
      std::string(1023, ' ') + "word",
      [] {
        std::string greek;
        for (int i = 0; i < 3000; ++i) greek += "λ";
        return greek;
      }(),
      std::string(2000, '-') + "end",
  };
  for (const std::string& title : titles) {
    const Document before{"id", "", title, "the body"};
    const Document after = finished(before);
    EXPECT_TRUE(after.title_cut);
    EXPECT_LE(after.title.size(), kMaxTitleBytes);
    EXPECT_TRUE(text::is_utf8(after.title) && text::is_utf8(after.body));
    EXPECT_EQ(terms(after), terms(before)) << title.substr(0, 20);
    EXPECT_TRUE(after.body.ends_with("\nthe body"));
  }
}
TEST(DocumentFields, LeaveALongUrlOut) {
  const Document document = finished({"id", std::string(2049, 'u'), "", "body"});
  EXPECT_EQ(document.url, "");
  EXPECT_TRUE(document.url_dropped);
}
TEST(DocumentFields, TogetherAreNotTooLong) {
  Document document{"id", "", "", std::string(kMaxDocumentBytes - 2, 'x')};
  EXPECT_TRUE(finish_document(document, kJsonl, false));
  document.body += 'x';
  EXPECT_EQ(finish_document(document, kJsonl, false), Code::kInvalid);
}
TEST(DocumentFields, GiveAnIdToDocumentsWithoutOne) {
  Document one{"", "u", "t", "b"}, two{"", "u", "tb", ""}, named{"own", "u", "t", "b"};
  EXPECT_EQ(finish_document(one, kJsonl, false), Code::kInvalid);
  for (Document* document : {&one, &two, &named}) EXPECT_TRUE(finish_document(*document, kJsonl, true));
  EXPECT_EQ(one.id.size(), 32u);
  EXPECT_NE(one.id, two.id);
  EXPECT_EQ(named.id, "own");
  EXPECT_EQ(content_id({"", "u", "t", "b"}), "0d1a94d9b55cc0e1600415fd848c12a2");
  Document of_fields[3];
  for (Document& document : of_fields) document = {"", "u", "t", "b"};
  of_fields[0].fields.texts = {{2, "note"}};
  of_fields[1].fields.columns = {{1, {std::int64_t{7}}}};
  of_fields[2].fields.columns = {{1, {std::int64_t{8}}}};
  std::set<std::string> ids = {content_id({"", "u", "t", "b"})};
  for (const Document& document : of_fields) EXPECT_TRUE(ids.insert(content_id(document)).second);
}
TEST(DocumentFields, OfEveryFormatAreFinished) {
  const Result<Document> made = parse_record(raw(&kTrec, "<TEXT>words</TEXT>"), {.make_ids = true});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->id, content_id({"", "", "", "words"}));
  EXPECT_EQ(parse_record(raw(&kFiles, "words", std::string(513, 'n'))), Code::kInvalid);
  std::string name;  // 300 bytes, 600 in UTF-8
  for (int i = 0; i < 150; ++i) name += "n\xff";
  EXPECT_EQ(parse_record(raw(&kFiles, "words", name)), Code::kInvalid);
}

}  // namespace
}  // namespace frond::indexer::ingest
