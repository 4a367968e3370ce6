#include "indexer/write/collection_places.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "common/base/nesting.h"
#include "common/files/read.h"
#include "common/files/write.h"
#include "common/schema/json.h"
#include "indexer/write/log_head.h"
#include "indexer/write/not_indexed.h"
#include "indexer/write/operation_log.h"

namespace frond::indexer::write {
namespace {

namespace fs = std::filesystem;
constexpr const char* kCurrent = "/CURRENT";
constexpr const char* kSettingsFile = "/settings.json";
constexpr const char* kMetadataFile = "/metadata.json";
constexpr const char* kHolders = "holders";
constexpr std::size_t kMaxSettings = 64 << 10;
constexpr std::chrono::seconds kPatience{10};
constexpr std::string_view kRemovedPrefix = ".removed-";  // of folders that are being removed

std::string removed_name(const std::string& collection) {
  constexpr std::size_t kShown = 64;  // some file systems take no long names
  std::random_device random;
  return std::string(kRemovedPrefix) + collection.substr(0, kShown) + "-" + std::to_string(random());
}

// common/repository/repository.h, and the service's own.
constexpr std::string_view kFolders[] = {"generations", "partitions", "building", "builds",   "compacting",
                                         "holders",     "writing",    "scratch",  kLogFolder, "fetched"};
constexpr std::string_view kFiles[] = {"CURRENT",         "HIGHEST",    "LOCK",          "settings.json",
                                       "log-batch.jsonl", kLogHeadFile, kNotIndexedFile, "metadata.json"};

bool may_be_there(const std::string& name, bool is_folder) {
  if (name.front() == '.' || name == "lost+found" || name.starts_with("overtaken-")) return true;
  if (is_folder) return std::ranges::find(kFolders, name) != std::end(kFolders);
  const std::string_view file = name.ends_with(files::kDraftSuffix)
                                    ? std::string_view(name).substr(0, name.size() - files::kDraftSuffix.size())
                                    : std::string_view(name);
  return std::ranges::find(kFiles, file) != std::end(kFiles);
}

Error unreadable(const fs::path& path, const std::error_code& failed) {
  return Error(Code::kUnavailable, path.string() + ": " + failed.message());
}

}  // namespace

Result<void> expect_room_for_collection(const fs::path& folder) {
  std::error_code failed;
  const auto there = fs::symlink_status(folder, failed);
  if (there.type() == fs::file_type::not_found) return {};
  if (failed) return unreadable(folder, failed);
  if (!fs::is_directory(folder, failed))
    return Error(Code::kCorrupt, folder.string() + " is in the way: it is no folder. Move it away");
  fs::directory_iterator at(folder, failed);
  for (; !failed && at != fs::directory_iterator(); at.increment(failed)) {
    std::error_code unknown;
    if (!may_be_there(at->path().filename().string(), at->is_directory(unknown)))
      return Error(Code::kCorrupt, at->path().string() + " is in the way: it is no collection's. Move it away");
  }
  if (failed) return unreadable(folder, failed);
  return {};
}

Result<void> empty_collection_folder(const fs::path& folder) {
  std::error_code failed;
  std::vector<fs::path> all;
  for (fs::directory_iterator at(folder, failed); !failed && at != fs::directory_iterator(); at.increment(failed))
    all.push_back(at->path());
  if (failed) return unreadable(folder, failed);
  const auto turn = [](const fs::path& path) {
    const std::string name = path.filename().string();
    return name == "CURRENT" ? 0 : name == "LOCK" ? 4 : name == "settings.json" ? 3 : name == kLogFolder ? 2 : 1;
  };
  std::ranges::sort(all, {}, turn);
  for (const fs::path& one : all) {
    if (one.filename() == "lost+found") continue;
    fs::remove_all(one, failed);
    if (failed) return Error(Code::kUnavailable, "removing " + one.string() + ": " + failed.message());
  }
  FROND_TRY(files::sync(folder));
  fs::remove(folder, failed);  // a mount stays, empty
  return {};
}

Result<std::unique_ptr<CollectionPlaces>> CollectionPlaces::open(const fs::path& repository,
                                                                 const repository::ObjectWriting& objects) {
  std::unique_ptr<CollectionPlaces> places(new CollectionPlaces(repository, objects));
  FROND_TRY(repository::local_folder(repository, "c", objects));
  if (!objects::is_object_place(repository.string())) return places;
  objects::Access access = objects.access;  // it looks again soon
  access.retries.time = std::min<std::chrono::milliseconds>(access.retries.time, kPatience);
  places->store_ = FROND_TRY(objects::ObjectStore::open(repository.string(), access));
  return places;
}

fs::path CollectionPlaces::folder(const std::string& collection) const {
  if (!store_ && has_leases()) return objects_.scratch / collection;
  const auto folder = repository::local_folder(repository_, collection, objects_);
  FROND_CHECK(folder);
  return *folder;
}

Result<std::unique_ptr<repository::RepositorySource>> CollectionPlaces::source(const std::string& collection) const {
  return repository::RepositorySource::open(repository_.string(), collection, {}, objects_.access);
}

Result<std::vector<std::string>> CollectionPlaces::names() const {
  std::vector<std::string> all, names;
  if (store_) {
    all = FROND_TRY(store_->list("", /*folders=*/true)).folders;
  } else {
    std::error_code failed;
    for (fs::directory_iterator at(repository_, failed); !failed && at != fs::directory_iterator();
         at.increment(failed))
      all.push_back(at->path().filename().string());
  }
  std::ranges::sort(all);
  for (std::string& name : all)
    if (FROND_TRY(exists(name))) names.push_back(std::move(name));
  return names;
}

Result<bool> CollectionPlaces::exists(const std::string& collection) const {
  if (!repository::is_safe_name(collection)) return false;
  if (FROND_TRY(has_content(collection))) return true;
  if (store_) return false;
  std::error_code unknown;
  const fs::path there = repository_ / collection;
  const fs::path log = folder(collection) / kLogFolder;
  return fs::is_directory(there / kLogFolder, unknown) ||  // also where it was moved from there
         (fs::is_directory(there, unknown) &&
          (fs::is_directory(log, unknown) || fs::exists(log_head_path(log), unknown)));
}

Result<bool> CollectionPlaces::has_content(const std::string& collection) const {
  std::error_code unknown;
  if (!store_)
    return fs::exists(repository_ / (collection + kCurrent), unknown) ||
           fs::exists(repository_ / (collection + kSettingsFile), unknown);
  const auto list = FROND_TRY(store_->list(collection + "/", /*folders=*/true));
  return std::ranges::any_of(list.objects, [&](const auto& object) {
    return object.key == collection + kCurrent || object.key == collection + kSettingsFile;
  });
}

Result<void> CollectionPlaces::expect_room(const std::string& collection) const {
  const fs::path local = folder(collection);
  std::error_code failed;
  if (has_leases() && fs::exists(fs::symlink_status(local, failed)) && !fs::is_directory(local, failed))
    return Error(Code::kCorrupt, local.string() + " is in the way: it is no folder. Move it away");
  return store_ ? Result<void>() : expect_room_for_collection(repository_ / collection);
}

Result<void> CollectionPlaces::expect_kind(const std::string& collection) const {
  if (store_) return {};
  std::error_code unknown;
  const fs::path there = repository_ / collection, log = there / kLogFolder;
  if (has_leases() && fs::is_directory(log, unknown))
    return Error(Code::kUnavailable, "it was written by a service without --state, whose log is " + log.string() +
                                         ": when that service has ended, move this folder to " +
                                         (folder(collection) / kLogFolder).string());
  if (!has_leases() && fs::is_directory(there / kHolders, unknown))
    return Error(Code::kUnavailable, "services with --state write it: give this one --state, too");
  return {};
}

Result<std::string> CollectionPlaces::settings(const std::string& collection) const {
  if (!store_) {
    auto there = files::read_text(repository_ / (collection + kSettingsFile), kMaxSettings);
    if (!there && there.error().code() == Code::kNotFound) return std::string();
    return there;
  }
  auto text = store_->get_text(collection + kSettingsFile, kMaxSettings);
  if (text) return std::move(text->text);
  if (text.error().code() == Code::kNotFound) return std::string();
  return text.error();
}

Result<bool> CollectionPlaces::put_settings(const std::string& collection, std::string_view json) const {
  // A store without conditions would replace them.
  if (!FROND_TRY(settings(collection)).empty()) return false;
  if (!store_) {  // under its LOCK
    FROND_TRY(files::replace_file(repository_ / (collection + kSettingsFile), json));
    return true;
  }
  const std::string key = collection + kSettingsFile;
  auto done = FROND_TRY(store_->put(key, json, {.absent = true}));
  if (done == objects::Put::kNoConditions) done = FROND_TRY(store_->put(key, json, {}));
  return done == objects::Put::kDone;
}

namespace {
std::string metadata_name(const std::string& collection) {
  return collection.empty() ? ".metadata.json" : collection + kMetadataFile;
}
}  // namespace

Result<std::string> CollectionPlaces::metadata(const std::string& collection) const {
  const std::string name = metadata_name(collection);
  auto text = [&]() -> Result<std::string> {
    if (!store_) return files::read_text(repository_ / name, kMaxMetadata);
    return FROND_TRY(store_->get_text(name, kMaxMetadata)).text;
  }();
  if (!text && text.error().code() == Code::kNotFound) return std::string();
  if (text && !nests_within(*text, schema::kMaxJsonDepth)) return Error(Code::kCorrupt, name + " is nested too deeply");
  return text;
}

Result<void> CollectionPlaces::put_metadata(const std::string& collection, std::string_view json) const {
  if (!store_) return files::replace_file(repository_ / metadata_name(collection), json);
  FROND_TRY(store_->put(metadata_name(collection), json, {}));
  return {};
}

Result<void> CollectionPlaces::remove(const std::string& collection, Logger& log) const {
  if (store_) FROND_TRY(remove_objects(collection));
  const fs::path local = folder(collection);
  FROND_TRY(remove_folder(local, local.parent_path(), log));
  return store_ || !has_leases() ? Result<void>() : remove_folder(repository_ / collection, repository_, log);
}

Result<void> CollectionPlaces::remove_folder(const fs::path& there, const fs::path& where, Logger& log) const {
  std::error_code failed;
  const auto kind = fs::symlink_status(there, failed).type();
  if (kind == fs::file_type::not_found) return {};
  if (kind == fs::file_type::symlink) return empty_collection_folder(there);
  const fs::path gone = where / removed_name(there.filename().string());
  fs::rename(there, gone, failed);
  if (failed) {
    const auto emptied = empty_collection_folder(there);
    if (emptied) return {};
    return Error(Code::kUnavailable,
                 there.string() + " can't be removed: " + failed.message() + "; and " + emptied.error().message());
  }
  FROND_TRY(files::sync_parent(there));
  fs::remove_all(gone, failed);
  if (failed) log.warn("a removed collection's files can't be removed", {{"folder", gone.string()}});
  return {};
}

Result<void> CollectionPlaces::remove_objects(const std::string& collection) const {
  // Without settings, nothing would show that it is not removed yet.
  if (const auto there = settings(collection); there && there->empty()) FROND_TRY(put_settings(collection, "{}"));
  FROND_TRY(store_->remove(collection + kCurrent));
  const auto all = FROND_TRY(store_->list(collection + "/", /*folders=*/false)).objects;
  // What keeps others from writing goes when the collection is there no more.
  const auto keeps_others_out = [&](const std::string& key) {
    return key.starts_with(collection + "/" + kHolders + "/") || key.starts_with(collection + "/writers/");
  };
  for (const auto& object : all)
    if (object.key != collection + kSettingsFile && !keeps_others_out(object.key))
      FROND_TRY(store_->remove(object.key));
  FROND_TRY(store_->remove(collection + kSettingsFile));
  for (const auto& object : all)
    if (keeps_others_out(object.key)) FROND_TRY(store_->remove(object.key));
  return {};
}

void CollectionPlaces::remove_remains() const {
  std::error_code failed;
  for (const fs::path& where : {folder("c").parent_path(), store_ ? fs::path() : repository_}) {
    std::vector<fs::path> gone;
    for (fs::directory_iterator at(where, failed); !failed && at != fs::directory_iterator(); at.increment(failed))
      if (at->path().filename().string().starts_with(kRemovedPrefix)) gone.push_back(at->path());
    for (const fs::path& one : gone) fs::remove_all(one, failed);
  }
}

void CollectionPlaces::note_current(const std::string& collection, const repository::ObjectMemory* memory) const {
  if (!store_) return;
  constexpr std::size_t kMax = 64;
  const auto known = memory == nullptr ? nullptr : memory->known();
  const auto now = known ? Result<objects::ObjectText>(objects::ObjectText{known->current_text, {}})
                         : store_->get_text(collection + kCurrent, kMax);
  const fs::path noted = folder(collection) / "CURRENT";
  const auto before = files::read_text(noted, kMax);
  std::error_code none;
  if (!now || (before && *before == now->text) || !fs::is_directory(noted.parent_path(), none)) return;
  (void)files::replace_file(noted, now->text);  // else leaves find out when they look
}

}  // namespace frond::indexer::write
