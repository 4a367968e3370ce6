// The pipeline refuses too many bad records, and stops on request.
#include "indexer/pipeline/invert_documents.h"

#include <gtest/gtest.h>

#include <chrono>

#include "indexer/ingest/formats/formats.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::pipeline {
namespace {

using support::ScratchFolder;

struct Outcome {
  Result<InvertedDocuments> result;
  std::string log;
};

Outcome run(const std::string& jsonl, std::uint64_t max_bad_records, std::stop_token stop = {}) {
  const ScratchFolder folder;
  support::write_file(folder / "input.jsonl", jsonl);
  std::filesystem::create_directory(folder / "scratch");
  InvertOptions options;
  options.inputs = {folder / "input.jsonl"};
  options.format = &ingest::kJsonl;
  options.partitions = 3;
  options.max_bad_records = max_bad_records;
  options.memory = plan_memory(kMinMemoryLimit, 2, 2);
  InvertProgress progress;
  Logger logger("test", LogLevel::kDebug);
  testing::internal::CaptureStderr();
  auto result = invert_documents(options, folder / "scratch", progress, logger, stop);
  logger.flush(std::chrono::seconds(10));  // lines are written by a thread of the logger's
  return {std::move(result), testing::internal::GetCapturedStderr()};
}

std::string documents(int count, int bad) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += R"({"id":")" + std::to_string(i) + R"(","contents":"word number )" + std::to_string(i) + "\"}\n";
  for (int i = 0; i < bad; ++i) text += "broken\n";
  return text;
}

std::size_t occurrences(const std::string& text, const std::string& of) {
  std::size_t count = 0;
  for (auto at = text.find(of); at != std::string::npos; at = text.find(of, at + 1)) ++count;
  return count;
}

TEST(InvertDocuments, CountsWhatItRefuses) {
  const auto [result, log] = run(documents(1'000, 5) + documents(7, 0), 5);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->documents, 1'000u);
  EXPECT_EQ(result->tokens, 3'000u);
  EXPECT_EQ(result->bad_records, 5u);
  EXPECT_EQ(result->duplicates, 7u);
  EXPECT_EQ(occurrences(log, "\"bad record\""), 5u);
  EXPECT_EQ(occurrences(log, "\"duplicate id\""), 7u);
  EXPECT_NE(log.find(R"("record":"1001")"), std::string::npos) << log.substr(0, 500);
}

TEST(InvertDocuments, CountsWhatIsNotUtf8) {
  const auto [result, log] = run(documents(10, 0) + "{\"id\":\"x\",\"contents\":\"caf\xc3\xa9 \xc3\xa9 \xff\"}\n", 0);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->not_utf8.count, 1u);
  ASSERT_EQ(result->not_utf8.examples.size(), 1u);
  EXPECT_TRUE(result->not_utf8.examples[0].ends_with("input.jsonl: record 11"));
}

TEST(InvertDocuments, EndsAtOneBadRecordTooMany) {
  const auto [result, log] = run(documents(10, 6), 5);
  ASSERT_EQ(result, Code::kInvalid);
  EXPECT_NE(result.error().message().find("more than 5 bad records"), std::string::npos);
  EXPECT_NE(result.error().message().find("input.jsonl: record 16"), std::string::npos) << result.error().message();
}

TEST(InvertDocuments, ReportsAHundredOfAKindAndCountsTheRest) {
  const auto [result, log] = run(documents(1, 250), 1'000);
  ASSERT_TRUE(result);
  EXPECT_EQ(occurrences(log, "\"bad record\""), 100u);
  EXPECT_NE(log.find(R"("message":"bad records","count":"250")"), std::string::npos);
}

TEST(InvertDocuments, StopsWhenItIsTold) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(run(documents(1'000, 0), 0, stop.get_token()).result, Code::kUnavailable);
}

TEST(InvertDocuments, SaysWhichInputIsMissing) {
  const ScratchFolder folder;
  InvertOptions options;
  options.inputs = {folder / "none.jsonl"};
  options.memory = plan_memory(kMinMemoryLimit, 1, 1);
  InvertProgress progress;
  Logger logger("test", LogLevel::kError);
  const auto result = invert_documents(options, folder.path(), progress, logger, {});
  ASSERT_EQ(result, Code::kNotFound);
  EXPECT_NE(result.error().message().find("none.jsonl"), std::string::npos);
}

TEST(InvertDocuments, SaysThatIdsDoNotFitIntoMemory) {
  const ScratchFolder folder;
  support::write_file(folder / "input.jsonl", documents(5'000, 0));
  InvertOptions options;
  options.inputs = {folder / "input.jsonl"};
  options.memory = plan_memory(kMinMemoryLimit, 1, 1);
  options.memory.ids = 10'000;
  InvertProgress progress;
  Logger logger("test", LogLevel::kError);
  const auto result = invert_documents(options, folder.path(), progress, logger, {});
  ASSERT_EQ(result, Code::kInvalid);
  EXPECT_NE(result.error().message().find("raise --memory-limit"), std::string::npos);
}

}  // namespace
}  // namespace frond::indexer::pipeline
