#include "indexer/serve/file_answer.h"

#include <sys/stat.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "common/files/descriptor.h"
#include "common/files/read.h"

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

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
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
  const auto first = number(field.substr(0, dash)), last = number(field.substr(dash + 1));
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

}  // namespace frond::indexer::serve
