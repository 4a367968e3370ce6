#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "common/files/read.h"
#include "common/files/write.h"
#include "common/objects/object_store.h"
#include "common/repository/files.h"
#include "common/repository/leases/folder_gate.h"
#include "common/repository/repository.h"
#include "common/repository/signature.h"
#include "common/repository/storage/storage.h"

namespace frond::repository {
namespace {
namespace fs = std::filesystem;

class Writer final : public RepositoryWriter {
 public:
  Writer(std::string collection, const fs::path& folder, std::function<void(std::string_view)> before_step,
         const ObjectWriting& how)
      : collection_(std::move(collection)),
        folder_(folder),
        building_(folder_ / "building"),
        before_step_(std::move(before_step)),
        signing_key_(how.signing_key),
        sign_kept_(how.sign_kept) {}

  // In the directory `root`.
  Result<void> start(const fs::path& root, const ObjectWriting& objects) {
    published_ = root / collection_;
    storage_ = FROND_TRY(open_folder_storage({published_, building_, objects.epoch, objects.log}, before_step_));
    source_ = FROND_TRY(RepositorySource::open(root.string(), collection_));
    return start();
  }

  // In an object store; folder_ is local.
  Result<void> start(std::shared_ptr<const objects::ObjectStore> store, const ObjectWriting& objects) {
    lock_ = FROND_TRY(lock_local_folder(folder_));
    // A service publishes often and prunes in between, which removes leftovers. To read all manifests takes long here.
    cleans_ = objects.epoch == 0;
    storage_ = FROND_TRY(open_object_storage(store, collection_, folder_, objects.epoch, objects.memory));
    source_ = make_object_source(store, collection_, storage_->memory());
    return start();
  }

  const fs::path& building() const override { return building_; }
  const fs::path& folder() const override { return folder_; }
  const fs::path& published_folder() const override { return published_; }
  const RepositorySource& source() const override { return *source_; }

  Generation next_generation() const override {
    if (const auto last = known()) return last->generation + 1;
    // Only this writer makes generations: where the list can't be had now, the last one is still right.
    if (const auto names = storage_->list("generations"))
      for (const auto& name : *names) highest_ = std::max(highest_, generation_of(name));
    for (const auto& number : {source_->current(), highest_published()})
      if (number) highest_ = std::max(highest_, *number);
    return highest_ + 1;
  }

  Result<void> publish(Manifest manifest, const fs::path& term_statistics, const fs::path& changes) override {
    const auto current = source_->current();
    if (!current && current.error().code() != Code::kNotFound) return current.error();
    manifest.previous = current ? *current : 0;
    const std::optional<Manifest> known = FROND_TRY(known_manifest());
    const std::set<std::string> in_place = known ? not_in_building(manifest) : FROND_TRY(partitions_in_place());
    if (auto fit = fit_to_publish(manifest, term_statistics, changes, in_place, known); !fit) {
      const bool disk = fit.error().code() == Code::kUnavailable;
      return Error(disk ? Code::kUnavailable : Code::kInvalid,
                   "generation " + std::to_string(manifest.generation) + ": " + fit.error().message());
    }
    if (signing_key_ != nullptr)
      FROND_TRY(sign(manifest, *signing_key_, *source_, {building_, term_statistics, changes}));
    const std::string text = to_json(manifest);
    if (text.size() > kMaxManifestBytes)  // with its signature
      return Error(Code::kInvalid, "generation " + std::to_string(manifest.generation) +
                                       ": its signed manifest is larger than 16 MiB: it has too many files");
    names_.reset();
    for (const auto& entry : manifest.partitions) {
      if (in_place.contains(entry.id)) continue;
      step("partition");
      FROND_TRY(storage_->put(building_ / entry.id, "partitions/" + entry.id));
    }
    step("terms");
    if (!term_statistics.empty()) FROND_TRY(storage_->put(term_statistics, term_statistics_path(manifest.generation)));
    if (!changes.empty()) FROND_TRY(storage_->put(changes, generation_file_path(manifest.changes.back())));
    const fs::path draft = building_ / "manifest";
    FROND_TRY(files::write_synced(draft, text));
    step("manifest");
    FROND_TRY(storage_->put(draft, manifest_path(manifest.generation)));
    FROND_TRY(switch_number("CURRENT", manifest.generation));
    storage_->remember(manifest.generation, text);
    return {};
  }

