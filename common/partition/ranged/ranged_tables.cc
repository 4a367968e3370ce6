#include "common/partition/ranged/ranged_tables.h"

#include <algorithm>
#include <utility>

#include "common/base/threads/parallel.h"
#include "common/partition/format/sst_layout.h"

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

namespace {

static_assert(kBlockTrailerBytes == 5);
constexpr std::size_t kFileTailBytes = std::size_t{4} << 10;     // has the footer, and often the end of the index
constexpr std::size_t kLongFrontBytes = std::size_t{128} << 10;  // has the first key, if it is a long id
// Entries of the index that are read together: about so many bytes, and from so many to so many entries.
constexpr std::uint64_t kWindowBytes = std::uint64_t{8} << 10, kLeastWindow = 16, kMostWindow = 512;
constexpr std::uint64_t kMaxWindowBytes = std::uint64_t{1} << 20;
constexpr unsigned kGuesses = 4;  // then windows are in the middle of what is left

// Four bytes of a key, as a number.
std::uint32_t number_of(std::string_view key) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | (i < key.size() ? static_cast<std::uint8_t>(key[i]) : 0u);
  return number;
}

// Where a key is between two others, of which the first are at `low` and `high`: by what follows their common bytes.
std::uint32_t guess(std::string_view key, std::string_view low_key, std::string_view high_key, std::uint32_t low,
                    std::uint32_t high) {
  if (key <= low_key) return low;
  if (key >= high_key) return high;
  const auto common = static_cast<std::size_t>(std::ranges::mismatch(low_key, high_key).in1 - low_key.begin());
  const std::uint64_t from = number_of(low_key.substr(common)), to = number_of(high_key.substr(common));
  const std::uint64_t at = std::clamp<std::uint64_t>(number_of(key.substr(common)), from, to);
  if (from == to) return low + (high - low) / 2;
  return low + static_cast<std::uint32_t>((at - from) * (high - low) / (to - from));
}

}  // namespace

// Entries of the index.
struct RangedTable::Window {
  std::uint32_t begin = 0, end = 0;
  ByteView restarts;         // of these
  ByteView entries;          // the first begins at
  std::uint64_t offset = 0;  // of all entries' bytes
};

Error RangedTable::corrupt(std::string_view what) const {
  return Error(Code::kCorrupt, files_.file(number_).name + ": " + std::string(what));
}

Result<bool> RangedTable::open() {
  if (count_ > 0) return true;
  if (!index_place_) {
    const std::uint64_t bytes = files_.file(number_).bytes;
    if (bytes < kFooterBytes) return corrupt("it is too short");
    const auto tail_bytes = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, kFileTailBytes));
    const auto tail = files_.get(number_, bytes - tail_bytes, tail_bytes);
    if (!tail) return false;
    index_place_ = index_of_footer(tail->last(kFooterBytes), bytes);
    if (!index_place_) return corrupt("its footer is not one of ours");
  }
  const auto end = files_.get(number_, index_place_->end() - kTailBytes, kTailBytes);
  if (!end) return false;
  const std::uint32_t count = restarts_of_count(end->first(kCountBytes));
  if ((*end)[kCountBytes] != std::byte{0}) return corrupt("its index is compressed");
  if (count == 0 || std::uint64_t{4} * count > index_place_->bytes - kTailBytes)
    return corrupt("its index does not decode");
  place_ = *index_place_;
  count_ = count;
  return true;
}

bool RangedTable::reads_whole() const {
  return place_.bytes <= 2 * kBytesPerRequest * std::max<std::size_t>(expected_, 1);
}

Result<std::optional<RangedTable::Window>> RangedTable::whole() {
  if (index_.empty()) {
    const auto index = files_.get(number_, place_.offset, static_cast<std::size_t>(place_.bytes));
    if (!index) return std::optional<Window>();
    if (!is_intact(*index)) return corrupt("the checksum of its index is wrong");
    index_.assign(index->begin(), index->end());
  }
  const auto entries = static_cast<std::size_t>(entries_end());
  return std::optional(Window{0, count_, ByteView(index_).subspan(entries, std::size_t{4} * count_),
                              ByteView(index_).first(entries), 0});
}

Result<std::optional<RangedTable::Window>> RangedTable::part(std::uint32_t begin, std::uint32_t end) {
  const std::uint32_t points = std::min(end + 1, count_) - begin;  // also where the next entry begins
  const auto restarts =
      files_.get(number_, place_.offset + entries_end() + std::uint64_t{4} * begin, std::size_t{4} * points);
  if (!restarts) return std::optional<Window>();
  const std::uint64_t from = load_le<std::uint32_t>(restarts->data());
  const std::uint64_t to = end == count_ ? entries_end() : load_le<std::uint32_t>(restarts->last(4).data());
  if (from > to || to > entries_end() || to - from > kMaxWindowBytes) return corrupt("its index does not decode");
  const auto entries = files_.get(number_, place_.offset + from, static_cast<std::size_t>(to - from));
  if (!entries) return std::optional<Window>();
  return std::optional(Window{begin, end, *restarts, *entries, from});
}

Result<IndexEntry> RangedTable::entry(const Window& window, std::uint32_t i) const {
  const std::uint64_t at = load_le<std::uint32_t>(window.restarts.data() + std::size_t{4} * (i - window.begin));
  if (at < window.offset || at - window.offset > window.entries.size()) return corrupt("its index does not decode");
  const auto decoded =
      decode_index_entry(window.entries.subspan(static_cast<std::size_t>(at - window.offset)), place_.offset);
  if (!decoded) return corrupt("its index does not decode");
  return *decoded;
}

