#pragma once
// The leaf's --data folder: the fetched files. Used by one process at a time.
//   <data>/LOCK                       locked while a leaf runs
//   <data>/partitions/<id>/           its files; only some of them if it is not Partition::complete()
//   <data>/generations/<xxh3>.terms.sst  term statistics, and
//   <data>/generations/<xxh3>.changes.sst  what was changed since: by their checksums, since generations share them
//   <data>/fetching/<id>/             partly fetched files of a partition; the next attempt continues from them
//   <data>/generations/<n>-<content>.json  the manifest of each served generation
//   <data>/SERVED                     the manifest, as published, of the generation that became current last
//   <data>/ASKED                      the terms that searches asked for (leaf/warm/asked_terms.h)
// Everything here can be fetched again, so the folder may be deleted while no leaf runs.
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/files/descriptor.h"
#include "common/partition/partition_writer.h"

namespace frond::leaf::generation {

class DataFolder {
 public:
  // Creates the folders and takes the lock. kUnavailable: another leaf holds it, or the folder can't be written.
  static Result<std::unique_ptr<DataFolder>> open(const std::filesystem::path& root);
  // The same, but null if another leaf holds the lock.
  static Result<std::unique_ptr<DataFolder>> open_unless_held(const std::filesystem::path& root);
  ~DataFolder() = default;
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;

  std::filesystem::path partition(const std::string& id) const { return root_ / "partitions" / id; }
  // Of a manifest's term_statistics and of its changes.
  static std::string terms_file(const partition::PartitionFile& file) { return file.xxh3 + ".terms.sst"; }
  static std::string changes_file(const partition::PartitionFile& file) { return file.xxh3 + ".changes.sst"; }
  std::filesystem::path generation_file(const std::string& name) const { return root_ / "generations" / name; }
  static std::string manifest_file(const GenerationId& id) {
    return std::to_string(id.number) + "-" + to_hex(id.content) + ".json";
  }
  std::filesystem::path manifest(const GenerationId& id) const { return root_ / "generations" / manifest_file(id); }
  std::filesystem::path current_manifest() const { return root_ / "SERVED"; }
  std::filesystem::path asked_terms() const { return root_ / "ASKED"; }
  std::filesystem::path fetching(const std::string& id) const { return root_ / "fetching" / id; }
  // The manifest (JSON) that the next leaf process serves before it reaches the repository. remember() replaces it
  // atomically and syncs it. remembered(): kNotFound if no generation was ever served.
  Result<void> remember(const std::string& manifest) const;
  Result<std::string> remembered() const;
  // The same for every served generation. A manifest stays until its file is removed. kept_manifests() returns them in
  // the order in which they were written; if there are more than kMaxKept, only the newest.
  static constexpr std::size_t kMaxKept = 8;
  Result<void> keep_manifest(const GenerationId& id, const std::string& manifest) const;
  std::vector<std::string> kept_manifests() const;
  // Deletes all other partitions, complete and partly fetched, and all other files of generations/.
  void keep_only(const std::set<std::string>& partitions, const std::set<std::string>& generation_files) const;

 private:
  DataFolder(std::filesystem::path root, files::Descriptor lock) : root_(std::move(root)), lock_(std::move(lock)) {}
  const std::filesystem::path root_;
  const files::Descriptor lock_;
};

}  // namespace frond::leaf::generation
