#include "tools/bench/codec/integer_sets.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include <fmt/format.h>

#include "common/base/lines.h"
#include "common/files/read.h"
#include "tools/bench/codec/synthetic_lists.h"

namespace frond::tools::bench {

constexpr std::size_t kMaxFileBytes = std::size_t{4} << 30;  // of integers
namespace fs = std::filesystem;

std::uint64_t IntegerSet::integers() const {
  std::uint64_t all = 0;
  for (const auto& list : lists) all += list.size();
  return all;
}

IntegerSet synthetic_set(std::string_view model, unsigned log2_count, std::uint32_t seed) {
  constexpr std::uint32_t kRange = 1u << 29;
  IntegerSet set;
  set.name = fmt::format("{}/2^{}", model, log2_count);
  std::mt19937 random(seed);
  for (unsigned lists = log2_count < 22 ? 1u << (22 - log2_count) : 1; lists > 0; --lists)
    set.lists.push_back((model == "uniform" ? uniform_list : clustered_list)(random, 1u << log2_count, kRange));
  return set;
}

Result<std::vector<std::uint32_t>> parse_integers(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  std::vector<std::uint32_t> list;
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  while (!text.empty()) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    std::uint32_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc() || number == kNoDoc)
      return Error(Code::kInvalid, fmt::format("integer {} is none below 2^32 - 1", list.size() + 1));
    if (!list.empty() && number <= list.back())
      return Error(Code::kInvalid, fmt::format("integer {} does not ascend: {}", list.size() + 1, number));
    list.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) break;
    if (text.front() != ',' || text.size() == 1)
      return Error(Code::kInvalid, fmt::format("no comma and integer behind integer {}", list.size()));
    text.remove_prefix(1);
  }
  return list;
}

Result<IntegerSet> set_of_files(const fs::path& path, std::size_t min_length) {
  std::error_code failure;
  std::vector<fs::path> files;
  if (fs::is_regular_file(path, failure)) files.push_back(path);
  if (fs::is_directory(path, failure)) {
    fs::recursive_directory_iterator all(path, failure);
    for (; !failure && all != fs::recursive_directory_iterator(); all.increment(failure))
      if (all->is_regular_file(failure) && all->path().extension() == ".txt") files.push_back(all->path());
  }
  if (failure || files.empty()) return Error(Code::kNotFound, path.string() + ": no files of integers");
  std::sort(files.begin(), files.end());
  IntegerSet set;
  set.name = "files";
  for (const fs::path& file : files) {
    auto list = parse_integers(without_mark(FROND_TRY(files::read_text(file, kMaxFileBytes))));
    if (!list) return std::move(list).error().within(file.string());
    if (list->size() >= std::max<std::size_t>(min_length, 1)) set.lists.push_back(std::move(*list));
  }
  return set;
}

}  // namespace frond::tools::bench
