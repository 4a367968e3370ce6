// Parses records into a batch.
#include "indexer/parse/batch_parser.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "indexer/ingest/formats/formats.h"

namespace frond::indexer::parse {
namespace {

ingest::RawRecord jsonl(std::uint64_t number, std::string bytes) {
  return {.format = &ingest::kJsonl,
          .file = "f.jsonl",
          .name = "",
          .number = number,
          .offset = 0,
          .bytes = std::move(bytes)};
}

TEST(BatchParser, IndexesBodiesThatItDoesNotStore) {
  std::vector<ParsedBatch> batches(2);
  for (const bool store : {true, false}) {
    std::vector<ingest::RawRecord> records = {
        jsonl(1, R"({"id":"a","url":"u","title":"The fox","body":"the fox and the dogs"})")};
    BatchParser parser({text::Stemmer::kPorter, true}, 1, {}, {.store_bodies = store});
    parser.parse(records, batches[store]);
    ASSERT_EQ(batches[store].documents.size(), 1u);
  }
  EXPECT_EQ(batches[0].documents[0].length, batches[1].documents[0].length);
  EXPECT_EQ(batches[0].tokens.bytes, batches[1].tokens.bytes);
  EXPECT_EQ(batches[0].documents[0].field_bytes + std::string("the fox and the dogs").size(),
            batches[1].documents[0].field_bytes);
}

TEST(BatchParser, DealsDocumentsCountsTermsAndKeepsWhatIsBad) {
  std::vector<ingest::RawRecord> records = {jsonl(1, R"({"id":"a","title":"The fox","body":"the fox and the dogs"})"),
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
    const auto header = runs::read_frame_header(batch.frames[0]);
    ASSERT_TRUE(header);
    const auto payload = ByteView(batch.frames[0]).subspan(runs::kDocumentFrameHeaderBytes);
    const auto frame = runs::DocumentFrame::open(*header, ByteBuffer(payload.begin(), payload.end()));
    ASSERT_TRUE(frame);
    ASSERT_EQ(frame->documents().size(), 2u);
    EXPECT_EQ(frame->documents()[0].id, "a");
    EXPECT_EQ(frame->documents()[0].body, "the fox and the dogs");
    EXPECT_EQ(frame->documents()[1].id, "c");
    EXPECT_EQ(frame->length(0), 3u);
  }
}

// The terms of a document and how often it has them, as the analyzer gives them one after the other.
std::map<std::string, std::uint64_t> plain_terms(const text::AnalyzerConfig& config, const std::string& text) {
  text::Analyzer analyzer(config);
  std::map<std::string, std::uint64_t> terms;
  if (config.kind != text::AnalyzerKind::kStandard) {
    analyzer.analyze(text, [&](std::string_view term, text::TokenSpan) { ++terms[std::string(term)]; });
    return terms;
  }
  for (text::TokenSpan token = text::next_token(text, 0); token.begin != token.end;
       token = text::next_token(text, token.end)) {
    const std::string term(analyzer.term_of(std::string_view(text).substr(token.begin, token.end - token.begin)));
    if (!term.empty()) ++terms[term];
  }
  return terms;
}

// Tables are reused from batch to batch, and cleared in the middle of some.
TEST(BatchParser, FindsTheTermsOfThePlainAnalyzer) {
  const std::vector<std::string> parts = {
      "The ",   "foxes", "Fox's ", "running ", "RUNS ",    "a",    "1,000 ", "é", "Straße ", "İ",       "_x_ ",
      "don't ", "字",    "very",   "der ",     "node.js ", "C++ ", "long",   "-", " ",       "пример ", "w"};
  for (const text::AnalyzerConfig& config :
       {text::AnalyzerConfig{}, text::AnalyzerConfig{text::Stemmer::kEnglish, false},
        text::AnalyzerConfig{text::Stemmer::kNone, true},
        text::AnalyzerConfig{text::Stemmer::kPorter, true, text::AnalyzerKind::kStandard2, true},
        text::AnalyzerConfig{text::Stemmer::kGerman, *text::StopWords::named("german"), text::AnalyzerKind::kStandard2},
        text::AnalyzerConfig{text::Stemmer::kNone,
                             *text::StopWords::own({"foxes", "1,000", "DON’T", "пример", "node.js"}),
                             text::AnalyzerKind::kStandard2}}) {
    std::mt19937 random(5);
    BatchParser parser(config, 1, {.table_bits = 12});
    ParsedBatch batch;
    std::uint32_t next = 0;  // makes terms that were not seen
    for (int round = 0; round < 4; ++round) {
      std::vector<ingest::RawRecord> records(3);
      std::vector<std::map<std::string, std::uint64_t>> expected;
      for (ingest::RawRecord& record : records) {
        std::string text;
        for (int i = 0; i < 20'000; ++i) {
          text += parts[random() % parts.size()];
          if (random() % 2 == 0) text += " new" + std::to_string(next++) + "ing ";
        }
        expected.push_back(plain_terms(config, text));
        record = jsonl(next, "{\"id\":\"" + std::to_string(next) + "\",\"body\":\"" + text + "\"}");
      }
      parser.parse(records, batch);
      ASSERT_EQ(batch.documents.size(), records.size());
      std::vector<std::map<std::string, std::uint64_t>> got(records.size());
      for (const TokenGroup& group : batch.tokens.groups) {
        const ByteView bytes = batch.tokens.of(group);
        for (const std::byte* at = bytes.data(); at != bytes.data() + bytes.size();) {
          const GroupedTerm term = GroupedTerm::read(at);
          at = term.end();
          const auto whole = std::string(dictionary::TriePrefix(group.collection).text()).append(term.suffix);
          for (std::uint32_t i = 0; i < term.postings; ++i) got[term.document(i)][whole] += term.frequency(i);
        }
      }
      for (std::size_t d = 0; d < records.size(); ++d) {
        EXPECT_TRUE(got[d] == expected[d]) << "round " << round << ", document " << d;
        std::uint64_t length = 0;
        for (const auto& [term, frequency] : expected[d]) length += frequency;
        EXPECT_EQ(batch.documents[d].length, length);
      }
    }
  }
}

TEST(BatchParser, RefusesDocumentsThatBecomeTooLong) {
  // Windows-1251: two bytes a letter in UTF-8, so the document is twice the record.
  std::vector<ingest::RawRecord> records(1);
  records[0] = {.format = &ingest::kFiles, .file = "in/a.txt", .name = "a.txt", .number = 1, .offset = 0, .bytes = ""};
  for (int i = 0; i < 10'000; ++i) records[0].bytes += "\xef\xf0\xe8\xe2\xe5\xf2 ";  // привет
  const std::string bytes = records[0].bytes;
  for (const std::size_t limit : {bytes.size(), 2 * bytes.size()}) {
    records[0].bytes = bytes;
    BatchParser parser({text::Stemmer::kNone, false}, 1, {.document_bytes = limit});
    ParsedBatch batch;
    parser.parse(records, batch);
    EXPECT_EQ(batch.documents.size(), limit == bytes.size() ? 0u : 1u);
    ASSERT_EQ(batch.bad.size(), 1 - batch.documents.size());
    for (const ingest::BadRecord& bad : batch.bad)
      EXPECT_NE(bad.reason.find("longer than the limit"), std::string::npos) << bad.reason;
  }
}

TEST(BatchParser, GivesTheBytesOfDearRecordsBackAndTheirLeasesToo) {
  WorkingMemory memory(3 << 20);
  BatchParser parser({text::Stemmer::kPorter, true}, 1, {.memory = &memory});
  std::vector<ingest::RawRecord> records;
  for (int i = 0; i < 5; ++i) {
    records.push_back(jsonl(i, R"({"id":")" + std::to_string(i) + R"(","contents":"wolf"})"));
    records.back().parse_bytes = i % 2 == 0 ? 2 << 20 : 4 << 20;  // 4 MiB is more than the budget has
  }
  records[0].parse_bytes = 0;
  ParsedBatch batch;
  parser.parse(records, batch);
  EXPECT_EQ(batch.documents.size(), 5u);
  EXPECT_FALSE(records[0].bytes.empty());
  EXPECT_TRUE(records[1].bytes.empty());
  EXPECT_TRUE(memory.take(3 << 20, {}));
}

TEST(BatchParser, StopsBetweenRecordsAndInAPage) {
  std::string page;
  for (int i = 0; i < 1'000'000; ++i) page += "<p>x";
  const auto html = [&] {
    ingest::RawRecord record = jsonl(1, page);
    record.format = &ingest::kFiles;
    record.name = "a.html";
    return record;
  };
  for (const bool before : {true, false}) {
    std::vector<ingest::RawRecord> records = {html(), html(), html(), html(), html(), html(), html(), html()};
    BatchParser parser({text::Stemmer::kPorter, true}, 1);
    ParsedBatch batch;
    std::stop_source stop;
    if (before) stop.request_stop();
    std::jthread later([&] { stop.request_stop(); });
    parser.parse(records, batch, stop.get_token());
    EXPECT_LT(batch.documents.size(), records.size());
    EXPECT_TRUE(batch.bad.empty());
  }
}
TEST(WorkingMemory, MakesWhoWantsMoreThanIsLeftWait) {
  WorkingMemory memory(100);
  std::optional<WorkingMemory::Lease> first = memory.take(60, {});
  ASSERT_TRUE(first);
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_FALSE(memory.take(50, stopped.get_token()));
  EXPECT_TRUE(memory.take(40, stopped.get_token()));
  std::atomic<bool> got = false;
  std::jthread other([&] { got = memory.take(1'000, {}).has_value(); });
  first.reset();
  other.join();
  EXPECT_TRUE(got);
}

}  // namespace
}  // namespace frond::indexer::parse
