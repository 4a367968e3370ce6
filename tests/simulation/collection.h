#pragma once
// The generations that runs swap, and what each search of each of them must find. Made once for all runs: real
// partitions in a temporary folder, searched by the exhaustive engine.
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/repository/manifest.h"
#include "common/topk/hit.h"
#include "common/wire/messages.h"
#include "leaf/generation/generation_loader.h"
#include "leaf/generation/served_generation.h"
#include "leaf/lists/partition_list_store.h"
#include "tests/simulation/run.h"
#include "tests/support/scratch_folder.h"

namespace frond::simulation {

inline constexpr const char* kCollection = "c";
inline constexpr std::uint32_t kPartitions = 4;

// What a ranking of all documents has, the best first.
struct Found {
  struct Hit {
    topk::Hit hit;
    std::string id;
    std::uint32_t partition = 0;
  };
  std::vector<Hit> hits;
};

// A published generation. Generations of a repository that was made anew have the numbers of others.
struct Published {
  repository::Manifest manifest;
  std::string text;                                                 // of the manifest
  std::shared_ptr<const leaf::generation::ServedGeneration> whole;  // of all partitions
  std::map<std::string, std::map<wire::Mode, Found>> answers;       // by the query's words; kAnd and kOr
  GenerationId id() const { return {manifest.generation, manifest.content}; }
};

class Collection {
 public:
  Collection();

  std::span<const Published> generations() const { return generations_; }
  static const std::vector<std::string>& queries();
  // The documents that a whole or partial answer may have, in its order; `searched`: by partition.
  static std::vector<Found::Hit> expected(const Published& from, const std::string& words, wire::Mode mode,
                                          const std::vector<bool>& searched);

 private:
  void publish(const std::string& repository, std::uint32_t seed, const std::string& ids_end);
  void search_all(Published& one);

  support::ScratchFolder folder_;
  VirtualClock clock_;
  leaf::lists::PartitionListStore lists_{clock_};
  leaf::generation::ListRegistration registration_{
      [this](std::uint64_t number, auto partition) { lists_.add(number, partition); },
      [this](std::uint64_t number) { lists_.remove(number); }};
  leaf::generation::Numbers numbers_;
  std::unique_ptr<leaf::generation::DataFolder> data_;
  std::vector<Published> generations_;
};

// A leaf's loader, whose fetching takes no files: it serves what is in memory. A partition's folder marks what the disk
// has.
class MemoryLoader final : public leaf::generation::GenerationLoader {
 public:
  MemoryLoader(const Collection& collection, const repository::RepositorySource& source,
               const leaf::generation::DataFolder& data, leaf::generation::ShardOf shard,
               const leaf::generation::ListRegistration& lists, leaf::generation::Numbers& numbers)
      : GenerationLoader(source, data, shard, lists),
        collection_(collection),
        data_(data),
        shard_(shard),
        lists_(lists),
        numbers_(numbers) {}

  Result<std::shared_ptr<const leaf::generation::ServedGeneration>> load(
      const repository::Manifest& manifest, const leaf::generation::ServedSet& serving,
      const std::function<bool()>& stopping) override;
  bool on_disk(const repository::Manifest& manifest) const override;
  Result<void> expect_room(const repository::Manifest& manifest) const override;

  bool disk_is_full = false;

 private:
  const Collection& collection_;
  const leaf::generation::DataFolder& data_;
  const leaf::generation::ShardOf shard_;
  const leaf::generation::ListRegistration& lists_;
  leaf::generation::Numbers& numbers_;
};

}  // namespace frond::simulation
