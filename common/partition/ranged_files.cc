#include "common/partition/ranged_files.h"

#include <algorithm>
#include <utility>

#include "common/base/parallel.h"

namespace frond::partition {

RangedFiles::RangedFiles(std::span<const PartitionFile> files, ReadRange read) : read_(std::move(read)) {
  for (const PartitionFile& file : files) files_.push_back({file});
}

std::optional<ByteView> RangedFiles::get(std::size_t file, std::uint64_t from, std::size_t bytes) {
  File& of = files_[file];
  if (const auto after = of.held.upper_bound(from); after != of.held.begin()) {
    const auto& [begin, buffer] = *std::prev(after);
    const std::uint64_t at = from - begin;
    if (at <= buffer.size() && bytes <= buffer.size() - at) return ByteView(buffer).subspan(at, bytes);
  }
  of.wanted.push_back({from, from + bytes});
  wanted_bytes_ += bytes;
  return std::nullopt;
}

std::vector<RangedFiles::Request> RangedFiles::take_wanted() {
  std::vector<Request> requests;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    auto wanted = std::exchange(files_[i].wanted, {});
    std::ranges::sort(wanted, {}, &Range::from);
    for (const Range& range : wanted) {
      if (!requests.empty() && requests.back().file == i) {
        Range& last = requests.back().range;
        const std::uint64_t end = std::max(last.end, range.end);
        if (range.from <= last.end + kClosedGap &&
            end - last.from <= std::max<std::uint64_t>(kMostTogether, last.end - last.from)) {
          last.end = end;
          continue;
        }
      }
      requests.push_back({i, range, {}});
    }
  }
  wanted_bytes_ = 0;
  return requests;
}

void RangedFiles::drop_large() {
  for (File& file : files_)
    std::erase_if(file.held, [](const auto& range) { return range.second.size() > kMostTogether; });
}

Result<void> RangedFiles::fetch() {
  std::vector<Request> requests = take_wanted();
  const auto read_one = [&](std::size_t i) -> Result<void> {
    Request& one = requests[i];
    const PartitionFile& of = files_[one.file].file;
    const auto bytes = static_cast<std::size_t>(one.range.end - one.range.from);
    one.got = FROND_TRY(read_(of, one.range.from, bytes));
    if (one.got.size() == bytes) return {};
    return Error(Code::kCorrupt, of.name + ": an answer of another length");
  };
  FROND_TRY(in_parallel(requests.size(), kRequestsAtOnce, read_one));
  for (Request& one : requests) files_[one.file].held[one.range.from] = std::move(one.got);
  return {};
}

}  // namespace frond::partition
