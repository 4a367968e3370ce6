#pragma once
// What the members of an explanation say that its score is: each clause is worked out again from its own numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "common/scoring/prior.h"

namespace frond::support {

inline std::uint64_t fixed(const nlohmann::json& number) {
  const double scaled = number.get<double>() * scoring::kScoreScale;
  EXPECT_EQ(scaled, static_cast<double>(static_cast<std::uint64_t>(scaled))) << number;
  return static_cast<std::uint64_t>(scaled);
}

// The score; differs from what is said somewhere: fails.
inline std::uint64_t explained_score(const nlohmann::json& one) {
  std::uint64_t sum = 0, best = 0, score = 0;
  if (one.contains("of"))
    for (const auto& part : one["of"]) {
      const std::uint64_t score_of_part = explained_score(part);
      sum += score_of_part;
      best = std::max(best, score_of_part);
    }
  const std::string how = one.value("how", "");
  if (one.value("cut", false) || how == "constant" || how == "rest") {
    score = fixed(one["score"]);
  } else if (how == "sum") {
    score = sum;
  } else if (how == "max") {
    score = best + (sum - best) * static_cast<std::uint64_t>(one["tie_breaker"].get<double>() * 256) / 256;
  } else if (how == "times") {
    score = sum * static_cast<std::uint64_t>(one["by"].get<double>() * 256) / 256;
  } else if (how == "bm25") {
    const auto weight = one["weight"].get<float>() * scoring::kScoreScale, frequency = one["frequency"].get<float>();
    score = static_cast<std::uint64_t>(weight * (frequency / (frequency + one["norm"].get<float>())));
  } else if (how == "impact") {
    score = fixed(one["weight"]) * one["impact"].get<std::uint64_t>();
  } else if (how == "prior") {
    score = fixed(one["prior"]) * fixed(one["weight"]) >> 16;
  } else {
    EXPECT_EQ(how, "");
  }
  if (one.contains("at_most")) score = std::min(score, fixed(one["at_most"]));
  EXPECT_EQ(fixed(one["score"]), score) << one;
  EXPECT_FALSE(one.value("clause", "").empty());
  return score;
}

}  // namespace frond::support
