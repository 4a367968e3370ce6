#include "common/partition/ranged_tables.h"

#include <algorithm>
#include <utility>

namespace frond::partition {
namespace {

// The number that a key of at least four bytes begins with.
std::uint32_t document_of(std::string_view key) { return key.size() < 4 ? 0 : read_be32(key); }

}  // namespace

std::vector<std::size_t> files_of(std::span<const PartitionFile> files, Family family) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (files[i].name.starts_with(stem_of(family)) && !files[i].name.starts_with(kHeadFiles) &&
        !files[i].name.starts_with(kPriorFiles))
      numbers.push_back(i);
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
