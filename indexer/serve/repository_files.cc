#include "indexer/serve/repository_files.h"

#include <array>
#include <cstddef>
#include <string>

#include "common/repository/manifest.h"

namespace frond::indexer::serve {
namespace {

constexpr std::string_view kAnew = "no-cache";  // each reader asks whether it has changed
// A partition's id is never used twice, so its files never change.
constexpr std::string_view kForGood = "public, max-age=31536000, immutable";

}  // namespace

std::optional<ServedFile> served_file(std::string_view request_path) {
  if (!request_path.starts_with(kRepositoryPrefix)) return std::nullopt;
  const std::string_view path = request_path.substr(kRepositoryPrefix.size());
  std::string_view rest = path;
  std::array<std::string_view, 4> names;
  std::size_t count = 0;
  for (bool more = true; more;) {
    if (count == names.size()) return std::nullopt;
    const auto slash = rest.find('/');
    names[count] = rest.substr(0, slash);
    if (!repository::is_safe_name(names[count++])) return std::nullopt;
    more = slash != rest.npos;
    if (more) rest.remove_prefix(slash + 1);
  }
  ServedFile file{std::string(names[0]), std::string(path), {.cache_control = kAnew}};
  if (count == 2 && names[1] == "CURRENT") {
    file.is_current = true;
    file.as.content_type = "text/plain; charset=utf-8";
    return file;
  }
  if (count == 3 && names[1] == "generations") {
    // A repository that was made anew has other files of the same names here.
    if (names[2].ends_with(".json")) file.as.content_type = "application/json";
    return file;
  }
  if (count == 4 && names[1] == "partitions") {
    file.as.cache_control = kForGood;
    return file;
  }
  return std::nullopt;
}

}  // namespace frond::indexer::serve
