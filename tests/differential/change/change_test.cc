// Exact change: after any additions, removals, replacements, compactions and crashes between any two steps, a
// collection is, to the byte, what a fresh build of what remains is: statistics, document frequencies, and the answers
// of every engine.
#include "tests/differential/change/random_changes.h"

namespace frond::change_test {
namespace {

TEST_P(AChangedCollection, AnswersLikeAFreshBuildOfWhatRemains) {
  const auto first = some_texts(300);
  ASSERT_TRUE(build(repository(), first, GetParam().partitions));
  model_.add(first);
  leaf_ = std::make_unique<Follower>(repository(), folder_ / "data");
  std::string history = "build";
  for (int step = 0; step < GetParam().steps; ++step) {
    random_step();
    history += "; " + told_ + (changed_ ? "" : " (nothing changed)");
    SCOPED_TRACE(history);
    if (random_() % 4 == 0) {  // a leaf that starts again with what it has
      leaf_.reset();
      leaf_ = std::make_unique<Follower>(repository(), folder_ / "data");
    }
    compare();
    if (HasFailure()) return;
  }
}

// Dies before each rename, sync, removal and merge in turn, until a change gets to its end; of many partitions, which
// do the same one after the other, before each third.
TEST_P(AChangedCollection, IsAsItWasOrChangedAfterADeathAtEveryStep) {
  const auto first = some_texts(60);
  ASSERT_TRUE(build(repository(), first, GetParam().partitions));
  model_.add(first);
  const std::vector<std::function<void(int)>> changes = {
      [&](int step) { add(some_texts(1 + random_() % 10), step); },
      [&](int step) {
        remove({model_.texts().front().id, model_.texts().back().id}, step);
      },
      [&](int step) {
        compact({2, 0.0, true}, step);
      }};
  leaf_ = std::make_unique<Follower>(repository(), folder_ / "data");
  const int stride = GetParam().partitions > 3 ? 3 : 1;
  for (std::size_t kind = 0; kind < changes.size(); ++kind) {
    reached_end_ = false;
    int steps = static_cast<int>(random_() % static_cast<unsigned>(stride));
    for (; !reached_end_; steps += stride) {
      SCOPED_TRACE("change " + std::to_string(kind) + ", died before step " + std::to_string(steps));
      changes[kind](steps);
      ASSERT_LT(steps, 100);
      const auto report = indexer::check::check_generation(repository(), "c");
      ASSERT_TRUE(report) << report.error().message();
      ASSERT_EQ(report->faults, 0u) << report->listed[0].where << ": " << report->listed[0].what;
    }
    EXPECT_GT(steps, 5);
    compare();
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, AChangedCollection,
                         testing::Values(Case{1, 1}, Case{2, 3}, Case{3, 2}, Case{4, 2, false}, Case{5, 16},
                                         Case{6, 2, true, 12, true}),
                         [](const auto& seeded) { return "Seed" + std::to_string(seeded.param.seed); });

}  // namespace
}  // namespace frond::change_test
