// Partitions by many builders: together they equal the result of one build, or nothing is published.
#include "indexer/publish/share.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "common/partition/partition.h"
#include "common/postings/posting_list.h"
#include "common/repository/repository.h"
#include "indexer/build/build.h"
#include "indexer/check/check.h"
#include "indexer/ingest/files/record_reader.h"
#include "indexer/ingest/formats/formats.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer {
namespace {

using support::ScratchFolder;

constexpr unsigned kSeed = 11;

// Writes files of very different sizes, so that shares have from no file to many. Ids are distinct.
void write_input(const ScratchFolder& folder, std::size_t files) {
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  std::filesystem::create_directory(folder / "in");
  std::size_t id = 0;
  for (std::size_t f = 0; f < files; ++f) {
    std::string text;
    for (std::size_t n = f % 4 == 3 ? 0 : 1 + random() % 40; n > 0; --n) {
      text += R"({"id":"d)" + std::to_string(id++) + R"(","contents":")";
      for (std::size_t words = random() % 60; words > 0; --words)
        text += "w" + std::to_string(random() % (1u << random() % 10)) + " ";
      text += "\"}\n";
    }
    support::write_file(folder / ("in/" + std::to_string(100 + f) + ".jsonl"), text);
  }
}

BuildOptions options_for(const ScratchFolder& folder, const std::string& repository) {
  BuildOptions options;
  options.repository = folder / repository;
  options.collection = "test";
  options.invert.inputs = {folder / "in"};
  options.invert.format = &ingest::kJsonl;
  options.invert.memory = pipeline::plan_memory(pipeline::kMinMemoryLimit, 1, 1);
  options.invert.memory.batch_bytes = 64 << 10;
  return options;
}

Result<BuildSummary> run(const BuildOptions& options) {
  BuildProgress progress;
  Logger logger("test", LogLevel::kError);
  return build(options, progress, logger, {});
}

Result<BuildSummary> run_share(BuildOptions options, std::uint32_t index, std::uint32_t count,
                               std::stop_token stop = {}) {
  BuildProgress progress;
  Logger logger("test", LogLevel::kError);
  options.invert.read.share = {index, count};
  return build_share(options, progress, logger, stop);
}

// Everything that answers depend on, by ordinal.
struct Contents {
  std::map<std::string, std::map<Ordinal, Frequency>> postings;
  std::map<Ordinal, std::pair<std::string, std::uint32_t>> documents;  // id, length
  std::uint64_t terms = 0, tokens = 0;
  friend bool operator==(const Contents&, const Contents&) = default;
};

Contents read_generation(const std::filesystem::path& root, const repository::Manifest& manifest) {
  Contents contents;
  contents.terms = manifest.terms;
  contents.tokens = manifest.statistics.tokens;
  const ScratchFolder scratch;
  for (const auto& entry : manifest.partitions) {
    const auto database = scratch / entry.id;
    EXPECT_TRUE(partition::Partition::ingest(root / "test" / "partitions" / entry.id, entry.summary.files, database,
                                             /*move=*/false));
    const auto part = partition::Partition::open(database);
    EXPECT_TRUE(part);
    if (!part) return contents;
    EXPECT_TRUE((*part)->for_each_term([&](std::string_view term, const partition::TermStatistics&) {
      const auto list = (*part)->list(term);
      EXPECT_TRUE(list);
      std::vector<ByteView> segments;
      for (const auto& segment : list->segments) segments.push_back(segment.bytes());
      const auto postings = postings::PostingList::open(segments);
      EXPECT_TRUE(postings);
      for (std::uint32_t block = 0; block < postings->blocks(); ++block) {
        std::uint32_t docids[codec::kBlockLength], frequencies[codec::kBlockLength];
        EXPECT_TRUE(postings->decode_docids(block, docids));
        EXPECT_TRUE(postings->decode_frequencies(block, frequencies));
        for (std::uint32_t i = 0; i < postings->block_size(block); ++i)
          contents.postings[std::string(term)][entry.base + docids[i] * entry.stride] = frequencies[i];
      }
      return true;
    }));
    EXPECT_TRUE((*part)->for_each_document([&](DocId docid, const partition::StoredDocument& document) {
      contents.documents[entry.base + docid * entry.stride] = {std::string(document.id), (*part)->lengths()[docid]};
      return true;
    }));
  }
  return contents;
}

bool is_published(const BuildOptions& options) {
  const auto source = repository::RepositorySource::open(options.repository.string(), "test");
  return bool((*source)->current());
}

