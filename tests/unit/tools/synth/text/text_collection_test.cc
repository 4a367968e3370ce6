// Made-up text as files: the same for any number of threads, and read by the indexer without a complaint.
#include "tools/synth/text/text_output.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "indexer/build/build.h"
#include "tests/support/scratch_folder.h"

namespace frond::tools::synth {
namespace {

using support::read_file, support::ScratchFolder;

TextOptions options_for(const std::filesystem::path& output, Markup markup, unsigned threads) {
  return {.profile = *text_profile_named("clueweb09"),
          .markup = markup,
          .shares = {},
          .seed = 4,
          .threads = threads,
          .output = {.path = output, .suffix = suffix_of(markup), .file_bytes = 0, .max_bytes = 12'000'000}};
}

TEST(MadeUpText, IsTheSameForAnyNumberOfThreads) {
  const ScratchFolder folder;
  for (const Markup markup : {Markup::kJsonLines, Markup::kHtml}) {
    std::string first;
    for (const unsigned threads : {1u, 2u, 3u, 8u}) {
      const auto options = options_for(folder / "text", markup, threads);
      const auto summary = make_text(options);
      ASSERT_TRUE(summary.has_value()) << summary.error().message();
      const std::string text = read_file(folder / "text");
      EXPECT_EQ(text.size(), summary->totals.bytes);
      EXPECT_GE(text.size(), options.output.max_bytes);
      if (threads == 1) first = text;
      EXPECT_TRUE(text == first) << threads << " threads";
    }
  }
}

TEST(MadeUpText, IsTheSameInFilesOfAnySize) {
  const ScratchFolder folder;
  const auto whole = options_for(folder / "whole", Markup::kJsonLines, 2);
  ASSERT_TRUE(make_text(whole).has_value());
  for (const std::uint64_t file_bytes : {1u << 16, 3'000'000u}) {
    auto parts = options_for(folder / ("parts-" + std::to_string(file_bytes)), Markup::kJsonLines, 3);
    parts.output.file_bytes = file_bytes;
    const auto summary = make_text(parts);
    ASSERT_TRUE(summary.has_value()) << summary.error().message();
    EXPECT_EQ(make_text(parts).error().code(), Code::kInvalid) << "the folder is not empty";
    std::vector<std::filesystem::path> files(std::filesystem::directory_iterator(parts.output.path), {});
    std::sort(files.begin(), files.end());
    EXPECT_EQ(files.size(), summary->totals.files);
    std::string text;
    for (const auto& file : files) {
      const std::string part = read_file(file);
      if (file != files.back()) {
        EXPECT_GE(part.size(), file_bytes);
      }
      EXPECT_EQ(part.rfind("{\"id\":\"clueweb09-", 0), 0u) << file;
      EXPECT_EQ(part.back(), '\n');
      text += part;
    }
    EXPECT_TRUE(text == read_file(folder / "whole"));
  }
}

TEST(MadeUpText, EndsAfterTheLastDocumentWanted) {
  const ScratchFolder folder;
  auto options = options_for(folder / "text", Markup::kJsonLines, 2);
  options.output.max_bytes = 0;
  options.output.max_documents = 500;
  EXPECT_EQ(make_text(options)->totals.documents, 500u);
  const std::string text = read_file(folder / "text");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 500);
}

TEST(MadeUpText, NamesTheFileThatCanNotBeWritten) {
  auto options = options_for("/dev/full", Markup::kJsonLines, 3);
  const auto summary = make_text(options);
  ASSERT_FALSE(summary.has_value());
  EXPECT_EQ(summary.error().code(), Code::kUnavailable);
  EXPECT_NE(summary.error().message().find("/dev/full"), std::string::npos);
}

TEST(MadeUpText, IsReadByTheIndexerWithoutLoss) {
  for (const Markup markup : {Markup::kJsonLines, Markup::kHtml}) {
    const ScratchFolder folder;
    auto options = options_for(folder / "text", markup, 2);
    options.output.file_bytes = 5'000'000;
    options.shares.non_ascii = 0.02;
    const auto made = make_text(options);
    ASSERT_TRUE(made.has_value()) << made.error().message();

    indexer::BuildOptions build;
    build.repository = folder / "repository";
    build.collection = "made-up";
    build.invert.inputs = {options.output.path};
    build.invert.analyzer.stemmer = text::Stemmer::kNone;
    build.invert.memory = indexer::pipeline::plan_memory(indexer::pipeline::kMinMemoryLimit, 1, 1);
    indexer::BuildProgress progress;
    Logger logger("test", LogLevel::kError);
    const auto built = indexer::build(build, progress, logger, {});
    ASSERT_TRUE(built.has_value()) << built.error().message();
    EXPECT_EQ(built->inverted.bad_records, 0u);
    EXPECT_EQ(built->inverted.duplicates, 0u);
    EXPECT_EQ(built->manifest.statistics.documents, made->totals.documents);
    EXPECT_EQ(built->manifest.statistics.tokens, made->totals.tokens);
    EXPECT_NEAR(static_cast<double>(built->manifest.terms) / made->expected_terms, 1, 0.03);
  }
}

}  // namespace
}  // namespace frond::tools::synth
