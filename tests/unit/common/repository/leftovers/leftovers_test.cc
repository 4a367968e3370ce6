// What a writer removes when it opens a repository, what it must not remove, and what it refuses to publish. The
// generations have real partitions.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/repository/repository.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/small_repository.h"

namespace frond::repository {
namespace {
namespace fs = std::filesystem;

class APublishedRepository : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(support::publish_generation(root(), "c", documents_, 2).has_value()); }
  fs::path root() const { return scratch_.path(); }
  fs::path folder() const { return scratch_ / "c"; }
  Result<Generation> current() const { return (*RepositorySource::open(root().string(), "c"))->current(); }
  Result<Manifest> manifest(Generation n) const { return (*RepositorySource::open(root().string(), "c"))->manifest(n); }
  bool has_partition(const std::string& id) const { return fs::exists(folder() / "partitions" / id); }
  Result<Manifest> publish() { return support::publish_generation(root(), "c", documents_, 2); }

  // Runs `work` in a child that dies before the step called `name`.
  void die_before(const std::string& name, const std::function<void(RepositoryWriter&)>& work) {
    const pid_t child = ::fork();
    if (child == 0) {
      auto writer = RepositoryWriter::open(root(), "c", [&](std::string_view step) {
        if (step == name) ::_exit(9);
      });
      if (writer) work(**writer);
      ::_exit(1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 9) << "there is no step '" << name << "'";
  }
  void publish_in(RepositoryWriter& writer) {
    const auto built = support::build_generation(writer, "c", documents_, 2);
    if (built) (void)writer.publish(*built, writer.building() / "terms.sst").has_value();
  }

  support::ScratchFolder scratch_;
  std::vector<support::TestDocument> documents_ = support::random_documents(20, 1);
};

TEST_F(APublishedRepository, LosesAManifestThatNeverBecameCurrentWithItsPartitions) {
  die_before("CURRENT", [&](RepositoryWriter& writer) { publish_in(writer); });
  EXPECT_EQ(current(), 1u);
  EXPECT_TRUE(fs::exists(folder() / manifest_path(2))) << "it died too early for this test";
  {
    const auto writer = RepositoryWriter::open(root(), "c").value();
    EXPECT_EQ(writer->next_generation(), 2u);
    EXPECT_TRUE(fs::is_empty(writer->building()));
  }
  EXPECT_FALSE(fs::exists(folder() / manifest_path(2)));
  EXPECT_FALSE(fs::exists(folder() / term_statistics_path(2)));
  EXPECT_FALSE(has_partition("g2-p0"));
  EXPECT_TRUE(has_partition("g1-p0"));
  EXPECT_TRUE(publish().has_value());
  EXPECT_EQ(current(), 2u);
}

TEST_F(APublishedRepository, KeepsAGenerationThatWasRolledBack) {
  ASSERT_TRUE(publish().has_value());
  ASSERT_EQ(RepositoryWriter::open(root(), "c").value()->rollback(), 1u);
  ASSERT_TRUE(RepositoryWriter::open(root(), "c").has_value());
  EXPECT_TRUE(manifest(2).has_value());
  EXPECT_TRUE(has_partition("g2-p1"));
}

TEST_F(APublishedRepository, IsBeforeOrAfterARollbackThatDied) {
  ASSERT_TRUE(publish().has_value());
  for (const char* step : {"HIGHEST", "CURRENT"}) {
    die_before(step, [](RepositoryWriter& writer) { (void)writer.rollback().has_value(); });
    EXPECT_EQ(current(), 2u) << step;
    ASSERT_TRUE(RepositoryWriter::open(root(), "c").has_value());
    EXPECT_TRUE(manifest(2).has_value()) << step;
    EXPECT_TRUE(has_partition("g2-p0")) << step;
  }
  die_before("done", [](RepositoryWriter& writer) { (void)writer.rollback().has_value(); });
  EXPECT_EQ(current(), 2u) << "the first step done is HIGHEST's";
}

TEST_F(APublishedRepository, LosesNothingWhenCurrentIsLostOrDamaged) {
  ASSERT_TRUE(publish().has_value());
  fs::remove(folder() / "CURRENT");
  EXPECT_EQ(RepositoryWriter::open(root(), "c").value()->next_generation(), 3u);
  EXPECT_TRUE(manifest(1).has_value() && manifest(2).has_value());
  support::write_file(folder() / "CURRENT", "two\n");
  ASSERT_TRUE(RepositoryWriter::open(root(), "c").has_value());
  EXPECT_TRUE(has_partition("g1-p0") && has_partition("g2-p0"));
}

TEST_F(APublishedRepository, LosesNoPartitionWhileAManifestIsUnreadableOrMissing) {
  ASSERT_TRUE(publish().has_value());
  support::flip_byte(folder() / manifest_path(1), 100);
  ASSERT_TRUE(RepositoryWriter::open(root(), "c").has_value());
  EXPECT_TRUE(has_partition("g1-p0") && has_partition("g2-p0"));
  fs::remove(folder() / manifest_path(2));
  support::flip_byte(folder() / manifest_path(1), 100);
  ASSERT_TRUE(RepositoryWriter::open(root(), "c").has_value());
  EXPECT_TRUE(has_partition("g2-p0")) << "the current generation's manifest is missing";
}

TEST_F(APublishedRepository, RefusesWhatReadersWouldRefuseAndMovesNothing) {
  const auto writer = RepositoryWriter::open(root(), "c").value();
  const auto good = support::build_generation(*writer, "c", documents_, 2).value();
  const auto terms = writer->building() / "terms.sst";
  const auto refused = [&](const std::function<void(Manifest&)>& change) {
    Manifest bad = good;
    change(bad);
    const auto published = writer->publish(bad, terms);
    EXPECT_EQ(published, Code::kInvalid);
    EXPECT_FALSE(has_partition("g2-p0"));
    return published ? std::string() : published.error().message();
  };
  EXPECT_NE(refused([](Manifest& m) { m.generation = 3; }).find("next one is 2"), std::string::npos);
  refused([](Manifest& m) { m.collection = "d"; });
  refused([](Manifest& m) { m.partitions[0].id = "../outside"; });
  refused([](Manifest& m) { m.partitions[1].id = m.partitions[0].id; });
  refused([](Manifest& m) { m.statistics.tokens += 1; });
  EXPECT_NE(refused([](Manifest& m) { m.partitions[0].summary.files[0].bytes += 1; }).find("bytes instead of"),
            std::string::npos);
  refused([](Manifest& m) { m.partitions[0].summary.files[0].name = "none.sst"; });
  refused([](Manifest& m) { m.term_statistics.bytes += 1; });
  EXPECT_TRUE(writer->publish(good, terms).has_value());
  EXPECT_EQ(current(), 2u);
}

TEST_F(APublishedRepository, LosesTheScratchOfACheckThatDiedAndNotOfOneThatRuns) {
  fs::create_directories(folder() / ".check-dead/x");
  fs::create_directories(folder() / ".check-live/x");
  const int live = ::open((folder() / ".check-live").c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(live, LOCK_EX | LOCK_NB), 0);
  ASSERT_TRUE(RepositoryWriter::open(root(), "c").has_value());
  EXPECT_FALSE(fs::exists(folder() / ".check-dead"));
  EXPECT_TRUE(fs::exists(folder() / ".check-live/x"));
  ::close(live);
}

TEST_F(APublishedRepository, GivesNoFileFromOutsideACollection) {
  support::write_file(scratch_ / "secret", "x");
  const auto source = RepositorySource::open(root().string(), "c").value();
  const PartitionFile expected{"secret", 1, std::string(32, '0')};
  for (const char* path : {"../secret", "/etc/passwd", "partitions/../../secret", "", "a//b", "a/"})
    EXPECT_EQ(source->fetch(path, expected, scratch_ / "to"), Code::kInvalid) << path;
  const auto read = manifest(1).value();
  auto file = read.partitions[0].summary.files[0];
  file.xxh3[0] = file.xxh3[0] == '0' ? '1' : '0';
  EXPECT_EQ(source->fetch(partition_file_path(read.partitions[0], file), file, scratch_ / "to"), Code::kCorrupt);
  EXPECT_FALSE(fs::exists(scratch_ / "to"));
  EXPECT_FALSE(fs::exists(scratch_ / "to.part"));
}

}  // namespace
}  // namespace frond::repository
