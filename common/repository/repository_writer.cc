#include <algorithm>
#include <optional>
#include <set>

#include "common/files/lock.h"
#include "common/files/read.h"
#include "common/files/write.h"
#include "common/partition/file_checksum.h"
#include "common/repository/files.h"
#include "common/repository/repository.h"

namespace frond::repository {
namespace {
namespace fs = std::filesystem;

// "12.json", "12.terms.sst" and "12.changes.sst" to 12; 0 for other names.
Generation generation_of(const fs::path& file) {
  const std::string name = file.filename().string();
  const auto dot = name.find('.');
  if (dot == name.npos ||
      (name.substr(dot) != ".json" && name.substr(dot) != ".terms.sst" && name.substr(dot) != ".changes.sst"))
    return 0;
  const auto generation = parse_current(name.substr(0, dot));
  return generation ? *generation : 0;
}
bool is_manifest(const fs::path& file) { return file.extension() == ".json" && generation_of(file) != 0; }

std::vector<fs::path> list_folder(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) entries.push_back(entry.path());
  return entries;
}

// Makes a folder, and those on the way to it; their names last as CURRENT will.
Result<void> create_synced(const fs::path& relative) {
  std::error_code failed;
  const fs::path folder = fs::absolute(relative, failed);
  fs::path there = folder;
  while (!failed && !fs::exists(there, failed) && there.has_relative_path()) there = there.parent_path();
  if (!failed) fs::create_directories(folder, failed);
  if (failed) return Error(Code::kUnavailable, "creating " + folder.string() + ": " + failed.message());
  for (fs::path made = folder; made != there;) {
    made = made.parent_path();
    FROND_TRY(files::sync(made));
  }
  return {};
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
    for (const auto& folder : {folder_ / "generations", folder_ / "partitions"}) FROND_TRY(create_synced(folder));
    lock_ = FROND_TRY(files::try_lock_file(folder_ / "LOCK"));
    if (!lock_)
      return Error(
          Code::kUnavailable,
          (folder_ / "LOCK").string() +
              " is held: another writer of this collection (build, add, remove, compact, publish, …) is running");
    source_ = FROND_TRY(RepositorySource::open(root_.string(), collection_));
    remove_stale_checks();
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
    for (const auto& number : {source_->current(), highest_published()})
      if (number) highest = std::max(highest, *number);
    return highest + 1;
  }

  Result<void> publish(Manifest manifest, const fs::path& term_statistics, const fs::path& changes) override {
    const auto current = source_->current();
    if (!current && current.error().code() != Code::kNotFound) return current.error();
    manifest.previous = current ? *current : 0;
    if (auto fit = fit_to_publish(manifest, term_statistics, changes); !fit) {
      const bool disk = fit.error().code() == Code::kUnavailable;
      return Error(disk ? Code::kUnavailable : Code::kInvalid,
                   "generation " + std::to_string(manifest.generation) + ": " + fit.error().message());
    }
    for (const auto& entry : manifest.partitions) {
      const fs::path place = folder_ / "partitions" / entry.id;
      std::error_code failed;
      if (fs::exists(place, failed)) continue;
      FROND_TRY(files::sync(building_ / entry.id));
      step("partition");
      FROND_TRY(files::rename(building_ / entry.id, place));
    }
    FROND_TRY(files::sync(folder_ / "partitions"));
    step("terms");
    if (!term_statistics.empty())
      FROND_TRY(files::rename(term_statistics, folder_ / term_statistics_path(manifest.generation)));
    if (!changes.empty()) FROND_TRY(files::rename(changes, folder_ / generation_file_path(manifest.changes.back())));
    const fs::path draft = building_ / "manifest";
    FROND_TRY(files::write_synced(draft, to_json(manifest)));
    step("manifest");
    FROND_TRY(files::rename(draft, folder_ / manifest_path(manifest.generation)));
    FROND_TRY(files::sync(folder_ / "generations"));
    return switch_number("CURRENT", manifest.generation);
  }

