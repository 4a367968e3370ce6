#include "tools/bench/table.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace frond::tools::bench {
namespace {

const Table kTable{.title = "Speed",
                   .columns = {{"codec"}, {"ours", 2}, {"theirs²", 2, true}},
                   .rows = {{"rice", 1234567.891, {}}, {"a|b", 2, -3456.7}}};

TEST(Tables, AreMarkdownWithColumnsOfEvenWidth) {
  EXPECT_EQ(text_of(kTable),
            "| codec |         ours |   theirs² |\n"
            "| ----- | -----------: | --------: |\n"
            "| rice  | 1,234,567.89 |           |\n"
            "| a\\|b  |         2.00 | -3,456.70 |\n");
}

TEST(Tables, AreNumbersTextAndNullInJson) {
  const auto json = as_json(kTable);
  EXPECT_EQ(json["rows"][0], (nlohmann::ordered_json{"rice", 1234567.891, nullptr}));
  EXPECT_EQ(json["columns"][2]["paper"], true);
}

TEST(Tables, GroupTheDigitsOfNumbers) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999.5, 1), "999.5");
  EXPECT_EQ(grouped(-1000), "-1,000");
  EXPECT_EQ(grouped(1e9, 2), "1,000,000,000.00");
}

}  // namespace
}  // namespace frond::tools::bench
