// Searches over lists that are mapped, while their file is cut short: a right answer, or a partition that says that it
// is not intact; never an access outside, whatever of a list has become zeros in the middle of its evaluation.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "leaf/engines.h"
#include "leaf/lists/cached_list_store.h"
#include "leaf/lists/partition_list_store.h"
#include "tests/support/long_partition.h"
#include "tests/support/scratch_folder.h"

namespace frond::leaf::lists {
namespace {

namespace fs = std::filesystem;

class VanishingLists : public testing::Test {
 protected:
  VanishingLists() {
    const auto summary = support::write_long_partition(support::long_lists(), scratch_ / "files");
    for (const auto& file : summary.files)
      if (file.name.starts_with("postings")) list_bytes_ = file.bytes;
    FROND_CHECK(partition::Partition::ingest(scratch_ / "files", summary.files, scratch_ / "whole", true).has_value());
  }
  // A copy of the database; the file that holds the lists.
  fs::path copy_database(const std::string& name) {
    fs::copy(scratch_ / "whole", scratch_ / name);
    for (const auto& entry : fs::directory_iterator(scratch_ / name))
      if (entry.file_size() == list_bytes_) return entry.path();
    ADD_FAILURE() << "no file of lists";
    return {};
  }
  static std::vector<ListKey> keys() { return {{1, "in-a-2th"}, {1, "in-a-3th"}, {1, "in-a-4th"}}; }
  engine::Plan plan_of(const partition::Partition& partition, const std::vector<ListLease>& leases,
                       engine::Mode mode) const {
    const scoring::Bm25Parameters parameters;
    const scoring::CollectionStatistics statistics{partition.documents(), partition.tokens()};
    engine::Plan plan;
    plan.mode = mode;
    plan.lengths = partition.lengths();
    plan.partition = 1;
    plan.norm = scoring::length_norm(parameters, statistics);
    for (const auto& lease : leases) {
      const float weight =
          scoring::term_weight(parameters, statistics, std::max<std::uint64_t>(lease->postings.count(), 1), 1);
      plan.terms.push_back(
          {lease, weight,
           scoring::BoundScale(weight, parameters, statistics, {parameters.b, partition.built_average_length()})});
    }
    return plan;
  }
  std::vector<topk::Hit> hits_of(engine::QueryEngine& engine, const engine::Plan& plan) const {
    auto outcomes = engine.search(std::span(&plan, 1), clock_);
    return outcomes[0] ? outcomes[0]->hits : std::vector<topk::Hit>();
  }

  support::ScratchFolder scratch_;
  std::uint64_t list_bytes_ = 0;
  const SteadyClock clock_;
};

TEST_F(VanishingLists, GiveRightAnswersOrNone) {
  constexpr std::uint32_t kSeed = 4711;
  std::mt19937 random(kSeed);
  std::vector<std::vector<topk::Hit>> expected;
  std::vector<std::unique_ptr<engine::QueryEngine>> engines;
  for (const char* name : {"cpu", "exhaustive"}) engines.push_back(*engine_named(name));
  std::uint64_t right = 0, refused = 0;
  for (int round = 0; round < 60; ++round) {
    const std::string name = "round" + std::to_string(round);
    const auto file = copy_database(name);
    const auto partition = partition::Partition::open(scratch_ / name, partition::FileReads::kMapped).value();
    PartitionListStore stored(clock_);
    stored.add(1, partition);
    CachedListStore cached(stored, {.budget_bytes = round % 2 == 0 ? std::size_t{0} : std::size_t{16} << 20});
    std::atomic<bool> stop{false};
    std::thread cutter([&, wait = random() % 3000, left = random() % list_bytes_] {
      std::this_thread::sleep_for(std::chrono::microseconds(wait));
      fs::resize_file(file, left);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      stop = true;
    });
    while (!stop) {
      for (const engine::Mode mode : {engine::Mode::kAnd, engine::Mode::kOr}) {
        const auto leases = cached.fetch(keys(), Deadline::never());
        if (!leases) {
          ++refused;
          continue;
        }
        const engine::Plan plan = plan_of(*partition, *leases, mode);
        const auto hits = hits_of(*engines[static_cast<std::size_t>(round / 2 % 2)], plan);
        const bool intact =
            std::all_of(leases->begin(), leases->end(), [](const auto& one) { return one->intact().has_value(); });
        if (!partition->intact() || !intact) {
          ++refused;
          continue;
        }
        const std::size_t which = mode == engine::Mode::kAnd ? 0 : 1;
        if (expected.size() == which) expected.push_back(hits);  // the first answers, of a whole file
        if (expected.size() > which) {
          EXPECT_EQ(hits, expected[which]) << "seed " << kSeed << ", " << name;
        }
        ++right;
      }
    }
    cutter.join();
    EXPECT_FALSE(partition->check_files());
    fs::remove_all(scratch_ / name);
  }
  EXPECT_GT(right, 0u);
  EXPECT_GT(refused, 0u);
}

}  // namespace
}  // namespace frond::leaf::lists
