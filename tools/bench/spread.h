#pragma once
// A figure measured in several rounds.
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace frond::tools::bench {

struct Spread {
  double median = 0, min = 0, max = 0;  // over rounds
};

// "1.23 -4+5%": the median, and how many percent the min is below it and the max above it. "-" if the median is 0.
std::string shown(const Spread& figure, int digits);
nlohmann::ordered_json as_json(const Spread& figure);

}  // namespace frond::tools::bench
