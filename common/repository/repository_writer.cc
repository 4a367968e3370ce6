#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "common/partition/file_checksum.h"
#include "common/repository/files.h"
#include "common/repository/repository.h"

namespace frond::repository {
namespace {
namespace fs = std::filesystem;

// "12.json" and "12.terms.sst" to 12; 0 for other names.
Generation generation_of(const fs::path& file) {
  const std::string name = file.filename().string();
  const auto generation = parse_current(name.substr(0, name.find('.')));
  return generation ? *generation : 0;
}

std::vector<fs::path> list_folder(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) entries.push_back(entry.path());
  return entries;
}

class Writer final : public RepositoryWriter {
 public:
  Writer(const fs::path& root, std::string collection, std::function<void(std::string_view)> before_step)
      : root_(root),
        collection_(std::move(collection)),
        folder_(root / collection_),
        building_(folder_ / "building"),
        before_step_(std::move(before_step)) {}

  Result<void> start() {
    std::error_code failed;
    for (const auto& folder : {folder_ / "generations", folder_ / "partitions"})
      if (fs::create_directories(folder, failed); failed)
        return Error(Code::kUnavailable, "creating " + folder.string() + ": " + failed.message());
    lock_ = FileDescriptor(::open((folder_ / "LOCK").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!lock_.valid()) return system_error("opening", folder_ / "LOCK");
    if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0)
      return Error(Code::kUnavailable,
                   (folder_ / "LOCK").string() + " is held: another build of this collection is running");
    source_ = FROND_TRY(RepositorySource::open(root_.string(), collection_));
    fs::remove_all(building_, failed);
    if (fs::create_directory(building_, failed); failed)
      return Error(Code::kUnavailable, "creating " + building_.string() + ": " + failed.message());
    return remove_leftovers();
  }

  const fs::path& building() const override { return building_; }
  const fs::path& folder() const override { return folder_; }

  Generation next_generation() const override {
    Generation highest = 0;
    for (const auto& file : list_folder(folder_ / "generations")) highest = std::max(highest, generation_of(file));
    if (const auto current = source_->current()) highest = std::max(highest, *current);
    return highest + 1;
  }

  Result<void> publish(Manifest manifest, const fs::path& term_statistics) override {
    const auto current = source_->current();
    if (!current && current.error().code() != Code::kNotFound) return current.error();
    manifest.previous = current ? *current : 0;
    for (const auto& entry : manifest.partitions) {
      const fs::path place = folder_ / "partitions" / entry.id;
      if (fs::exists(place)) continue;
      FROND_TRY(sync_folder(building_ / entry.id));
      step("partition");
      FROND_TRY(rename_path(building_ / entry.id, place));
    }
    FROND_TRY(sync_folder(folder_ / "partitions"));
    step("terms");
    FROND_TRY(rename_path(term_statistics, folder_ / term_statistics_path(manifest.generation)));
    const fs::path draft = building_ / "manifest";
    FROND_TRY(write_synced(draft, to_json(manifest)));
    step("manifest");
    FROND_TRY(rename_path(draft, folder_ / manifest_path(manifest.generation)));
    FROND_TRY(sync_folder(folder_ / "generations"));
    return switch_current(manifest.generation);
  }

  Result<Generation> rollback() override {
    const Generation current = FROND_TRY(source_->current());
    const Manifest manifest = FROND_TRY(source_->manifest(current));
    if (manifest.previous == 0)
      return Error(Code::kNotFound, "generation " + std::to_string(current) + " has none before it");
    // The one to go back to must be there, whole.
    (void)FROND_TRY(source_->manifest(manifest.previous));
    FROND_TRY(switch_current(manifest.previous));
    return manifest.previous;
  }

  Result<void> prune(unsigned keep) override {
    std::set<Generation> kept;
    Generation generation = FROND_TRY(source_->current());
    const Generation current = generation;
    for (unsigned i = 0; i <= keep && generation != 0; ++i) {
      const auto manifest = source_->manifest(generation);
      if (!manifest) break;
      kept.insert(generation);
      generation = manifest->previous;
    }
    for (const auto& file : list_folder(folder_ / "generations")) {
      const Generation number = generation_of(file);
      if (number == 0 || number > current || kept.contains(number) || file.extension() != ".json") continue;
      std::error_code failed;
      if (fs::remove(file, failed); failed)
        return Error(Code::kUnavailable, "removing " + file.string() + ": " + failed.message());
    }
    return remove_leftovers();
  }

 private:
  void step(std::string_view name) const {
    if (before_step_) before_step_(name);
  }

  Result<void> switch_current(Generation generation) {
    const fs::path draft = building_ / "CURRENT";
    FROND_TRY(write_synced(draft, std::to_string(generation) + "\n"));
    step("current");
    FROND_TRY(rename_path(draft, folder_ / "CURRENT"));
    step("done");
    return sync_folder(folder_);
  }

  // Partitions and term statistics that no manifest names. All or none: an unreadable manifest may name anything.
  Result<void> remove_leftovers() {
    std::set<std::string> named;
    std::set<Generation> generations;
    for (const auto& file : list_folder(folder_ / "generations")) {
      if (file.extension() != ".json") continue;
      const auto manifest = source_->manifest(generation_of(file));
      if (!manifest) return {};
      generations.insert(manifest->generation);
      for (const auto& entry : manifest->partitions) named.insert(entry.id);
    }
    std::error_code failed;
    for (const auto& partition : list_folder(folder_ / "partitions"))
      if (!named.contains(partition.filename().string())) fs::remove_all(partition, failed);
    for (const auto& file : list_folder(folder_ / "generations"))
      if (file.extension() != ".json" && !generations.contains(generation_of(file))) fs::remove(file, failed);
    if (failed) return Error(Code::kUnavailable, "removing leftovers in " + folder_.string() + ": " + failed.message());
    return {};
  }

  fs::path root_;
  std::string collection_;
  fs::path folder_;
  fs::path building_;
  std::function<void(std::string_view)> before_step_;
  FileDescriptor lock_;
  std::unique_ptr<RepositorySource> source_;
};
}  // namespace

Result<std::unique_ptr<RepositoryWriter>> RepositoryWriter::open(const fs::path& root, std::string_view collection,
                                                                 std::function<void(std::string_view)> before_step) {
  if (!is_safe_name(collection))
    return Error(Code::kInvalid, "'" + std::string(collection) + "' is not a collection's name: use [A-Za-z0-9._-]");
  auto writer = std::make_unique<Writer>(root, std::string(collection), std::move(before_step));
  FROND_TRY(writer->start());
  return std::unique_ptr<RepositoryWriter>(std::move(writer));
}

}  // namespace frond::repository
