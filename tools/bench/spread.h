#pragma once
// What was measured several times, as few numbers.
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace frond::tools::bench {

struct Spread {
  double median = 0, min = 0, max = 0;  // over rounds
};

Spread spread_of(std::vector<double> rounds);  // none: all 0
// Items a second, from the seconds that each round took for `count` items.
Spread rate_of(std::vector<double> seconds, double count);

// Of many values, as the times of queries.
struct Distribution {
  double mean = 0, median = 0, p95 = 0, p99 = 0;
};
// The mean, and the values at ranks ceil(share * count). `values` is not empty.
Distribution distribution_of(std::vector<double> values);

// "1.23 -4+5%": the median, and how many percent the min is below it and the max above it. "-" if the median is 0.
std::string shown(const Spread& figure, int digits);
nlohmann::ordered_json as_json(const Spread& figure);
nlohmann::ordered_json as_json(const Distribution& figures);

}  // namespace frond::tools::bench
