#include "leaf/generation/stored_files.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "common/partition/file_checksum.h"

namespace frond::leaf::generation {
namespace fs = std::filesystem;
std::optional<Result<partition::PartitionFile>> describe_on_disk(const fs::path& file, const DiskRead& read,
                                                                 const std::function<bool(std::uint64_t)>& goes_on) {
  partition::PartitionFile found{.name = file.filename().string(), .bytes = 0, .xxh3 = {}};
  partition::Xxh3 hash;
  bool ended = false;
  const auto all = read(file, [&](ByteView piece) -> Result<void> {
    hash.update(piece);
    found.bytes += piece.size();
    ended = !goes_on(piece.size());
    return ended ? Result<void>(Error(Code::kUnavailable, "no more is to be read")) : Result<void>();
  });
  if (ended) return std::nullopt;
  if (!all) return Result<partition::PartitionFile>(all.error());
  found.xxh3 = hash.hex();
  return Result<partition::PartitionFile>(std::move(found));
}

Places places_in(const fs::path& folder, std::span<const partition::PartitionFile> expected, const Describe& describe) {
  std::error_code failure;
  std::multimap<std::uint64_t, fs::path> by_size;
  for (fs::directory_iterator at(folder, failure), end; at != end; at.increment(failure))
    if (at->is_regular_file(failure)) by_size.emplace(at->file_size(failure), at->path());
  Places places;
  for (const auto& file : expected) {
    const auto [from, to] = by_size.equal_range(file.bytes);
    const auto is = [&](const auto& one) {
      if (!describe) return true;
      const auto read = describe(one.second);
      return read && *read && (*read)->xxh3 == file.xxh3;
    };
    auto found = std::find_if(from, to, [&](const auto& one) { return one.second.filename() == file.name; });
    if (found == to) found = std::find_if(from, to, is);
    if (found != to) places.emplace(file.name, found->second);
  }
  return places;
}

std::optional<StoredFiles> look_at_files(const fs::path& folder, std::span<const partition::PartitionFile> expected,
                                         const Describe& describe) {
  StoredFiles files;
  for (const auto& file : expected) {
    const fs::path place = folder / file.name;
    const auto read = describe(place);
    if (!read) return std::nullopt;
    if (*read && (*read)->bytes == file.bytes && (*read)->xxh3 == file.xxh3) {
      files.good.emplace(file.name, place);
      continue;
    }
    Error why(Code::kNotFound, place.string() + " is gone");
    if (*read)
      why = Error(Code::kCorrupt, place.string() + ": " + std::to_string((*read)->bytes) + " bytes, XXH3-128 " +
                                      (*read)->xxh3 + "; expected: " + std::to_string(file.bytes) + ", " + file.xxh3);
    else if (read->error().code() != Code::kNotFound)
      why = read->error();
    files.damaged.push_back({.name = file.name, .expected = file.xxh3, .why = std::move(why)});
  }
  return files;
}

}  // namespace frond::leaf::generation
