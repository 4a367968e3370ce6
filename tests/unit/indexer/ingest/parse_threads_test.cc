// parse_record() from many threads at once gives what it gives from one.
#include <gtest/gtest.h>

#include <thread>

#include "indexer/ingest/formats/formats.h"
#include "indexer/ingest/records/parse_record.h"

namespace frond::indexer::ingest {
namespace {

std::vector<RawRecord> records() {
  std::vector<RawRecord> all;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::string n = std::to_string(i);
    all.push_back({&kJsonl, "f", "", i, 0, R"({"id":)" + n + R"(,"contents":"words )" + n + "\"}"});
    all.push_back({&kTsv, "f", "", i, 0, n + "\ttext"});
    all.push_back({&kTrec, "f", "", i, 0, "<DOCNO>" + n + "</DOCNO><p>some <b>text</b> " + n});
    all.push_back({&kFiles, "f", n + ".html", i, 0, "<title>t" + n + "</title>caf\xe9 \xe0 la carte"});
    all.push_back({&kFiles, "f", n + ".1", i, 0, ".TH X 1\n.SH NAME\nx \\- y " + n});
  }
  return all;
}
std::string shown(const RawRecord& record) {
  const Result<Document> document = parse_record(record);
  return document ? document->id + "|" + document->title + "|" + document->body : document.error().message();
}

TEST(ParseRecord, IsThreadSafe) {
  const std::vector<RawRecord> all = records();
  std::vector<std::string> expected;
  expected.reserve(all.size());
  for (const RawRecord& record : all) expected.push_back(shown(record));
  std::vector<std::vector<std::string>> got(4);
  {
    std::vector<std::jthread> threads;
    threads.reserve(got.size());
    for (auto& mine : got)
      threads.emplace_back([&all, &mine] {
        for (const RawRecord& record : all) mine.push_back(shown(record));
      });
  }
  for (const auto& mine : got) EXPECT_EQ(mine, expected);
}

}  // namespace
}  // namespace frond::indexer::ingest
