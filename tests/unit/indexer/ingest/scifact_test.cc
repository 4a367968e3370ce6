// The analyzer counts words as Lucene's English chain does. Needs SciFact: $FROND_DATA, else ../shared/data; without it
// the test is skipped.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "common/text/analyzer.h"
#include "indexer/ingest/files/record_reader.h"
#include "indexer/ingest/records/parse_record.h"

namespace frond::indexer::ingest {
namespace {

TEST(SciFact, HasAsManyTokensAsLuceneCounts) {
  constexpr double kLucene = 838128;  // StandardTokenizer, possessive, lower case, stop words, Porter; title and text
  const char* data = std::getenv("FROND_DATA");
  const std::filesystem::path corpus = std::filesystem::path(data ? data : "../shared/data") / "scifact/corpus.jsonl";
  if (!std::filesystem::exists(corpus)) {
    std::printf("skipped: no %s\n", corpus.c_str());
    std::exit(77);
  }
  const std::unique_ptr<RecordReader> reader = RecordReader::open({corpus}, nullptr, {}).value();
  text::Analyzer analyzer({});
  std::size_t tokens = 0, documents = 0;
  for (;; ++documents) {
    const std::optional<RawRecord> record = reader->next().value();
    if (!record) break;
    const Document document = parse_record(*record).value();
    for (const std::string* field : {&document.title, &document.body})
      analyzer.analyze(*field, [&](std::string_view, text::TokenSpan) { ++tokens; });
  }
  EXPECT_EQ(documents, 5183u);
  EXPECT_NEAR(static_cast<double>(tokens), kLucene, kLucene / 1000);
  std::printf("%zu tokens\n", tokens);
}

}  // namespace
}  // namespace frond::indexer::ingest
