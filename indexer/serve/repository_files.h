#pragma once
// Which files of a repository are read by others, and where a request's path leads.
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace frond::indexer::serve
