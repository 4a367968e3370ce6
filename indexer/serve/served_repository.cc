#include "indexer/serve/served_repository.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <system_error>
#include <utility>

#include "common/repository/manifest.h"

namespace frond::indexer::serve {
namespace {
namespace fs = std::filesystem;
using objects::ObjectStore;

constexpr std::chrono::seconds kClientPatience{10}, kProbePatience{1};
// CURRENT is read whole in one request; of other objects, the first one asks only for size and version.
constexpr std::uint64_t kCurrentBytes = 64;

constexpr std::string_view kAnew = "no-cache";  // each reader asks whether it has changed
// A partition's id is never used twice, so its files never change.
constexpr std::string_view kForGood = "public, max-age=31536000, immutable";

Generation generation_of(std::string_view manifest) {
  constexpr std::string_view kEnding = ".json";
  if (!manifest.ends_with(kEnding)) return 0;
  manifest.remove_suffix(kEnding.size());
  if (manifest.empty() || manifest.size() > 18 || manifest.find_first_not_of("0123456789") != manifest.npos) return 0;
  return std::stoull(std::string(manifest));
}

// Links lead elsewhere, and are not followed.
Result<std::vector<std::string>> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  fs::directory_iterator at(folder, failed);
  for (; !failed && at != fs::directory_iterator(); at.increment(failed))
    if (std::error_code unknown; !at->is_symlink(unknown)) names.push_back(at->path().filename().string());
  if (failed) return Error(Code::kUnavailable, failed.message());
  return names;
}

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

Result<std::unique_ptr<ServedRepository>> ServedRepository::open(const fs::path& place, objects::Access access) {
  access.retries.time = std::min<std::chrono::milliseconds>(access.retries.time, kClientPatience);
  std::unique_ptr<ServedRepository> served(new ServedRepository(place, access));
  if (objects::is_object_place(place.string()))
    served->store_ = FROND_TRY(ObjectStore::open(place.string(), served->access_));
  return served;
}

Result<void> ServedRepository::readable() const {
  if (store_) {
    const auto end = std::chrono::steady_clock::now() + kProbePatience;
    FROND_TRY(store_->list("", /*folders=*/true, [end] { return std::chrono::steady_clock::now() > end; }));
    return {};
  }
  std::error_code failed;
  if (fs::is_directory(place_, failed)) return {};
  return Error(Code::kUnavailable, "the repository is no folder, or can't be read");
}

Result<std::vector<std::string>> ServedRepository::collections() const {
  std::vector<std::string> names;
  if (store_)
    names = FROND_TRY(store_->list("", /*folders=*/true)).folders;
  else
    names = FROND_TRY(names_in(place_));
  std::erase_if(names, [](const std::string& name) { return !repository::is_safe_name(name); });
  std::ranges::sort(names);
  return names;
}

Result<std::unique_ptr<repository::RepositorySource>> ServedRepository::source(std::string_view collection) const {
  auto source = FROND_TRY(repository::RepositorySource::open(place_.string(), collection, {}, access_));
  if (std::error_code unknown; !store_ && fs::is_symlink(place_ / collection, unknown))
    return Error(Code::kNotFound, "the folder of collection " + std::string(collection) + " is a symbolic link");
  return source;
}

Result<std::vector<Generation>> ServedRepository::generations(std::string_view collection) const {
  const std::string folder = std::string(collection) + "/generations";
  std::vector<std::string> names;
  if (store_) {
    for (const auto& object : FROND_TRY(store_->list(folder + "/", /*folders=*/true)).objects)
      names.push_back(object.key.substr(folder.size() + 1));
  } else {
    for (const fs::path& one : {place_ / collection, place_ / folder})
      if (std::error_code unknown; fs::is_symlink(one, unknown)) return std::vector<Generation>();
    names = FROND_TRY(names_in(place_ / folder));
  }
  std::vector<Generation> numbers;
  for (const std::string& name : names)
    if (const Generation number = generation_of(name); number > 0) numbers.push_back(number);
  std::ranges::sort(numbers);
  return numbers;
}

http::Response ServedRepository::answer(const http::Request& request, const ServedFile& file) const {
  return store_ ? answer_object(request, file) : file_answer(request, place_, file.path, file.as);
}

http::Response ServedRepository::answer_object(const http::Request& request, const ServedFile& file) const {
  auto front = store_->get(file.path, 0, file.is_current ? kCurrentBytes : 1, "");
  if (!front && front.error().code() == Code::kNotFound)
    return http::problem(404, "Not found", "There is no such file.");
  if (!front) return http::problem(503, "Unavailable", "The object store does not give the file now.");
  const std::string tag = front->etag;
  const std::uint64_t total = front->total;
  if (front->bytes.size() == total)
    return bytes_answer(request, total, tag, file.as,
                        [bytes = std::move(front->bytes)](std::uint64_t offset, std::span<std::byte> to) {
                          std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), to.size(), to.begin());
                          return Result<void>();
                        });
  return bytes_answer(
      request, total, tag, file.as,
      [store = store_, key = file.path, tag](std::uint64_t offset, std::span<std::byte> to) -> Result<void> {
        const auto got = FROND_TRY(store->get(key, offset, to.size(), tag));
        if (got.bytes.size() != to.size()) return Error(Code::kCorrupt, key + ": is shorter than it was");
        std::ranges::copy(got.bytes, to.begin());
        return {};
      });
}

}  // namespace frond::indexer::serve
