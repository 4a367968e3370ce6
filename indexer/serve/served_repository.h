#pragma once
// The repository that a service reads: a folder, or a bucket of an object store, which it passes on; and its files as
// answers to GET or HEAD: whole, a range, or only that one has not changed (RFC 9110, 13 and 14).
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/http/message.h"
#include "common/objects/object_store.h"
#include "common/repository/repository.h"

namespace frond::indexer::serve {

struct FileAnswer {
  std::string_view content_type = "application/octet-stream";
  std::string_view cache_control = "no-cache";
};

// Opens the file at `path` below `root`, without following symbolic links below it, and answers with a reader of it
// (Server::Config::run_aside). It blocks as long as opening does.
//
// The entity tag is strong: of the file's size, its number in the file system and the time of its last change. A Range
// of one part gives 206, or 416 if the file has none of it; of several parts, or in another unit, the whole file.
// If-Range, If-None-Match. 404: there is no such file, or it is a link or none; 503: it can't be opened.
http::Response file_answer(const http::Request& request, const std::filesystem::path& root, const std::string& path,
                           const FileAnswer& as);

// A range of a body of `size` bytes, from a Range field. `bytes` of 0 with `from` of 0: no range, or none that is
// obeyed; `from` == size: it is beyond the end.
struct ByteRange {
  std::uint64_t from = 0, bytes = 0;
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};
ByteRange byte_range(std::string_view field, std::uint64_t size);

// The same of `size` bytes of any origin: `read` reads those from an offset on, on any thread, as long as the answer is
// sent. An empty `tag`: there is no entity tag.
using ReadBytes = std::function<Result<void>(std::uint64_t offset, std::span<std::byte> to)>;
http::Response bytes_answer(const http::Request& request, std::uint64_t size, const std::string& tag,
                            const FileAnswer& as, ReadBytes read);

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

// Any thread; all calls may block.
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
