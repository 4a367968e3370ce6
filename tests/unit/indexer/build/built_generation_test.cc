// What a build publishes, or not: the kind of the collection, codecs, compression of stored fields.
#include <gtest/gtest.h>

#include "indexer/change/compact.h"
#include "indexer/check/check.h"
#include "indexer/ingest/formats/formats.h"
#include "tests/unit/indexer/build/made_up_builds.h"

namespace frond::indexer {
namespace {

using support::ScratchFolder;

TEST(BuiltGeneration, RecordsWhichCodecsListsArePackedWith) {
  const ScratchFolder folder;
  const auto documents = random_documents(6, 400);
  support::write_file(folder / "input.jsonl", jsonl_of(documents));
  BuildOptions options = options_for(folder, "r", 1);
  options.codecs = *codec::codec_choice_named(codec::kAuto);
  const auto summary = run(options);
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_EQ(summary->manifest.codec, "auto");
  EXPECT_EQ(read_generation(options.repository, summary->manifest).postings, index_plainly(documents).postings);
}

// Blocks of the documents of partition p, as they are stored.
std::string stored_blocks(const BuildOptions& options, const BuildSummary& built, std::size_t p = 0) {
  return beginning(options, built, p, "documents-0001.sst");
}

TEST(BuiltGeneration, StoresWhatIsAddedAndMergedAsTheCollectionWasBuilt) {
  const ScratchFolder folder;
  auto documents = random_documents(9, 3'000);
  const auto part = [&](std::size_t begin, std::size_t end) {
    support::write_file(folder / "input.jsonl", jsonl_of({documents.begin() + static_cast<std::ptrdiff_t>(begin),
                                                          documents.begin() + static_cast<std::ptrdiff_t>(end)}));
  };
  for (std::size_t i = 0; i < documents.size(); ++i) documents[i].id = std::to_string(i);
  std::map<partition::StoredCompression, std::string> blocks;
  for (const auto how : {partition::StoredCompression::kSmall, partition::StoredCompression::kFast}) {
    part(0, documents.size());
    BuildOptions at_once = options_for(folder, "at-once-" + std::string(name_of(how)), 1);
    at_once.stored = how;
    const auto whole = run(at_once);
    ASSERT_TRUE(whole) << whole.error().message();
    EXPECT_EQ(whole->manifest.stored, how);
    blocks[how] = stored_blocks(at_once, *whole);

    part(0, 1'000);
    BuildOptions options = options_for(folder, "added-to-" + std::string(name_of(how)), 1);
    options.stored = how;
    ASSERT_TRUE(run(options));
    part(1'000, documents.size());
    options.stored = partition::StoredCompression::kSmall;  // what the collection has counts
    BuildProgress progress;
    Logger logger("test", LogLevel::kError);
    BuildSummary changed = add(options, progress, logger, {}).value();
    EXPECT_EQ(changed.manifest.stored, how);
    BuildOptions alone = options_for(folder, "alone-" + std::string(name_of(how)), 1);
    alone.stored = how;
    const auto added_alone = run(alone);
    ASSERT_TRUE(added_alone);
    if (how == partition::StoredCompression::kFast) {
      EXPECT_EQ(stored_blocks(options, changed, 1), stored_blocks(alone, *added_alone));
    }
    ASSERT_TRUE(change::compact({options.repository, "test"}, {2, 0, true}, {}));
    const auto source = repository::RepositorySource::open(options.repository.string(), "test").value();
    changed.manifest = source->manifest(source->current().value()).value();
    EXPECT_EQ(changed.manifest.stored, how);
    ASSERT_EQ(changed.manifest.partitions.size(), 1u);
    EXPECT_EQ(read_generation(options.repository, changed.manifest).documents,
              read_generation(at_once.repository, whole->manifest).documents);
    // Dictionaries differ, since the writer trains them from the first documents.
    if (how == partition::StoredCompression::kFast) {
      EXPECT_EQ(stored_blocks(options, changed), blocks[how]);
    }
  }
  EXPECT_GT(blocks[partition::StoredCompression::kFast].size(),
            blocks[partition::StoredCompression::kSmall].size() * 5 / 4);
}

TEST(BuiltGeneration, SaysThatItMakesAnotherKindOfGenerationThanTheOneBefore) {
  const ScratchFolder folder;
  support::write_file(folder / "input.jsonl", jsonl_of(random_documents(8, 20)));
  BuildOptions options = options_for(folder, "r", 1);
  const auto told = [&options] {
    testing::internal::CaptureStderr();
    {
      BuildProgress progress;
      Logger logger("test", LogLevel::kWarn);
      EXPECT_TRUE(build(options, progress, logger, {}));
    }
    return testing::internal::GetCapturedStderr();
  };
  const std::string sentence = "the new generation has another analyzer, k1 or b than the one before";
  EXPECT_EQ(told().find(sentence), std::string::npos);  // there is none before
  EXPECT_EQ(told().find(sentence), std::string::npos);
  options.bm25 = {.k1 = 1.5, .b = 0.75};
  const std::string now = told();
  EXPECT_NE(now.find(sentence), std::string::npos) << now;
  EXPECT_NE(now.find("k1 0.9, b 0.4"), std::string::npos) << now;
  EXPECT_NE(now.find("k1 1.5, b 0.75"), std::string::npos) << now;
}

Generation current_of(const BuildOptions& options) {
  const auto source = repository::RepositorySource::open(options.repository.string(), "test");
  const auto current = (*source)->current();
  return current ? *current : 0;
}

TEST(BuiltGeneration, PublishesNothingWhenItFails) {
  const ScratchFolder folder;
  support::write_file(folder / "input.jsonl", jsonl_of(random_documents(4, 100)));
  BuildOptions options = options_for(folder, "r", 2);
  ASSERT_TRUE(run(options));
  ASSERT_EQ(current_of(options), 1u);
  support::write_file(folder / "bad.jsonl", jsonl_of(random_documents(5, 100)) + "broken\nbroken\n");
  support::write_file(folder / "empty.jsonl", "");
  options.invert.max_bad_records = 1;
  options.invert.format = &ingest::kJsonl;
  for (const char* input : {"bad.jsonl", "empty.jsonl", "none.jsonl"}) {
    options.invert.inputs = {folder / input};
    EXPECT_FALSE(run(options)) << input;
    EXPECT_EQ(current_of(options), 1u);
    EXPECT_TRUE(std::filesystem::is_empty(options.repository / "test" / "building")) << input;
  }
  std::stop_source stop;
  stop.request_stop();
  options.invert.inputs = {folder / "input.jsonl"};
  EXPECT_EQ(run(options, stop.get_token()), Code::kUnavailable);
  EXPECT_EQ(current_of(options), 1u);
  ASSERT_TRUE(run(options));
  EXPECT_EQ(current_of(options), 2u);
  EXPECT_EQ(check::check_generation(options.repository, "test")->faults, 0u);
}

}  // namespace
}  // namespace frond::indexer
