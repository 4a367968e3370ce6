#pragma once
// A file as an answer to GET or HEAD: whole, a range of it, or only that it has not changed (RFC 9110, 13 and 14).
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/http/message.h"

namespace frond::indexer::serve {

struct FileAnswer {
  std::string_view content_type = "application/octet-stream";
  std::string_view cache_control = "no-cache";
};

// Opens the file at `path` below `root`, without following symbolic links below it, and answers with a reader of it
// (Server::Config::run_reader). It blocks as long as opening does.
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

}  // namespace frond::indexer::serve