  Result<void> expect_own(const Manifest& manifest) const override {
    if (signing_key_ == nullptr || sign_kept_ || is_signed_by(manifest, *signing_key_)) return {};
    return Error(Code::kUnavailable,
                 "generation " + std::to_string(manifest.generation) +
                     " is not signed with this --signing-key; once, to sign what is kept of it: --sign-kept");
  }

  Result<Generation> rollback() override {
    const Generation current = FROND_TRY(source_->current());
    const Manifest manifest = FROND_TRY(source_->manifest(current));
    if (manifest.previous == 0)
      return Error(Code::kNotFound, "generation " + std::to_string(current) + " has none before it");
    FROND_TRY(switch_to(manifest.previous));
    return manifest.previous;
  }

  Result<void> switch_to(Generation generation) override {
    const Generation current = FROND_TRY(source_->current());
    if (generation == current) return {};
    // It must be there, whole.
    auto found = source_->manifest(generation);
    if (!found && found.error().code() == Code::kNotFound)
      return Error(found.error()).within("generation " + std::to_string(generation) + " is not kept");
    const Manifest target = FROND_TRY(std::move(found));
    if (auto whole = files_in_place(target); !whole)
      return whole.error().code() == Code::kInvalid ? Error(Code::kCorrupt, whole.error().message()) : whole.error();
    // First: else the next writer would take the generations above the current one for never published.
    const Generation highest = std::max(current, FROND_TRY(highest_published()));
    storage_->remember(0, {});
    FROND_TRY(switch_number("HIGHEST", highest));
    return switch_number("CURRENT", generation);
  }

  Result<void> prune(unsigned keep) override {
    const Generation current = FROND_TRY(source_->current());
    const Generation highest = std::max(current, FROND_TRY(highest_published()));
    auto names = FROND_TRY(generation_names());
    NamedByGeneration all = named_by(names, {});
    std::set<Generation> kept;
    Generation generation = current;
    for (unsigned i = 0; i <= keep && generation != 0; ++i) {
      const auto found = all.find(generation);
      if (found == all.end() && i > 0) break;  // pruned before
      if (found == all.end()) return Error(Code::kNotFound, "generation " + std::to_string(generation) + " is gone");
      // Whatever else it may name must not be removed on a guess.
      if (!found->second) return Error(found->second.error()).within("generation " + std::to_string(generation));
      kept.insert(generation);
      generation = found->second->previous;
    }
    std::set<std::string> published;
    std::vector<Storage::Removal> gone;
    for (const auto& name : names) {
      const Generation number = generation_of(name);
      if (!is_manifest(name) || number > highest || kept.contains(number)) continue;
      if (const auto& named = all.at(number)) published.insert(named->partitions.begin(), named->partitions.end());
      gone.push_back({"generations/" + name, Remains::kPublished});
    }
    names_.reset();
    FROND_TRY(storage_->remove_all(gone));
    for (const auto& one : gone) std::erase(names, fs::path(one.path).filename().string());
    names_ = std::move(names);
    return remove_leftovers(published, std::move(all));
  }

 private:
  void step(std::string_view name) const {
    if (before_step_) before_step_(name);
  }

  Result<void> start() {
    remove_stale_checks();
    std::error_code failed;
    fs::remove_all(building_, failed);
    if (fs::create_directories(building_, failed); failed)
      return Error(Code::kUnavailable, "creating " + building_.string() + ": " + failed.message());
    if (known()) return {};
    if (cleans_) FROND_TRY(remove_leftovers({}, {}));
    for (const auto& name : FROND_TRY(generation_names())) highest_ = std::max(highest_, generation_of(name));
    return {};
  }

  // Names of the files in generations/, which nobody else puts or removes meanwhile. Listed once: a bucket may have
  // many, and each list is an answer to wait for.
  Result<std::vector<std::string>> generation_names() {
    if (!names_) names_ = FROND_TRY(storage_->list("generations"));
    return *names_;
  }

  // CURRENT or HIGHEST.
  Result<void> switch_number(const char* name, Generation generation) {
    return storage_->replace(name, generation, [this](std::string_view what) { step(what); });
  }

  std::shared_ptr<const ObjectMemory::Known> known() const {
    return storage_->memory() == nullptr ? nullptr : storage_->memory()->known();
  }
  // Of the current generation, if it need not be asked for. Its files are in place as long as it is current.
  Result<std::optional<Manifest>> known_manifest() const {
    const auto last = known();
    if (!last) return std::optional<Manifest>();
    return std::optional<Manifest>(FROND_TRY(source_->parse_manifest(last->generation, last->manifest_text)));
  }
  std::set<std::string> not_in_building(const Manifest& manifest) const {
    std::set<std::string> ids;
    std::error_code unknown;
    for (const auto& entry : manifest.partitions)
      if (!fs::exists(building_ / entry.id, unknown)) ids.insert(entry.id);
    return ids;
  }

