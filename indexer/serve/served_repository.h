#pragma once
// The repository that a service reads: a folder, or a bucket of an object store, which it passes on. Any thread; all
// calls may block.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/http/message.h"
#include "common/objects/object_store.h"
#include "common/repository/repository.h"
#include "indexer/serve/file_answer.h"

namespace frond::indexer::serve {

// Paths of requests are kRepositoryPrefix, a collection, and a path as common/repository/repository.h has it.
inline constexpr std::string_view kRepositoryPrefix = "/repository/";

struct ServedFile {
  std::string collection;
  std::string path;  // in the repository, with '/'
  FileAnswer as;
  bool is_current = false;  // the collection's CURRENT
};

// nullopt: the path is not of a published file. What a build is writing, locks and scratch folders are not served, nor
// any name that begins with a dot. The file need not exist.
std::optional<ServedFile> served_file(std::string_view request_path);

class ServedRepository {
 public:
  // `access`: of an s3:// place; its retries are made short, since clients wait. kInvalid: a bad place.
  static Result<std::unique_ptr<ServedRepository>> open(const std::filesystem::path& place, objects::Access access);

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
  ServedRepository(std::filesystem::path place, objects::Access access)
      : place_(std::move(place)), access_(std::move(access)) {}
  http::Response answer_object(const http::Request& request, const ServedFile& file) const;

  const std::filesystem::path place_;
  const objects::Access access_;
  std::shared_ptr<const objects::ObjectStore> store_;  // null: a folder
};

}  // namespace frond::indexer::serve
