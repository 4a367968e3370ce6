#pragma once
// A follower on a repository in a temporary folder, one step at a time.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "leaf/generation/generation_follower.h"
#include "leaf/lists/partition_list_store.h"
#include "tests/support/collections/manual_clock.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/small_repository.h"

namespace frond::leaf::generation {

// A leaf's life between two starts.
struct Leaf {
  explicit Leaf(const std::filesystem::path& root, const Clock& clock, std::uint64_t disk_reserve = 0,
                ShardOf shard = {})
      : source(*repository::RepositorySource::open((root / "repository").string(), "c")),
        data(*DataFolder::open(root / "data")),
        store(clock),
        registration{[this](std::uint64_t number, auto partition) { store.add(number, partition); },
                     [this](std::uint64_t number) { store.remove(number); }},
        loader(*source, *data, shard, registration, disk_reserve),
        follower({"c",
                  std::chrono::milliseconds(1000),
                  std::chrono::seconds(30),
                  std::chrono::seconds(3600),
                  {},
                  [this] { ++changes; },
                  [this](const auto&, const auto&, const auto&) {
                    if (warming) warming();
                  }},
                 *source, *data, loader, board, brokers, clock, log, &registry) {}

  std::vector<Generation> serving() const {
    std::vector<Generation> numbers;
    const auto set = board.get();
    for (const auto& one : *set) numbers.push_back(one->generation);
    return numbers;
  }
  // Those that brokers are told of.
  std::vector<Generation> listed() const {
    std::vector<Generation> numbers;
    const auto set = board.get();
    for (const auto& one : *set)
      if (one->leaving_since.load() == Instant::max()) numbers.push_back(one->generation);
    return numbers;
  }

  // A broker said hello now, and that it serves from this generation.
  void hello_from(std::uint64_t instance, Generation serving, Instant now) {
    brokers.heard({instance, "broker-" + std::to_string(instance) + ":1", {serving, 0}, std::chrono::seconds(60)}, {},
                  now);
  }

  std::unique_ptr<repository::RepositorySource> source;
  std::unique_ptr<DataFolder> data;
  lists::PartitionListStore store;
  ListRegistration registration;
  Logger log{"test", LogLevel::kError};
  metrics::Registry registry{"test"};
  ServedBoard board;
  BrokerRoll brokers;
  GenerationLoader loader;
  int changes = 0;                // of the served set that the follower told of
  std::function<void()> warming;  // called before a loaded generation is served
  GenerationFollower follower;
};

class GenerationFollowerTest : public testing::Test {
 protected:
  void publish(std::uint32_t documents, std::uint32_t partitions = 2, const std::string& ids_end = {}) {
    const auto published = support::publish_generation(
        folder_ / "repository", "c", support::random_documents(documents, documents), partitions, ids_end);
    ASSERT_TRUE(published) << published.error().message();
  }
  std::filesystem::path published_file(const std::string& partition) {
    const std::filesystem::path partitions = folder_ / "repository/c/partitions";
    for (const auto& entry : std::filesystem::directory_iterator(partitions / partition))
      if (entry.path().filename().string().starts_with("documents")) return entry.path();
    return {};
  }
  std::size_t count(const std::string& name, const std::string& extension = {}) {
    std::size_t entries = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "data" / name))
      entries += extension.empty() || entry.path().extension() == extension ? 1 : 0;
    return entries;
  }
  // What is to leave is retired.
  void let_leave(Leaf& leaf) {
    leaf.follower.step();
    clock_.advance(kLeaving);
    leaf.follower.step();
  }
  using Numbers = std::vector<Generation>;

  support::ScratchFolder folder_;
  support::ManualClock clock_;
};

}  // namespace frond::leaf::generation
