#include "common/schema/nearest_names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace frond::schema {
namespace {

constexpr std::size_t kCompared = 64;

char small_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, kCompared);
  b = b.substr(0, kCompared);
  using Row = std::array<std::size_t, kCompared + 1>;
  Row before{}, above{}, row{};  // rows i - 2, i - 1 and i
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const char x = small_letter(a[i - 1]), y = small_letter(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (x == y ? 0 : 1)});
      if (i > 1 && j > 1 && x == small_letter(b[j - 2]) && y == small_letter(a[i - 2]))
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = above;
    above = row;
  }
  return above[b.size()];
}

std::vector<std::string_view> nearest_names(std::string_view wanted, std::span<const std::string_view> names,
                                            std::size_t count) {
  std::vector<std::pair<std::size_t, std::string_view>> ranked;
  ranked.reserve(names.size());
  for (const std::string_view name : names) ranked.emplace_back(edit_distance(wanted, name), name);
  std::ranges::sort(ranked);
  if (ranked.size() > count) ranked.resize(count);
  std::vector<std::string_view> nearest;
  nearest.reserve(ranked.size());
  for (const auto& [distance, name] : ranked) nearest.push_back(name);
  return nearest;
}

std::string nearest_hint(std::string_view wanted, std::span<const std::string_view> names) {
  const auto nearest = nearest_names(wanted, names);
  if (nearest.empty()) return "";
  std::string hint = nearest.size() == 1 ? "; the nearest name is " : "; the nearest names are ";
  for (std::size_t i = 0; i < nearest.size(); ++i) hint += (i == 0 ? "" : ", ") + std::string(nearest[i]);
  return hint;
}

}  // namespace frond::schema
