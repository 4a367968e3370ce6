#pragma once
// Where the collections that a service writes are: folders of a directory, or prefixes of a bucket. Of a bucket, and of
// a directory if there is a folder for what is local (--state), each collection is written with a lease; its log is in
// that folder, and its settings are beside what is published, "settings.json". Of a directory without one, both are in
// the log, in the collection's folder. Any thread; all calls may block.
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/log.h"
#include "common/base/result.h"
#include "common/objects/object_store.h"
#include "common/repository/repository.h"

namespace frond::indexer::write {

inline constexpr std::size_t kMaxMetadata = 1 << 20;

// Of a collection. kNotFound: nothing is published; kCorrupt: CURRENT names a generation without one.
Result<repository::Manifest> current_manifest(const repository::RepositorySource& source);

// Whether a collection may be made there: nothing is there, or a folder with nothing but a collection's files. Names
// that begin with a dot, and lost+found, may be in it. kCorrupt: what is in the way; kUnavailable: it can't be read.
Result<void> expect_room_for_collection(const std::filesystem::path& folder);

// Empties a folder that can't be renamed, a mount for example, and removes it if it may. What makes it a collection's
// goes first and last: if it dies in between, the rest is a collection still, or nothing. kUnavailable.
Result<void> empty_collection_folder(const std::filesystem::path& folder);

class CollectionPlaces {
 public:
  // kInvalid: a bad place, or none for what is local.
  static Result<std::unique_ptr<CollectionPlaces>> open(const std::filesystem::path& repository,
                                                        const repository::ObjectWriting& objects);

  bool in_store() const { return store_ != nullptr; }
  bool has_leases() const { return in_store() || !objects_.scratch.empty(); }
  // Ascending.
  Result<std::vector<std::string>> names() const;
  // It may also be what a creation left that died: a log without settings.
  Result<bool> exists(const std::string& collection) const;
  // Whether something is published, or there are settings beside that. Of a directory; of a bucket as exists().
  Result<bool> has_content(const std::string& collection) const;
  // Whether one may be made. kCorrupt: something else is in the way, and where; kUnavailable: it can't be read.
  Result<void> expect_room(const std::string& collection) const;
  // Of its log, and of a bucket also of what is being built. `collection` is a safe name.
  std::filesystem::path folder(const std::string& collection) const;
  Result<std::unique_ptr<repository::RepositorySource>> source(const std::string& collection) const;

  // kUnavailable: in a directory, services write the collection in the other way, with or without a lease.
  Result<void> expect_kind(const std::string& collection) const;

  // Only with leases. Empty: there are none.
  Result<std::string> settings(const std::string& collection) const;
  // False: there are some.
  Result<bool> put_settings(const std::string& collection, std::string_view json) const;

  // What clients keep with the collection; empty: nothing. In its folder, "metadata.json". No collection: what they
  // keep for all, ".metadata.json" beside the collections. kCorrupt: it is nested deeper than they may keep.
  Result<std::string> metadata(const std::string& collection) const;
  Result<void> put_metadata(const std::string& collection, std::string_view json) const;

  // With all that is in them. Nobody writes it meanwhile. In a bucket, CURRENT goes first, and the settings last but
  // for what keeps other writers out: if it fails before them, the collection is there, empty, and can be removed
  // again. A folder that can't be renamed is emptied.
  Result<void> remove(const std::string& collection, Logger& log) const;
  // What a removal left that died.
  void remove_remains() const;
  // Of a bucket, writes what CURRENT is to the local folder, where CurrentNews sees that it changes.
  // `memory` may know it.
  void note_current(const std::string& collection, const repository::ObjectMemory* memory = nullptr) const;
  // By a name in `where` that remove_remains() knows.
  Result<void> remove_folder(const std::filesystem::path& folder, const std::filesystem::path& where,
                             Logger& log) const;

 private:
  CollectionPlaces(std::filesystem::path repository, repository::ObjectWriting objects)
      : repository_(std::move(repository)), objects_(std::move(objects)) {}
  Result<void> remove_objects(const std::string& collection) const;

  const std::filesystem::path repository_;
  const repository::ObjectWriting objects_;
  std::shared_ptr<const objects::ObjectStore> store_;  // null: a directory
};

}  // namespace frond::indexer::write