Result<std::uint32_t> RangedTable::first_not_below(const Window& window, std::string_view key) const {
  std::uint32_t low = window.begin, high = window.end;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (FROND_TRY(entry(window, middle)).key < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

Result<RangedTable::Blocks> RangedTable::around(const Window& window, std::uint32_t i) const {
  Blocks blocks;
  if (i > window.begin) blocks.before = FROND_TRY(entry(window, i - 1)).block;
  if (i < window.end) blocks.at = FROND_TRY(entry(window, i)).block;
  return blocks;
}

Result<std::optional<RangedTable::Blocks>> RangedTable::find(std::string_view key) {
  if (!FROND_TRY(open())) return std::optional<Blocks>();
  if (!index_.empty() || reads_whole()) {
    const auto all = FROND_TRY(whole());
    if (!all) return std::optional<Blocks>();
    const std::uint32_t i = FROND_TRY(first_not_below(*all, key));
    return std::optional(FROND_TRY(around(*all, i)));
  }
  if (bounds_.end.empty() && !FROND_TRY(learn_bounds())) return std::optional<Blocks>();
  const auto wide = static_cast<std::uint32_t>(std::clamp(
      kWindowBytes * count_ / std::max<std::uint64_t>(entries_end(), 1), kLeastWindow, kMostWindow));  // entries
  // The first entry that is not below the key is among those from `low` to `high`.
  std::uint32_t low = 0, high = count_;
  std::string low_key = bounds_.first, high_key = bounds_.end;
  for (unsigned guesses = 0;; ++guesses) {
    const std::uint32_t middle = guesses < kGuesses ? guess(key, low_key, high_key, low, high) : low + (high - low) / 2;
    // An entry before `low` is among them, since the block before is asked for, too.
    const std::uint32_t least = low > 0 ? low - 1 : 0, most = high > 0 ? high - 1 : 0;
    const std::uint32_t begin = std::clamp(middle > wide / 2 ? middle - wide / 2 : 0, least, std::max(least, most));
    const std::uint32_t end = std::min(count_, begin + wide);
    const auto window = FROND_TRY(part(begin, end));
    if (!window) return std::optional<Blocks>();
    const std::uint32_t i = FROND_TRY(first_not_below(*window, key));
    if (i == begin && begin > 0) {
      if (begin >= high) return corrupt("its index is not in order");
      high = begin;
      high_key = FROND_TRY(entry(*window, begin)).key;
    } else if (i == end && end < count_) {
      low = end;
      low_key = FROND_TRY(entry(*window, end - 1)).key;
      if (low > high) return corrupt("its index is not in order");
    } else {
      return std::optional(FROND_TRY(around(*window, i)));
    }
  }
}

Result<bool> RangedTable::learn_bounds() {
  const auto from = FROND_TRY(first());
  const auto last = FROND_TRY(part(count_ - 1, count_));
  if (!from || !last) return false;
  const IndexEntry end = FROND_TRY(entry(*last, count_ - 1));
  bounds_ = {*from, std::string(end.key)};
  return true;
}

Result<std::optional<std::string>> RangedTable::first() {
  for (;;) {
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(files_.file(number_).bytes, front_bytes_));
    const auto front = files_.get(number_, 0, bytes);
    if (!front) return std::optional<std::string>();
    auto key = first_key(*front);
    if (key) return key;
    if (front_bytes_ == kLongFrontBytes) return corrupt("its first entry does not decode");
    front_bytes_ = kLongFrontBytes;
  }
}

namespace {

// The number that a key of at least four bytes begins with.
std::uint32_t document_of(std::string_view key) { return key.size() < 4 ? 0 : read_be32(key); }

}  // namespace

std::vector<std::size_t> files_of(std::span<const PartitionFile> files, Family family) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (is_file_of(family, files[i].name)) numbers.push_back(i);
  return numbers;
}

RangedTables::RangedTables(RangedFiles& files, std::span<const std::size_t> numbers, KeyBounds bounds)
    : files_(files), bounds_(std::move(bounds)) {
  for (const std::size_t number : numbers) tables_.emplace_back(files, number, bounds_);
}

// Of a single file, the first key does not matter.
Result<bool> RangedTables::learn_firsts() {
  if (!firsts_.empty()) return true;
  std::vector<std::string> firsts(1);
  bool all = true;
  for (std::size_t i = 1; i < tables_.size(); ++i) {
    auto first = FROND_TRY(tables_[i].first());
    all = all && first.has_value();
    firsts.push_back(first ? *std::move(first) : std::string());
  }
  if (!all) return false;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const std::string& begin = i == 0 ? bounds_.first : firsts[i];
    const std::string& end = i + 1 == tables_.size() ? bounds_.end : firsts[i + 1];
    tables_[i].set_bounds({begin, end});
    const auto from = std::ranges::lower_bound(expected_, document_of(begin));
    const auto to = std::ranges::lower_bound(expected_, document_of(end));
    tables_[i].expect(expected_keys_ / tables_.size() + (from < to ? static_cast<std::size_t>(to - from) : 0));
  }
  firsts_ = std::move(firsts);
  return true;
}

Result<std::optional<RangedTables::Found>> RangedTables::find(std::string_view key) {
  if (tables_.empty()) return std::optional(Found{});
  if (!FROND_TRY(learn_firsts())) return std::optional<Found>();
  const auto after = std::upper_bound(firsts_.begin() + 1, firsts_.end(), key);
  last_ = static_cast<std::size_t>(after - firsts_.begin()) - 1;
  RangedTable& table = tables_[last_];
  const auto blocks = FROND_TRY(table.find(key));
  if (!blocks) return std::optional<Found>();
  return std::optional(Found{table.number(), *blocks});
}

void RangedTables::drop() {
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    files_.drop(tables_[i].number());
    if (i != last_) tables_[i].release();
  }
}

}  // namespace frond::partition
