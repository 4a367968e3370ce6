#include "tools/bench/spread.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace frond::tools::bench {

std::string shown(const Spread& figure, int digits) {
  if (figure.median == 0) return "-";
  return fmt::format("{:.{}f} -{:.0f}+{:.0f}%", figure.median, digits, 100 - figure.min / figure.median * 100,
                     figure.max / figure.median * 100 - 100);
}

nlohmann::ordered_json as_json(const Spread& figure) {
  return {{"median", figure.median}, {"least", figure.min}, {"most", figure.max}};
}

}  // namespace frond::tools::bench
