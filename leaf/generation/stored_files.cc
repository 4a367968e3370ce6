#include "leaf/generation/stored_files.h"

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

std::optional<StoredFiles> look_at_files(const fs::path& folder, std::span<const partition::PartitionFile> expected,
                                         const Describe& describe) {
  StoredFiles files;
  for (const auto& file : expected) {
    const fs::path place = folder / file.name;
    const auto read = describe(place);
    if (!read) return std::nullopt;
    if (*read && (*read)->bytes == file.bytes && (*read)->xxh3 == file.xxh3) {
      files.good.insert(file.name);
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
