#pragma once
// The leaf's --data: what it has fetched, one process at a time.
//   <data>/LOCK                       held while a leaf runs
//   <data>/partitions/<id>/           a partition's database; complete once Partition::complete() says so
//   <data>/generations/<n>-<content>.terms.sst  term statistics of a generation; <n>.terms.sst where a leaf of before
//                                     wrote them, until they are used
//   <data>/fetching/<id>/             what is being fetched of a partition; the next attempt goes on from it
//   <data>/generations/<n>-<content>.json  the manifest of each generation that is served
//   <data>/SERVED                     the manifest of the generation that was served last, as it was published
// Everything here can be fetched again, so it may be deleted whole while no leaf runs.
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/files/descriptor.h"

namespace frond::leaf::generation {

class DataFolder {
 public:
  // Makes the folders and takes the lock. kUnavailable: another leaf has it, or the folder can't be written.
  static Result<std::unique_ptr<DataFolder>> open(const std::filesystem::path& root);
  // The same; null: another leaf has the lock.
  static Result<std::unique_ptr<DataFolder>> open_unless_held(const std::filesystem::path& root);
  ~DataFolder() = default;
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;

  std::filesystem::path partition(const std::string& id) const { return root_ / "partitions" / id; }
  static std::string terms_file(const GenerationId& id) {
    return std::to_string(id.number) + "-" + to_hex(id.content) + ".terms.sst";
  }
  std::filesystem::path terms(const GenerationId& id) const { return root_ / "generations" / terms_file(id); }
  static std::string manifest_file(const GenerationId& id) {
    return std::to_string(id.number) + "-" + to_hex(id.content) + ".json";
  }
  std::filesystem::path manifest(const GenerationId& id) const { return root_ / "generations" / manifest_file(id); }
  // As leaves named it that knew a generation by its number only.
  std::filesystem::path former_terms(Generation generation) const {
    return root_ / "generations" / (std::to_string(generation) + ".terms.sst");
  }
  std::filesystem::path fetching(const std::string& id) const { return root_ / "fetching" / id; }
  // The manifest (JSON) that the next leaf here serves before it has heard from the repository. remember(): whole and
  // synced, or as before. remembered(): kNotFound where nothing was ever served.
  Result<void> remember(const std::string& manifest) const;
  Result<std::string> remembered() const;
  // The same for all generations that are served, until their file is removed; in the order in which they were kept.
  // Where there are more than kMaxKept, the last of them.
  static constexpr std::size_t kMaxKept = 8;
  Result<void> keep_manifest(const GenerationId& id, const std::string& manifest) const;
  std::vector<std::string> kept_manifests() const;
  // Removes every partition but these, every file of generations/ but these, and what was fetched of others.
  void keep_only(const std::set<std::string>& partitions, const std::set<std::string>& generation_files) const;

 private:
  DataFolder(std::filesystem::path root, files::Descriptor lock) : root_(std::move(root)), lock_(std::move(lock)) {}
  const std::filesystem::path root_;
  const files::Descriptor lock_;
};

}  // namespace frond::leaf::generation
