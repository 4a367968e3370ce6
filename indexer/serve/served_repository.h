#pragma once
// The repository that a service reads: a folder, or a bucket of an object store, which it passes on. Any thread; all
// calls may block.
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/http/message.h"
#include "common/objects/object_store.h"
#include "common/repository/repository.h"
#include "indexer/serve/repository_files.h"

namespace frond::indexer::serve {

class ServedRepository {
 public:
  // `access`: of an s3:// place; its retries are made short, since clients wait. kInvalid: a bad place.
  static Result<std::unique_ptr<ServedRepository>> open(const std::filesystem::path& place, objects::Access access);

  bool in_store() const { return store_ != nullptr; }
  // Whether it can be read now; found out within a second. kUnavailable and others: why not.
  Result<void> readable() const;
  // Folders that may be collections, by name. Of a directory, no symbolic link is one, nor is one inside followed.
  Result<std::vector<std::string>> collections() const;
  Result<std::unique_ptr<repository::RepositorySource>> source(std::string_view collection) const;
  // Numbers of the manifests that are there, ascending.
  Result<std::vector<Generation>> generations(std::string_view collection) const;
  // Answers a GET or HEAD of a published file. 404: there is none; 503: it can't be read now.
  http::Response answer(const http::Request& request, const ServedFile& file) const;

 private:
  ServedRepository(std::filesystem::path place, objects::Access access);
  http::Response answer_object(const http::Request& request, const ServedFile& file) const;

  const std::filesystem::path place_;
  const objects::Access access_;
  std::shared_ptr<const objects::ObjectStore> store_;  // null: a folder
};

}  // namespace frond::indexer::serve