  Result<std::set<std::string>> partitions_in_place() const {
    const auto names = FROND_TRY(storage_->list("partitions"));
    return std::set<std::string>(names.begin(), names.end());
  }

  // The highest generation that was ever current, as far as rollbacks wrote it down; 0: there was no rollback.
  Result<Generation> highest_published() const {
    auto highest = source_->highest();
    if (!highest && highest.error().code() == Code::kNotFound) return Generation{0};
    if (!highest) return std::move(highest).error().within("HIGHEST");
    return highest;
  }

  Result<void> files_in_place(const Manifest& manifest) const {
    for (const auto& entry : manifest.partitions)
      for (const auto& file : entry.summary.files)
        FROND_TRY(storage_->expect_size(partition_file_path(entry, file), file.bytes));
    for (const auto& file : manifest.changes) FROND_TRY(storage_->expect_size(generation_file_path(file), file.bytes));
    return storage_->expect_size(generation_file_path(manifest.term_statistics), manifest.term_statistics.bytes);
  }

  // Everything that can be found wrong is found before the first irreversible step.
  Result<void> fit_to_publish(const Manifest& manifest, const fs::path& term_statistics, const fs::path& changes,
                              const std::set<std::string>& in_place, const std::optional<Manifest>& known) const {
    std::set<std::string> there;  // what `known` has need not be looked at
    if (known) {
      there.insert(known->term_statistics.name);
      for (const auto& file : known->changes) there.insert(file.name);
      for (const auto& entry : known->partitions) there.insert(entry.id);
    }
    if (manifest.generation != next_generation())
      return Error(Code::kInvalid, "the next one is " + std::to_string(next_generation()));
    if (manifest.collection != collection_) return Error(Code::kInvalid, "is of collection " + manifest.collection);
    FROND_TRY(manifest_from_json(to_json(manifest)));  // what readers will do
    for (const auto& entry : manifest.partitions)
      for (const auto& file : entry.summary.files)
        if (!there.contains(entry.id))
          FROND_TRY(in_place.contains(entry.id) ? storage_->expect_size(partition_file_path(entry, file), file.bytes)
                                                : expect_size(building_ / entry.id / file.name, file.bytes));
    const std::string own = std::to_string(manifest.generation);
    if (!term_statistics.empty() && manifest.term_statistics.name != own + ".terms.sst")
      return Error(Code::kInvalid, "names other term statistics than its own");
    if (!changes.empty() && (manifest.changes.empty() || manifest.changes.back().name != own + ".changes.sst"))
      return Error(Code::kInvalid, "does not name its changes last");
    for (const auto& file : manifest.changes)
      if (!there.contains(file.name) && (changes.empty() || &file != &manifest.changes.back()))
        FROND_TRY(storage_->expect_size(generation_file_path(file), file.bytes));
    if (!changes.empty()) FROND_TRY(expect_size(changes, manifest.changes.back().bytes));
    if (!term_statistics.empty()) return expect_size(term_statistics, manifest.term_statistics.bytes);
    if (there.contains(manifest.term_statistics.name)) return {};
    return storage_->expect_size(generation_file_path(manifest.term_statistics), manifest.term_statistics.bytes);
  }

