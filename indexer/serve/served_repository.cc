#include "indexer/serve/served_repository.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <system_error>

#include "common/base/text.h"
#include "common/files/descriptor.h"
#include "common/files/read.h"
#include "common/repository/manifest.h"

namespace frond::indexer::serve {
namespace {

class RangeReader final : public http::BodyReader {
 public:
  RangeReader(ByteRange range, ReadBytes read) : range_(range), read_(std::move(read)) {}
  std::uint64_t size() const override { return range_.bytes; }
  Result<void> read(std::uint64_t offset, std::span<std::byte> to) override { return read_(range_.from + offset, to); }

 private:
  const ByteRange range_;
  const ReadBytes read_;
};

std::string entity_tag(const struct stat& status) {
  std::array<char, 80> text{};
  const int length = std::snprintf(
      text.data(), text.size(), "\"%llx-%llx-%llx.%lx\"", static_cast<unsigned long long>(status.st_size),
      static_cast<unsigned long long>(status.st_ino), static_cast<unsigned long long>(status.st_mtim.tv_sec),
      static_cast<unsigned long>(status.st_mtim.tv_nsec));
  return {text.data(), static_cast<std::size_t>(length)};
}

// Whether one of the tags of an If-None-Match field is `tag`, compared weakly.
bool names_tag(std::string_view field, std::string_view tag) {
  if (field == "*") return true;
  for (std::size_t at = field.find(tag); at != field.npos; at = field.find(tag, at + 1)) {
    const std::size_t end = at + tag.size();
    const bool begins = at == 0 || field[at - 1] == ' ' || field[at - 1] == ',' || field[at - 1] == '/';
    if (begins && (end == field.size() || field[end] == ' ' || field[end] == ',')) return true;
  }
  return false;
}

std::string content_range(std::optional<ByteRange> range, std::uint64_t size) {
  std::string text = "bytes ";
  if (range)
    text += std::to_string(range->from) + "-" + std::to_string(range->from + range->bytes - 1);
  else
    text += "*";
  return text + "/" + std::to_string(size);
}

}  // namespace

ByteRange byte_range(std::string_view field, std::uint64_t size) {
  constexpr std::string_view kUnit = "bytes=";
  if (!field.starts_with(kUnit)) return {};
  field.remove_prefix(kUnit.size());
  const std::size_t dash = field.find('-');
  if (dash == field.npos || field.find(',') != field.npos) return {};
  const auto first = number_in<std::uint64_t>(field.substr(0, dash)),
             last = number_in<std::uint64_t>(field.substr(dash + 1));
  if (dash == 0) {  // so many at the end
    if (!last) return {};
    return *last == 0 ? ByteRange{size, 0} : ByteRange{size - std::min(*last, size), std::min(*last, size)};
  }
  const bool open = dash + 1 == field.size();
  if (!first || (!open && (!last || *last < *first))) return {};
  if (*first >= size) return {size, 0};
  return {*first, open ? size - *first : std::min(*last - *first, size - *first - 1) + 1};
}

http::Response bytes_answer(const http::Request& request, std::uint64_t size, const std::string& tag,
                            const FileAnswer& as, ReadBytes read) {
  http::Response response{.content_type = std::string(as.content_type),
                          .headers = {{"Accept-Ranges", "bytes"}, {"Cache-Control", std::string(as.cache_control)}}};
  if (!tag.empty()) response.headers.emplace_back("ETag", tag);
  const auto tags = request.header("if-none-match");
  if (!tags.empty() && !tag.empty() && names_tag(tags, tag)) {
    response.status = 304;
    return response;
  }
  ByteRange range{0, size};
  const auto only_if = request.header("if-range");
  const auto asked = byte_range(request.header("range"), size);
  if (request.method == "GET" && asked != ByteRange{} && (only_if.empty() || only_if == tag)) {
    if (asked.bytes == 0) {
      response = http::problem(416, "Range not satisfiable", "The file ends before the range begins.");
      response.headers.emplace_back("Content-Range", content_range(std::nullopt, size));
      return response;
    }
    response.status = 206;
    response.headers.emplace_back("Content-Range", content_range(asked, size));
    range = asked;
  }
  response.reader = std::make_shared<RangeReader>(range, std::move(read));
  return response;
}

http::Response file_answer(const http::Request& request, const std::filesystem::path& root, const std::string& path,
                           const FileAnswer& as) {
  auto opened = files::open_beneath(root, path);
  struct stat status {};
  if (!opened && opened.error().code() != Code::kUnavailable)
    return http::problem(404, "Not found", "There is no such file.");
  if (!opened || ::fstat(opened->get(), &status) != 0)
    return http::problem(503, "Unavailable", "The file can't be opened now.");

  const auto size = static_cast<std::uint64_t>(status.st_size);
  const auto file = std::make_shared<const files::Descriptor>(*std::move(opened));
  return bytes_answer(request, size, entity_tag(status), as,
                      [file, whole = root / path](std::uint64_t offset, std::span<std::byte> to) -> Result<void> {
                        if (FROND_TRY(files::read_at(*file, offset, to, whole)) == to.size()) return {};
                        return Error(Code::kCorrupt, whole.string() + ": ends before its size when it was opened");
                      });
}

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