TEST(Shares, GiveTheGenerationOfOneBuildForAnyNumberOfBuilders) {
  const ScratchFolder folder;
  write_input(folder, 13);
  const BuildOptions whole = options_for(folder, "whole");
  const auto built = run(whole);
  ASSERT_TRUE(built) << built.error().message();
  const Contents expected = read_generation(whole.repository, built->manifest);
  for (const std::uint32_t count : {1u, 3u, 20u}) {
    const BuildOptions options = options_for(folder, "r" + std::to_string(count));
    for (std::uint32_t i = count; i-- > 0;) {  // not in the order of partitions
      const auto share = run_share(options, i, count);
      ASSERT_TRUE(share) << share.error().message();
    }
    const auto published = publish::publish_shares(options.repository, "test", count, 0, {});
    ASSERT_TRUE(published) << published.error().message();
    EXPECT_EQ(published->partitions.size(), count);
    EXPECT_EQ(read_generation(options.repository, *published), expected) << count;
    EXPECT_EQ(check::check_generation(options.repository, "test")->faults, 0u) << count;
    EXPECT_FALSE(std::filesystem::exists(options.repository / "test" / "shares"));
    EXPECT_TRUE(std::filesystem::is_empty(options.repository / "test" / "building"));
  }
}

TEST(Shares, AreNotPublishedWhileOneIsMissing) {
  const ScratchFolder folder;
  write_input(folder, 8);
  const BuildOptions options = options_for(folder, "r");
  ASSERT_TRUE(run_share(options, 0, 3));
  ASSERT_TRUE(run_share(options, 2, 3));
  const auto refused = publish::publish_shares(options.repository, "test", 3, 0, {});
  EXPECT_EQ(refused, Code::kNotFound);
  EXPECT_NE(refused.error().message().find("partition 1/3 is not built"), std::string::npos)
      << refused.error().message();
  EXPECT_FALSE(is_published(options));
  ASSERT_TRUE(run_share(options, 1, 3));
  EXPECT_TRUE(publish::publish_shares(options.repository, "test", 3, 0, {}));
}

TEST(Shares, OfStoppedBuildersAreMissingAndBuiltAgain) {
  const ScratchFolder folder;
  write_input(folder, 4);
  const BuildOptions options = options_for(folder, "r");
  ASSERT_TRUE(run_share(options, 0, 2));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(run_share(options, 1, 2, stop.get_token()), Code::kUnavailable);
  // A killed builder leaves half a partition in its own scratch folder.
  const auto share = publish::share_repository(options.repository, "test", 1, 2) / "test";
  std::filesystem::create_directories(share / "building" / "g1-p0-half");
  support::write_file(share / "building" / "g1-p0-half" / "terms-0.sst", "half");
  EXPECT_EQ(publish::publish_shares(options.repository, "test", 2, 0, {}), Code::kNotFound);
  EXPECT_FALSE(is_published(options));
  ASSERT_TRUE(run_share(options, 1, 2));
  EXPECT_TRUE(std::filesystem::is_empty(share / "building"));
  const auto published = publish::publish_shares(options.repository, "test", 2, 0, {});
  ASSERT_TRUE(published) << published.error().message();
  EXPECT_EQ(check::check_generation(options.repository, "test")->faults, 0u);
}

TEST(Shares, BuiltTwiceAreTheLaterBuild) {
  const ScratchFolder folder;
  write_input(folder, 4);
  const BuildOptions options = options_for(folder, "r");
  ASSERT_TRUE(run_share(options, 0, 1));
  support::write_file(folder / "in" / "999.jsonl", "{\"id\":\"late\",\"contents\":\"late\"}\n");
  const auto later = run_share(options, 0, 1);
  ASSERT_TRUE(later);
  const auto published = publish::publish_shares(options.repository, "test", 1, 0, {});
  ASSERT_TRUE(published) << published.error().message();
  EXPECT_EQ(published->statistics.documents, later->inverted.documents);
}

TEST(Shares, OfDifferentOptionsAreRefused) {
  const ScratchFolder folder;
  write_input(folder, 4);
  BuildOptions options = options_for(folder, "r");
  ASSERT_TRUE(run_share(options, 0, 2));
  options.bm25.b = 0.5;
  ASSERT_TRUE(run_share(options, 1, 2));
  EXPECT_EQ(publish::publish_shares(options.repository, "test", 2, 0, {}), Code::kInvalid);
  EXPECT_FALSE(is_published(options));
}

TEST(Shares, StoreFieldsInOneWay) {
  const ScratchFolder folder;
  write_input(folder, 4);
  BuildOptions options = options_for(folder, "r");
  options.stored = partition::StoredCompression::kFast;
  ASSERT_TRUE(run_share(options, 0, 2));
  options.stored = partition::StoredCompression::kSmall;
  ASSERT_TRUE(run_share(options, 1, 2));
  const auto refused = publish::publish_shares(options.repository, "test", 2, 0, {});
  ASSERT_EQ(refused, Code::kInvalid);
  EXPECT_NE(refused.error().message().find("stored compression"), std::string::npos) << refused.error().message();
  options.stored = partition::StoredCompression::kFast;
  ASSERT_TRUE(run_share(options, 1, 2));
  const auto published = publish::publish_shares(options.repository, "test", 2, 0, {});
  ASSERT_TRUE(published) << published.error().message();
  EXPECT_EQ(published->stored, partition::StoredCompression::kFast);
}

