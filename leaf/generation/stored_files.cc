#include "leaf/generation/stored_files.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "common/partition/file_checksum.h"

namespace frond::leaf::generation {
namespace fs = std::filesystem;
namespace {

struct Read {
  fs::path place;
  Result<partition::PartitionFile> found;
};

// What is wrong with the file that `wanted` must be in: with the one of its size among those that match nothing, else
// with any of them, which it takes away.
Error wrong(const partition::PartitionFile& wanted, const fs::path& database, std::vector<Read>& others) {
  auto at =
      std::ranges::find_if(others, [&](const Read& one) { return one.found && one.found->bytes == wanted.bytes; });
  if (at == others.end()) at = others.begin();
  if (at == others.end())
    return Error(Code::kNotFound, database.string() + ": the file of " + wanted.name + " is gone");
  const Read read = std::move(*at);
  others.erase(at);
  if (!read.found) return read.found.error();
  return Error(Code::kCorrupt, read.place.string() + ": " + std::to_string(read.found->bytes) + " bytes, XXH3-128 " +
                                   read.found->xxh3 + "; expected of " + wanted.name + ": " +
                                   std::to_string(wanted.bytes) + ", " + wanted.xxh3);
}

}  // namespace

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

Result<std::optional<StoredFiles>> look_at_files(const fs::path& database,
                                                 std::span<const partition::PartitionFile> expected,
                                                 const Describe& describe) {
  std::vector<fs::path> places;
  std::error_code failure;
  for (fs::directory_iterator at(database, failure), end; !failure && at != end; at.increment(failure))
    if (at->path().extension() == ".sst") places.push_back(at->path());
  if (failure && failure != std::errc::no_such_file_or_directory)
    return Error(Code::kUnavailable, database.string() + ": " + failure.message());
  std::ranges::sort(places);
  StoredFiles files;
  std::vector<const partition::PartitionFile*> missing;
  for (const auto& file : expected) missing.push_back(&file);
  std::vector<Read> others;  // that match nothing
  for (const fs::path& place : places) {
    auto read = describe(place);
    if (!read) return std::optional<StoredFiles>();
    const auto match = std::ranges::find_if(
        missing, [&](const auto* one) { return *read && (*read)->bytes == one->bytes && (*read)->xxh3 == one->xxh3; });
    if (match == missing.end()) {
      if (*read || read->error().code() != Code::kNotFound) others.push_back({place, *std::move(read)});
      continue;
    }
    files.good.emplace((*match)->name, place);
    missing.erase(match);
  }
  for (const auto* one : missing)
    files.damaged.push_back({.name = one->name, .expected = one->xxh3, .why = wrong(*one, database, others)});
  return std::optional(std::move(files));
}

}  // namespace frond::leaf::generation
