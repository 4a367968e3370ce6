// What a service does for a collection in the background.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <thread>

#include "indexer/pipeline/memory.h"
#include "indexer/write/written_collections.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::write {
namespace {
namespace fs = std::filesystem;
using namespace std::chrono_literals;

TEST(ACollectionsUpkeep, RemovesOldGenerationsAlsoWherePartitionsCantBeMerged) {
  support::ScratchFolder folder;
  const fs::path repository = folder / "repository", collection = repository / "c";
  fs::create_directory(repository);
  WriterOptions options;
  options.repository = repository;
  options.refresh = 1ms;
  options.memory_limit = pipeline::kMinMemoryLimit;
  options.keep = 1;
  Logger log("test", LogLevel::kError);
  metrics::Registry registry("test");
  const auto all = WrittenCollections::open(options, registry, log).value();
  ASSERT_EQ(*all->create("c", ""), true);
  const auto writer = *all->find("c");
  const auto eventually = [](const auto& is) {
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (!is() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(10ms);
    return is();
  };
  const auto publish = [&](int number) {
    const std::string id = std::to_string(number);
    const Operation document{id, R"({"id":")" + id + R"(","body":"word"})"};
    ASSERT_TRUE(writer->accept({&document, 1}, {}));
    ASSERT_TRUE(eventually([&] { return writer->state().published == writer->state().accepted; }));
  };
  publish(0);
  for (const auto& partition : fs::directory_iterator(collection / "partitions"))
    for (const auto& file : fs::directory_iterator(partition.path()))
      if (file.path().filename().string().starts_with("documents"))
        support::write_file(file.path(), std::string(file.file_size(), 'x'));
  for (int i = 1; i < 30; ++i) publish(i);
  const auto failed = [&] {
    return registry.exposition().find("frond_indexer_compactions_total{outcome=\"failed\"} 0") == std::string::npos;
  };
  EXPECT_TRUE(eventually(failed));
  const auto manifests = [&] {
    std::size_t count = 0;
    for (const auto& file : fs::directory_iterator(collection / "generations"))
      count += file.path().extension() == ".json";
    return count;
  };
  EXPECT_TRUE(eventually([&] { return manifests() <= options.keep + 1; })) << manifests();
}

}  // namespace
}  // namespace frond::indexer::write