TEST(Shares, OfAnInputThatChangedBetweenBuildersAreRefusedAndTheOneThatDiffersIsNamed) {
  const ScratchFolder folder;
  write_input(folder, 8);
  const BuildOptions options = options_for(folder, "r");
  const auto added = folder / "in" / "999.jsonl";
  for (const std::uint32_t odd : {0u, 1u, 2u}) {
    for (std::uint32_t i = 0; i < 3; ++i) {
      if (i == odd) support::write_file(added, "{\"id\":\"late\",\"contents\":\"late\"}\n");
      ASSERT_TRUE(run_share(options, i, 3));
      std::filesystem::remove(added);
    }
    const auto refused = publish::publish_shares(options.repository, "test", 3, 0, {});
    ASSERT_EQ(refused, Code::kInvalid);
    const std::string differs =
        "the input changed between builders: partition " + std::to_string(odd) + "/3 from 9 files";
    EXPECT_NE(refused.error().message().find(differs), std::string::npos) << refused.error().message();
    EXPECT_FALSE(is_published(options));
    ASSERT_TRUE(run_share(options, odd, 3));
  }
  EXPECT_TRUE(publish::publish_shares(options.repository, "test", 3, 0, {}));
}

TEST(Shares, OfFilesRenamedOrGrownAreRefusedThoughTheirNumberIsTheSame) {
  const ScratchFolder folder;
  write_input(folder, 8);
  const BuildOptions options = options_for(folder, "r");
  ASSERT_TRUE(run_share(options, 0, 2));
  std::filesystem::rename(folder / "in" / "103.jsonl", folder / "in" / "103-b.jsonl");
  ASSERT_TRUE(run_share(options, 1, 2));
  EXPECT_EQ(publish::publish_shares(options.repository, "test", 2, 0, {}), Code::kInvalid);
  std::filesystem::rename(folder / "in" / "103-b.jsonl", folder / "in" / "103.jsonl");
  support::write_file(folder / "in" / "103.jsonl", "{\"id\":\"grown\",\"contents\":\"grown\"}\n");
  ASSERT_TRUE(run_share(options, 1, 2));
  EXPECT_EQ(publish::publish_shares(options.repository, "test", 2, 0, {}), Code::kInvalid);
  EXPECT_FALSE(is_published(options));
}

TEST(Shares, OfAnInputThatChangesWhileItIsReadAreNotBuilt) {
  const ScratchFolder folder;
  write_input(folder, 4);
  for (const std::uint32_t builders : {1u, 2u}) {
    auto reader = ingest::RecordReader::open({folder / "in"}, &ingest::kJsonl, {}, {.share = {0, builders}});
    ASSERT_TRUE(reader);
    support::write_file(folder / "in" / ("new-" + std::to_string(builders) + ".jsonl"), "{}\n");
    auto record = (*reader)->next();
    while (record && record->has_value()) record = (*reader)->next();
    if (builders == 1)
      EXPECT_TRUE(record) << "one build reads what is there";
    else
      EXPECT_EQ(record.error().code(), Code::kInvalid);
  }
}

TEST(Shares, ThatHoldTheSameIdAreRefused) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "in");
  support::write_file(folder / "in" / "a.jsonl", "{\"id\":\"same\",\"contents\":\"one\"}\n");
  support::write_file(folder / "in" / "b.jsonl", "{\"id\":\"same\",\"contents\":\"two\"}\n");
  const BuildOptions options = options_for(folder, "r");
  for (const std::uint32_t i : {0u, 1u}) ASSERT_TRUE(run_share(options, i, 2));
  const auto refused = publish::publish_shares(options.repository, "test", 2, 0, {});
  EXPECT_EQ(refused, Code::kInvalid);
  EXPECT_NE(refused.error().message().find("'same'"), std::string::npos) << refused.error().message();
  EXPECT_FALSE(is_published(options));
  EXPECT_TRUE(std::filesystem::is_empty(options.repository / "test" / "building"));
}

TEST(Shares, WithoutADocumentAreNotPublished) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "in");
  support::write_file(folder / "in" / "a.jsonl", "");
  const BuildOptions options = options_for(folder, "r");
  for (const std::uint32_t i : {0u, 1u}) ASSERT_TRUE(run_share(options, i, 2));
  EXPECT_EQ(publish::publish_shares(options.repository, "test", 2, 0, {}), Code::kInvalid);
  EXPECT_FALSE(is_published(options));
}

}  // namespace
}  // namespace frond::indexer