  // Scratch of `frond-indexer check` that nobody holds any more.
  void remove_stale_checks() const {
    for (const fs::path& path : files::some_entries_of(in_place() ? published_ : folder_)) {
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
    std::vector<std::string> above;
    for (const auto& name : FROND_TRY(generation_names()))
      if (is_manifest(name) && generation_of(name) > published) above.push_back(name);
    if (above.empty()) return true;
    if (above.size() > 1 || generation_of(above[0]) != published + 1) return false;
    FROND_TRY(storage_->remove("generations/" + above[0], Remains::kUnpublished));
    names_.reset();  // it may have stayed
    return true;
  }

  // Of an object store, several manifests are read at a time.
  NamedByGeneration named_by(std::span<const std::string> names, NamedByGeneration known) const {
    constexpr std::size_t kAtOnce = 4;  // each may be kMaxManifestBytes
    return read_named(*source_, names, std::move(known), in_place() ? 1 : kAtOnce);
  }

  // Partitions and term statistics that no manifest names. All or none: an unreadable manifest may name anything.
  // `published`: partitions that a removed manifest named. `known`: what need not be read again.
  Result<void> remove_leftovers(const std::set<std::string>& published, NamedByGeneration known) {
    if (!FROND_TRY(remove_unpublished_manifest())) return {};
    std::set<std::string> named;
    std::set<std::string> files;
    std::set<Generation> generations;
    const auto names = FROND_TRY(generation_names());
    known = named_by(names, std::move(known));
    for (const auto& name : names) {
      if (!is_manifest(name)) continue;
      const auto& manifest = known.at(generation_of(name));
      if (!manifest) return {};
      generations.insert(generation_of(name));
      files.insert(manifest->files.begin(), manifest->files.end());
      named.insert(manifest->partitions.begin(), manifest->partitions.end());
    }
    const auto current = source_->current();
    if (current && !generations.contains(*current)) return {};
    const Generation current_number = current ? *current : 0;
    std::vector<Storage::Removal> gone;
    for (const auto& id : FROND_TRY(partitions_in_place()))
      if (!named.contains(id))
        gone.push_back({"partitions/" + id, published.contains(id) ? Remains::kPublished : Remains::kUnpublished});
    for (const auto& name : names)
      if (generation_of(name) != 0 && !is_manifest(name) && !files.contains(name))
        gone.push_back({"generations/" + name,
                        generation_of(name) <= current_number ? Remains::kPublished : Remains::kUnpublished});
    if (gone.empty()) return {};
    names_.reset();  // some may stay
    return storage_->remove_all(gone);
  }

  std::string collection_;
  fs::path folder_;
  fs::path building_;
  fs::path published_;  // empty: in an object store
  std::function<void(std::string_view)> before_step_;
  std::optional<files::Descriptor> lock_;  // of a local folder for an object store
  std::unique_ptr<Storage> storage_;
  std::unique_ptr<RepositorySource> source_;
  mutable Generation highest_ = 0;
  std::optional<std::vector<std::string>> names_;       // see generation_names()
  std::shared_ptr<const tls::SigningKey> signing_key_;  // null: nothing is signed
  bool sign_kept_ = false;
  bool cleans_ = true;  // when it begins
};
}  // namespace

Result<fs::path> local_folder(const fs::path& root, std::string_view collection, const ObjectWriting& objects) {
  if (!is_safe_name(collection))
    return Error(Code::kInvalid, "'" + std::string(collection) + "' is not a collection's name: use [A-Za-z0-9._-]");
  if (!objects::is_object_place(root.string()))
    return objects.epoch == 0 ? root / collection : root / collection / kScratchFolder / objects.log;
  if (objects.scratch.empty())
    return Error(Code::kInvalid, root.string() + ": a local folder for what is being built is needed (--scratch)");
  return objects.scratch / root.string().substr(objects::kObjectScheme.size()) / collection;
}

Result<files::Descriptor> lock_local_folder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return Error(Code::kUnavailable, "creating " + folder.string() + ": " + failed.message());
  auto lock = FROND_TRY(files::try_lock_file(folder / "LOCK"));
  if (lock) return *std::move(lock);
  return Error(Code::kOverloaded,
               (folder / "LOCK").string() + " is held: another writer of this collection is running here");
}

Result<void> upload_partition(const fs::path& root, std::string_view collection, const ObjectWriting& objects,
                              const fs::path& files, const std::string& id, const std::function<bool()>& stopping) {
  const auto store = FROND_TRY(objects::ObjectStore::open(root.string(), objects.access));
  return upload_all(
      FROND_TRY(uploads_of(files, std::string(collection) + "/partitions/" + id)), store->access().part_bytes,
      [&store](const Upload& one, const objects::Stopping& stop) { return store->put_file(one.key, one.file, stop); },
      stopping);
}

Result<std::unique_ptr<RepositoryWriter>> RepositoryWriter::open(const fs::path& root, std::string_view collection,
                                                                 std::function<void(std::string_view)> before_step,
                                                                 const ObjectWriting& objects) {
  const fs::path folder = FROND_TRY(local_folder(root, collection, objects));
  auto writer = std::make_unique<Writer>(std::string(collection), folder, std::move(before_step), objects);
  if (!objects::is_object_place(root.string())) {
    FROND_TRY(writer->start(root, objects));
    return std::unique_ptr<RepositoryWriter>(std::move(writer));
  }
  const std::shared_ptr<const objects::ObjectStore> store =
      FROND_TRY(objects::ObjectStore::open(root.string(), objects.access));
  FROND_TRY(writer->start(store, objects));
  return std::unique_ptr<RepositoryWriter>(std::move(writer));
}

}  // namespace frond::repository
