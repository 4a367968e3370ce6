#include "indexer/check/check.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <memory>
#include <utility>

#include "tests/support/scratch_folder.h"
#include "tests/support/small_repository.h"

namespace frond::indexer::check {
namespace {

constexpr std::uint32_t kSeed = 77;

// A published generation; none of its files is open.
struct Published {
  Published() : manifest(support::publish_generation(folder.path(), "c", documents, 3).value()) {}
  support::ScratchFolder folder;
  std::vector<support::TestDocument> documents = support::random_documents(700, kSeed);
  repository::Manifest manifest;
};

// Each test damages its own copy of one publication: publishing syncs every file and would take most of a test's time.
class ACheck : public testing::Test {
 protected:
  static void SetUpTestSuite() { published_ = std::make_unique<Published>(); }
  static void TearDownTestSuite() { published_.reset(); }
  void SetUp() override {
    std::filesystem::copy(published_->folder / "c", folder(), std::filesystem::copy_options::recursive);
    documents_ = published_->documents;
    manifest_ = published_->manifest;
  }
  std::filesystem::path folder() const { return scratch_ / "c"; }
  CheckReport check(const CheckOptions& options = {}) {
    return check_generation(scratch_.path(), "c", 0, options).value();
  }
  // Replaces the manifest by a changed one with a correct checksum, as a faulty builder might.
  void write_manifest(const repository::Manifest& manifest) {
    support::write_file(folder() / repository::manifest_path(manifest.generation), to_json(manifest));
  }
  // True if a fault's place or text holds `text`.
  static bool mentions(const CheckReport& report, const std::string& text) {
    for (const auto& fault : report.listed)
      if (fault.where.find(text) != std::string::npos || fault.what.find(text) != std::string::npos) return true;
    return false;
  }
  static std::string print(const CheckReport& report) {
    std::string out;
    for (const auto& fault : report.listed) out += fault.where + ": " + fault.what + "\n";
    return out;
  }
  static inline std::unique_ptr<Published> published_;
  support::ScratchFolder scratch_;
  std::vector<support::TestDocument> documents_;
  repository::Manifest manifest_;
};

TEST_F(ACheck, FindsNoDamageInAGenerationThatIsRemovedMeanwhile) {
  const Generation first = manifest_.generation;
  const auto removes = [&](std::string_view) {  // as prune does: the manifest first
    std::filesystem::remove(folder() / repository::manifest_path(first));
    std::filesystem::remove_all(folder() / "partitions" / manifest_.partitions.back().id);
  };
  const auto gone = check_generation(scratch_.path(), "c", first, {.progress = removes});
  ASSERT_EQ(gone, Code::kNotFound);
  EXPECT_NE(gone.error().message().find("is gone"), std::string::npos) << gone.error().message();
}
TEST_F(ACheck, ReadsTheNextGenerationWhenItsOwnIsRemoved) {
  auto next = manifest_;
  ++next.generation;
  for (const char* end : {".terms.sst"})
    std::filesystem::copy_file(folder() / repository::term_statistics_path(manifest_.generation),
                               folder() / "generations" / (std::to_string(next.generation) + end));
  next.term_statistics.name = std::to_string(next.generation) + ".terms.sst";
  bool removed = false;
  const auto removes = [&](std::string_view) {
    if (std::exchange(removed, true)) return;
    write_manifest(next);
    support::write_file(folder() / "CURRENT", std::to_string(next.generation) + "\n");
    std::filesystem::remove(folder() / repository::manifest_path(manifest_.generation));
    std::filesystem::remove(folder() / repository::term_statistics_path(manifest_.generation));
  };
  const auto report = check({.progress = removes});
  EXPECT_EQ(report.generation, next.generation);
  EXPECT_EQ(report.faults, 0u) << print(report);
}
TEST_F(ACheck, FindsAPipeAndALinkInPlaceOfAFile) {
  const auto& entry = manifest_.partitions.front();
  const auto file = folder() / repository::partition_file_path(entry, entry.summary.files.front());
  std::filesystem::rename(file, scratch_ / "elsewhere");
  std::filesystem::create_symlink(scratch_ / "elsewhere", file);
  EXPECT_TRUE(mentions(check(), "symbolic link"));
  std::filesystem::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_TRUE(mentions(check(), "it is a pipe"));
}
TEST_F(ACheck, FindsNothingWrongWithAGoodGenerationAndReadsAllOfIt) {
  const auto report = check();
  EXPECT_EQ(report.faults, 0u) << print(report);
  EXPECT_EQ(report.generation, 1u);
  EXPECT_EQ(report.codec, manifest_.codec);
  EXPECT_EQ(report.order, manifest_.order);
  EXPECT_EQ(report.documents, documents_.size());
  EXPECT_EQ(report.postings, manifest_.postings);
  EXPECT_EQ(report.partitions, 3u);
  for (const auto& entry : std::filesystem::directory_iterator(folder()))
    EXPECT_FALSE(entry.path().filename().string().starts_with(".check-")) << "scratch is left behind";
}

TEST_F(ACheck, FindsAFlippedByteInEveryFileOfTheGeneration) {
  std::vector<std::string> files{repository::term_statistics_path(1)};
  for (const auto& entry : manifest_.partitions)
    for (const auto& file : entry.summary.files) files.push_back(partition_file_path(entry, file));
  std::mt19937 random(kSeed);
  for (const auto& file : files) {
    const std::uint64_t at = random() % std::filesystem::file_size(folder() / file);
    support::flip_byte(folder() / file, at);
    const auto report = check();
    EXPECT_GT(report.faults, 0u) << file << " at " << at << ", seed " << kSeed;
    EXPECT_TRUE(mentions(report, file)) << file << ":\n" << print(report);
    support::flip_byte(folder() / file, at);
  }
  EXPECT_EQ(check().faults, 0u);
}

TEST_F(ACheck, FindsAFlippedByteOfTheManifest) {
  const auto path = folder() / repository::manifest_path(1);
  std::mt19937 random(kSeed);
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t at = 40 + random() % (std::filesystem::file_size(path) - 100);
    const auto before = support::read_file(path);
    if (before[at] == ' ' || before[at] == '\n') continue;  // JSON's white space may change
    support::flip_byte(path, at);
    EXPECT_EQ(check().faults, 1u) << at << ", seed " << kSeed;
    support::flip_byte(path, at);
  }
}

TEST_F(ACheck, FindsFilesThatAreCutOrGone) {
  const auto& entry = manifest_.partitions[1];
  const auto file = partition_file_path(entry, entry.summary.files[0]);
  std::filesystem::resize_file(folder() / file, entry.summary.files[0].bytes - 1);
  EXPECT_TRUE(mentions(check(), file));
  std::filesystem::remove(folder() / file);
  EXPECT_TRUE(mentions(check(), file));
  std::filesystem::remove(folder() / repository::term_statistics_path(1));
  EXPECT_TRUE(mentions(check(), repository::term_statistics_path(1)));
}

// A generation with intact bytes and wrong contents.
TEST_F(ACheck, FindsAPartitionThatTheManifestDescribesWrongly) {
  auto manifest = manifest_;
  manifest.partitions[0].summary.docid_bytes += 1;
  manifest.partitions[1].summary.built_average_length += 1;
  manifest.terms += 1;
  write_manifest(manifest);
  const auto report = check();
  EXPECT_EQ(report.faults, 3u) << print(report);
  EXPECT_TRUE(mentions(report, "bytes of lists"));
  EXPECT_TRUE(mentions(report, "average length at build"));
}

TEST_F(ACheck, FindsFilesOfNoTableAndFilesThatAreListedTwice) {
  auto& files = manifest_.partitions[1].summary.files;
  files.push_back(files.front());
  write_manifest(manifest_);
  EXPECT_TRUE(mentions(check(), "partitions[1].files names a file twice"));
  const auto path = folder() / repository::partition_file_path(manifest_.partitions[1], files.front());
  files.back().name = "notes-0001.sst";
  std::filesystem::copy_file(path, path.parent_path() / files.back().name);
  write_manifest(manifest_);
  EXPECT_TRUE(mentions(check(), "'notes-0001.sst' belongs to no table"));
}

TEST_F(ACheck, FindsTermStatisticsOfOtherPartitions) {
  const support::ScratchFolder other;
  const auto foreign =
      support::publish_generation(other.path(), "c", support::random_documents(700, kSeed + 1), 3).value();
  std::filesystem::copy_file(other / "c" / repository::term_statistics_path(1),
                             folder() / repository::term_statistics_path(1),
                             std::filesystem::copy_options::overwrite_existing);
  auto manifest = manifest_;
  manifest.term_statistics = foreign.term_statistics;
  write_manifest(manifest);
  const auto report = check();
  EXPECT_GT(report.faults, 0u);
  EXPECT_TRUE(mentions(report, "document frequency")) << print(report);
}

TEST_F(ACheck, FindsDeficitsThatAreNoLowerBounds) {
  auto manifest = manifest_;
  manifest.bm25.b = 0;  // the lists were built with 0.4: every deficit is too high or too low now
  write_manifest(manifest);
  manifest.bm25.b = 1;
  const auto low = check();
  write_manifest(manifest);
  const auto high = check();
  EXPECT_TRUE(mentions(low, "deficit") || mentions(high, "deficit")) << print(low) << print(high);
}

TEST_F(ACheck, FindsATermDigestThatIsNotThatOfTheLists) {
  support::ScratchFolder other;
  documents_[7].wrong_digest = true;  // of partition 7 % 3
  ASSERT_TRUE(support::publish_generation(other.path(), "c", documents_, 3));
  const auto report = check_generation(other.path(), "c", 0, {}).value();
  EXPECT_EQ(report.faults, 1u) << print(report);
  EXPECT_TRUE(mentions(report, "the term digest of document 2")) << print(report);
}

TEST_F(ACheck, FindsOrdinalsGivenTwice) {
  auto manifest = manifest_;
  manifest.partitions[2].base = manifest.partitions[0].base + 3;
  write_manifest(manifest);
  EXPECT_TRUE(mentions(check(), "share an ordinal"));
  manifest.partitions[2].base = 100000;
  manifest.partitions[2].stride = 1;
  write_manifest(manifest);
  EXPECT_EQ(check().faults, 0u);
}

TEST_F(ACheck, ListsNoMoreFaultsThanAskedAndCountsAll) {
  auto manifest = manifest_;
  manifest.bm25.b = 0;
  write_manifest(manifest);
  CheckOptions options;
  options.max_listed = 2;
  const auto report = check(options);
  EXPECT_EQ(report.listed.size(), 2u);
  EXPECT_GT(report.faults, 2u);
}

TEST_F(ACheck, OfWhatIsNotThereSaysSo) {
  EXPECT_EQ(check_generation(scratch_.path(), "c", 9).error().code(), Code::kNotFound);
  EXPECT_EQ(check_generation(scratch_.path(), "other", 0).error().code(), Code::kNotFound);
  EXPECT_EQ(check_generation(scratch_.path(), "../c", 0).error().code(), Code::kInvalid);
}

}  // namespace
}  // namespace frond::indexer::check
