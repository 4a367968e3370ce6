#include "tools/bench/papers/exhibit.h"

#include <fmt/format.h>

#include <algorithm>

namespace frond::tools::bench::papers {

std::string grouped(double number, int digits) {
  std::string text = fmt::format("{:.{}f}", number, digits);
  const std::size_t begin = text.starts_with('-') ? 1 : 0, end = std::min(text.find('.'), text.size());
  for (std::size_t at = end; at > begin + 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

}  // namespace frond::tools::bench::papers
