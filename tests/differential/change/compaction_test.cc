// A compaction beside other writers: what they change meanwhile holds in what was merged, or the merge is dropped.
#include "tests/differential/change/random_changes.h"

namespace frond::change_test {
namespace {

TEST_P(AChangedCollection, AnswersLikeAFreshBuildWhenItChangesWhileItIsCompacted) {
  const auto first = some_texts(150);
  ASSERT_TRUE(build(repository(), first, GetParam().partitions));
  model_.add(first);
  leaf_ = std::make_unique<Follower>(repository(), folder_ / "data");
  std::string history = "build";
  std::uint64_t hidden_meanwhile = 0;
  for (int step = 0; step < GetParam().steps / 2; ++step) {
    told_.clear();
    for (int n = 0; n < 3; ++n) some_changes();
    // Before the sources are linked, before each merge, before publishing.
    const int at = static_cast<int>(random_() % 4);
    told_ += "; compaction, at step " + std::to_string(at);
    compact_beside({2, 0.1, random_() % 2 == 0}, at, [&] { some_changes(); });
    EXPECT_EQ(compacted_.outdated, 0u);
    hidden_meanwhile += compacted_.hidden_meanwhile;
    history += "; " + told_;
    SCOPED_TRACE(history);
    compare();
    if (HasFailure()) return;
  }
  EXPECT_GT(hidden_meanwhile, 0u);
}

TEST_P(AChangedCollection, StaysAsItIsWhenItIsReplacedWhileItIsCompacted) {
  const auto first = some_texts(100), second = some_texts(50);
  ASSERT_TRUE(build(repository(), first, GetParam().partitions));
  add(second, -1);
  compact_beside({2, 0.2, true}, 2, [&] {
    // Built anew, and what was merged is gone.
    ASSERT_TRUE(build(repository(), second, 2));
    prune();
  });
  const auto compacted = compacted_;
  EXPECT_EQ(compacted.outdated, 1u);
  EXPECT_FALSE(compacted.published);
  model_ = {};
  model_.add(second);
  leaf_ = std::make_unique<Follower>(repository(), folder_ / "data");
  compare();
}

TEST_P(AChangedCollection, ShowsWhatARollbackDuringACompactionShows) {
  const auto first = some_texts(100);
  ASSERT_TRUE(build(repository(), first, GetParam().partitions));
  model_.add(first);
  remove({first[0].id, first[7].id}, -1);
  const auto rolled_back = [&] {
    const auto writer = repository::RepositoryWriter::open(repository(), "c");
    ASSERT_TRUE(writer) << writer.error().message();
    ASSERT_TRUE((*writer)->rollback());
  };
  compact_beside({2, 0.2, true}, 2, rolled_back);
  EXPECT_EQ(compacted_.outdated, 1u);
  EXPECT_FALSE(compacted_.published);
  model_ = {};
  model_.add(first);
  leaf_ = std::make_unique<Follower>(repository(), folder_ / "data");
  compare();
}

TEST_P(AChangedCollection, IsCompactedByOneAtATimeAndAfterAKill) {
  ASSERT_TRUE(build(repository(), some_texts(50), GetParam().partitions));
  add(some_texts(30), -1);
  compact_beside({2, 0.2, true}, 1, [&] {
    const auto other = indexer::change::compact({repository(), "c", 0}, {2, 0.2, true}, {});
    ASSERT_FALSE(other);
    EXPECT_NE(other.error().message().find("another compaction is running"), std::string::npos)
        << other.error().message();
  });
  EXPECT_TRUE(compacted_.published);
  add(some_texts(30), -1);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    (void)indexer::change::compact({repository(), "c", 0,
                                    [](std::string_view name) {
                                      if (name == "compaction: publish") ::_exit(0);
                                    }},
                                   {2, 0.2, true}, {});
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_FALSE(std::filesystem::is_empty(repository() / "c" / "compacting"));
  indexer::change::remove_compaction_remains(repository() / "c");
  EXPECT_TRUE(std::filesystem::is_empty(repository() / "c" / "compacting"));
  const auto again = indexer::change::compact({repository(), "c", 0}, {2, 0.2, true}, {});
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_TRUE(again->published);
}

TEST_P(AChangedCollection, IsNotMergedBeyondTheMemoryAllowed) {
  ASSERT_TRUE(build(repository(), some_texts(50), GetParam().partitions));
  add(some_texts(30), -1);
  const auto none = indexer::change::compact({repository(), "c", 0}, {2, 0.2, true}, {}, {0, 1u << 20});
  ASSERT_TRUE(none) << none.error().message();
  EXPECT_EQ(none->too_large, 1u);
  EXPECT_FALSE(none->published);
}

}  // namespace
}  // namespace frond::change_test
