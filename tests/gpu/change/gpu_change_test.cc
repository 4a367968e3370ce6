// A collection that was changed by the indexer's commands, searched on the GPU: answers are those of a fresh build of
// what remains, to the byte, and the GPU gives them itself, whatever documents a generation hides, with and without
// priors.
#include <optional>
#include <set>

#include "indexer/change/compact.h"
#include "leaf/gpu/gpu_engine.h"
#include "tests/differential/change/changed_collection.h"

namespace frond::change_test {
namespace {

using leaf::engine::Mode;
using leaf::gpu::GpuEngine;

class AChangedCollectionOnAGpu : public testing::TestWithParam<unsigned> {
 protected:
  std::filesystem::path repository() const { return folder_ / "repository"; }

  std::vector<Text> some_texts(std::size_t count) {
    std::set<std::string> ids;
    std::vector<Text> texts;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string id = "d" + std::to_string(random_() % 3 == 0 ? random_() % (next_id_ + 1) : next_id_++);
      if (ids.insert(id).second)
        texts.push_back({id, random_words(random_, 4), random_words(random_, 60), random_prior()});
    }
    return texts;
  }

  // Of every other collection.
  double random_prior() {
    if (GetParam() % 2 == 0 || random_() % 3 != 0) return 0;
    return static_cast<double>(random_() % (1u << (1 + random_() % 16))) / 1000;
  }

  template <class Build>  // indexer::build or indexer::add
  void run(const Build& build, const std::filesystem::path& to, const std::vector<Text>& texts,
           std::uint32_t partitions) {
    const auto input = folder_ / "input.jsonl";
    write_jsonl(input, texts);
    indexer::BuildProgress progress;
    const auto done = build(options_for(to, input, partitions), progress, log_, {});
    ASSERT_TRUE(done) << done.error().message();
  }
  void add(const std::vector<Text>& texts) {
    run(indexer::add, repository(), texts, 1 + random_() % 2);
    model_.add(texts);
  }
  void remove_some(std::size_t count) {
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < count; ++i) ids.push_back("d" + std::to_string(random_() % (next_id_ + 1)));
    std::size_t next = 0;
    const auto removed = indexer::change::remove_documents({repository(), "c", 0},
                                                           [&]() -> Result<std::optional<std::string>> {
                                                             if (next == ids.size())
                                                               return std::optional<std::string>();
                                                             return std::optional<std::string>(ids[next++]);
                                                           },
                                                           {});
    ASSERT_TRUE(removed) << removed.error().message();
    for (const auto& id : ids) model_.remove(id);
  }

  // Some queries on the current generation, and on a fresh build. The leaf's partitions stay open, so the engine has
  // their lists from the generations before.
  void compare(GpuEngine& engine, Follower& leaf) {
    std::filesystem::remove_all(folder_ / "fresh");
    std::filesystem::remove_all(folder_ / "fresh-data");
    run(indexer::build, folder_ / "fresh", model_.texts(), 1 + random_() % 3);
    Follower fresh(folder_ / "fresh", folder_ / "fresh-data");
    fresh.step();
    leaf.step();
    const auto oracle = *leaf::engine_named("exhaustive");
    for (int q = 0; q < 12; ++q) {
      std::set<std::string> words;
      for (std::size_t n = 1 + random_() % 4; n > 0; --n)
        words.insert("w" + std::to_string(random_() % (1u << (1 + random_() % 8))));
      const std::vector<std::string> terms(words.begin(), words.end());
      for (const Mode mode : {Mode::kAnd, Mode::kOr})
        for (const bool ranked : {true, false})
          for (const std::uint32_t k : {1u, 10u, 300u}) {
            const Answer wanted = fresh.search(*oracle, terms, mode, k, ranked);
            const Answer got = leaf.search(engine, terms, mode, k, ranked);
            ASSERT_EQ(got.hits, wanted.hits) << "seed " << GetParam() << ", k " << k << ", first word " << terms[0];
            if (got.exact)
              ASSERT_EQ(got.matches, wanted.matches);
            else
              ASSERT_LE(got.matches, wanted.matches);
          }
    }
  }

  support::ScratchFolder folder_;
  Random random_{GetParam()};
  Logger log_{"test", LogLevel::kError};
  Model model_;
  std::size_t next_id_ = 0;
};

TEST_P(AChangedCollectionOnAGpu, AnswersLikeAFreshBuildOfWhatRemains) {
  const auto below = *leaf::engine_named("cpu");
  const auto engine = *GpuEngine::create(
      {.memory_bytes = std::size_t{100} << 20, .copying = leaf::gpu::DeviceCache::Copying::kByTheCaller}, *below);
  const auto first = some_texts(300);
  run(indexer::build, repository(), first, 1 + GetParam() % 3);
  model_.add(first);
  Follower leaf(repository(), folder_ / "data");
  for (int step = 0; step < 6; ++step) {
    if (step % 3 == 2)
      add(some_texts(30));
    else
      remove_some(20);
    if (step == 4) {
      ASSERT_TRUE(indexer::change::compact({repository(), "c", 0}, {2, 0.1, false}, {}));
    }
    if (HasFatalFailure()) return;
    SCOPED_TRACE("step " + std::to_string(step));
    compare(*engine, leaf);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(engine->counters().plans, 0u);
  EXPECT_EQ(engine->counters().fallbacks, engine->counters().unanswered);
}

INSTANTIATE_TEST_SUITE_P(Seeds, AChangedCollectionOnAGpu, testing::Values(21u, 22u));

}  // namespace
}  // namespace frond::change_test
