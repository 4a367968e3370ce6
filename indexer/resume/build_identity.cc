#include "indexer/resume/build_identity.h"

#include <sys/stat.h>

#include <algorithm>
#include <system_error>

#include "common/base/bytes.h"
#include "common/config/options.h"
#include "common/partition/file_checksum.h"

namespace frond::indexer::resume {
namespace {

namespace fs = std::filesystem;

void add_path(partition::Xxh3& digest, const std::string& path, std::uint64_t bytes, const struct stat& status) {
  ByteBuffer record;
  ByteWriter out(record);
  out.put_text(path);
  out.put_varint(bytes);
  out.put(std::int64_t{status.st_mtim.tv_sec});
  out.put(std::int64_t{status.st_mtim.tv_nsec});
  digest.update(record);
}

}  // namespace

std::string this_program() {
  static const auto program = partition::describe_file("/proc/self/exe");
  return std::string(config::version()) + (program ? " " + program->xxh3 : "");
}

std::optional<ingest::InputSummary> input_identity(std::span<const fs::path> inputs, bool hidden) {
  ingest::InputSummary all;
  partition::Xxh3 digest;
  for (const fs::path& input : inputs) {
    std::error_code failed;
    const fs::file_status status = fs::status(input, failed);
    if (!fs::is_regular_file(status) && !fs::is_directory(status)) return std::nullopt;
    const fs::path absolute = fs::absolute(input, failed);
    if (failed) return std::nullopt;
    digest.update(as_bytes(absolute.lexically_normal().string() + '\0'));
    ingest::InputWalk walk(input, hidden);
    while (const std::optional<ingest::InputFile> file = walk.next()) {
      struct stat found {};
      const bool there = ::stat(file->path.c_str(), &found) == 0;
      const std::uint64_t bytes = there ? static_cast<std::uint64_t>(found.st_size) : 0;
      add_path(digest, file->name, bytes, there ? found : (struct stat){});
      ++all.files;
      all.bytes += bytes;
    }
  }
  all.xxh3 = digest.hex();
  return all;
}

std::string difference(const BuildIdentity& before, const BuildIdentity& now) {
  if (before.program != now.program) return "it was built by " + before.program + ", and this is " + now.program;
  for (const auto& [flag, value] : now.options) {
    const auto same_flag = [&, name = &flag](const auto& other) { return other.first == *name; };
    const auto found = std::find_if(before.options.begin(), before.options.end(), same_flag);
    if (found == before.options.end()) return flag + " is new";
    if (found->second != value) return flag + " was " + found->second + ", and is " + value + " now";
  }
  if (before.options != now.options) return "it had other options";
  if (before.input.files != now.input.files || before.input.bytes != now.input.bytes)
    return "the input was " + ingest::to_string(before.input) + ", and is " + ingest::to_string(now.input) + " now";
  if (!(before.input == now.input)) return "an input file was renamed, or changed since";
  return {};
}

}  // namespace frond::indexer::resume