  Result<Generation> rollback() override {
    const Generation current = FROND_TRY(source_->current());
    const Manifest manifest = FROND_TRY(source_->manifest(current));
    if (manifest.previous == 0)
      return Error(Code::kNotFound, "generation " + std::to_string(current) + " has none before it");
    // The one to go back to must be there, whole.
    const Manifest target = FROND_TRY(source_->manifest(manifest.previous));
    if (auto whole = files_in_place(target); !whole)
      return whole.error().code() == Code::kInvalid ? Error(Code::kCorrupt, whole.error().message()) : whole.error();
    // First: else the next writer would take the generations above the current one for never published.
    const Generation highest = std::max(current, FROND_TRY(highest_published()));
    FROND_TRY(switch_number("HIGHEST", highest));
    FROND_TRY(switch_number("CURRENT", manifest.previous));
    return manifest.previous;
  }

  Result<void> prune(unsigned keep) override {
    const Generation current = FROND_TRY(source_->current());
    const Generation highest = std::max(current, FROND_TRY(highest_published()));
    std::set<Generation> kept;
    Generation generation = current;
    for (unsigned i = 0; i <= keep && generation != 0; ++i) {
      auto manifest = source_->manifest(generation);
      if (!manifest && i > 0 && manifest.error().code() == Code::kNotFound) break;  // pruned before
      // Whatever else it may name must not be removed on a guess.
      if (!manifest) return std::move(manifest).error().within("generation " + std::to_string(generation));
      kept.insert(generation);
      generation = manifest->previous;
    }
    for (const auto& file : list_folder(folder_ / "generations")) {
      const Generation number = generation_of(file);
      if (!is_manifest(file) || number > highest || kept.contains(number)) continue;
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

  // CURRENT or HIGHEST.
  Result<void> switch_number(const char* name, Generation generation) {
    const fs::path draft = building_ / name;
    FROND_TRY(files::write_synced(draft, std::to_string(generation) + "\n"));
    step(name);
    FROND_TRY(files::rename(draft, folder_ / name));
    step("done");
    return files::sync(folder_);
  }

  // The highest generation that was ever current, as far as rollbacks wrote it down; 0: there was no rollback.
  Result<Generation> highest_published() const {
    const auto text = files::read_text(folder_ / "HIGHEST", 64);
    if (!text && text.error().code() == Code::kNotFound) return Generation{0};
    if (!text) return text.error();
    auto highest = parse_current(*text);
    if (!highest) return std::move(highest).error().within("HIGHEST");
    return highest;
  }

  Result<void> files_in_place(const Manifest& manifest) const {
    for (const auto& entry : manifest.partitions)
      for (const auto& file : entry.summary.files)
        FROND_TRY(expect_size(folder_ / partition_file_path(entry, file), file.bytes));
    for (const auto& file : manifest.changes) FROND_TRY(expect_size(folder_ / generation_file_path(file), file.bytes));
    return expect_size(folder_ / generation_file_path(manifest.term_statistics), manifest.term_statistics.bytes);
  }

  // Everything that can be found wrong is found before the first irreversible step.
  Result<void> fit_to_publish(const Manifest& manifest, const fs::path& term_statistics,
                              const fs::path& changes) const {
    if (manifest.generation != next_generation())
      return Error(Code::kInvalid, "the next one is " + std::to_string(next_generation()));
    if (manifest.collection != collection_) return Error(Code::kInvalid, "is of collection " + manifest.collection);
    FROND_TRY(manifest_from_json(to_json(manifest)));  // what readers will do
    for (const auto& entry : manifest.partitions) {
      const fs::path place = folder_ / "partitions" / entry.id, fresh = building_ / entry.id;
      std::error_code failed;
      const fs::path& folder = fs::exists(place, failed) ? place : fresh;
      for (const auto& file : entry.summary.files) FROND_TRY(expect_size(folder / file.name, file.bytes));
    }
    const std::string own = std::to_string(manifest.generation);
    if (!term_statistics.empty() && manifest.term_statistics.name != own + ".terms.sst")
      return Error(Code::kInvalid, "names other term statistics than its own");
    if (!changes.empty() && (manifest.changes.empty() || manifest.changes.back().name != own + ".changes.sst"))
      return Error(Code::kInvalid, "does not name its changes last");
    for (const auto& file : manifest.changes)
      if (changes.empty() || &file != &manifest.changes.back())
        FROND_TRY(expect_size(folder_ / generation_file_path(file), file.bytes));
    if (!changes.empty()) FROND_TRY(expect_size(changes, manifest.changes.back().bytes));
    return expect_size(
        term_statistics.empty() ? folder_ / generation_file_path(manifest.term_statistics) : term_statistics,
        manifest.term_statistics.bytes);
  }

  // Scratch of `frond-indexer check` that nobody holds any more.
  void remove_stale_checks() const {
    for (const auto& path : list_folder(folder_)) {
      if (!path.filename().string().starts_with(kCheckFolderPrefix)) continue;
      const auto locked = files::try_lock_folder(path);
      std::error_code ignored;
      if (locked && locked->has_value()) fs::remove_all(path, ignored);
    }
  }

  // The manifest of a publication that died before CURRENT was switched: only the one after the highest published
  // generation can be that. False: the folder holds something else above it, so CURRENT is not to be believed.
  Result<bool> remove_unpublished_manifest() {
    const auto current = source_->current();
    if (!current && current.error().code() != Code::kNotFound) return false;
    const auto highest = highest_published();
    if (!highest) return false;
    const Generation published = std::max(current ? *current : 0, *highest);
    std::vector<fs::path> above;
    for (const auto& file : list_folder(folder_ / "generations"))
      if (is_manifest(file) && generation_of(file) > published) above.push_back(file);
    if (above.empty()) return true;
    if (above.size() > 1 || generation_of(above[0]) != published + 1) return false;
    std::error_code failed;
    if (fs::remove(above[0], failed); failed)
      return Error(Code::kUnavailable, "removing " + above[0].string() + ": " + failed.message());
    FROND_TRY(files::sync(folder_ / "generations"));
    return true;
  }

  // Partitions and term statistics that no manifest names. All or none: an unreadable manifest may name anything.
  Result<void> remove_leftovers() {
    if (!FROND_TRY(remove_unpublished_manifest())) return {};
    std::set<std::string> named;
    std::set<std::string> files;
    std::set<Generation> generations;
    for (const auto& file : list_folder(folder_ / "generations")) {
      if (!is_manifest(file)) continue;
      const auto manifest = source_->manifest(generation_of(file));
      if (!manifest) return {};
      generations.insert(manifest->generation);
      files.insert(manifest->term_statistics.name);
      for (const auto& change : manifest->changes) files.insert(change.name);
      for (const auto& entry : manifest->partitions) named.insert(entry.id);
    }
    const auto current = source_->current();
    if (current && !generations.contains(*current)) return {};
    std::error_code failed;
    for (const auto& partition : list_folder(folder_ / "partitions"))
      if (!named.contains(partition.filename().string())) fs::remove_all(partition, failed);
    for (const auto& file : list_folder(folder_ / "generations"))
      if (generation_of(file) != 0 && !is_manifest(file) && !files.contains(file.filename().string()))
        fs::remove(file, failed);
    if (failed) return Error(Code::kUnavailable, "removing leftovers in " + folder_.string() + ": " + failed.message());
    return {};
  }

  fs::path root_;
  std::string collection_;
  fs::path folder_;
  fs::path building_;
  std::function<void(std::string_view)> before_step_;
  std::optional<files::Descriptor> lock_;
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
