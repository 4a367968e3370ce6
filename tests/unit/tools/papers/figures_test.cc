#include "tools/papers/figures/figures.h"

#include <gtest/gtest.h>

namespace frond::tools::papers {
namespace {

double number(std::initializer_list<std::string_view> path, double factor = 1) {
  const Cell cell = theirs(path, factor);
  return cell.number() ? *cell.number() : -1;
}

TEST(PaperFigures, AreFoundByTheirPath) {
  EXPECT_EQ(number({"codecs", "uniform/2^16", "bp32", "bits"}), 15.71);
  EXPECT_EQ(number({"codecs", "index freqs", "streamvbyte", "decode_g"}, 1000), 2215);
  EXPECT_EQ(number({"device_codecs", "index docids", "rice", "decode_g"}), 0.30527);
  EXPECT_EQ(number({"intersections", "gov/input", "hash-segmentation:16", "queries_per_second"}), 91'382);
  EXPECT_EQ(number({"linearity", "gov/random", "200000", "contraction"}), 0.0019);
  EXPECT_EQ(number({"linearity", "gov/input", "3", "contraction"}), 0.2423) << "the shortest class begins at 3 here";
  EXPECT_EQ(number({"mallia_table_3", "gpu-bp128 bp32", "25"}), 63.29);
  EXPECT_EQ(*theirs({"ding_figure_7", "CPU only"}).text(), "less than 100");
}

TEST(PaperFigures, AreEmptyWhereThePapersHaveNone) {
  for (const auto path :
       std::vector<std::initializer_list<std::string_view>>{{"codecs", "uniform/2^17", "bp32", "bits"},
                                                            {"codecs", "uniform/2^16", "no such codec", "bits"},
                                                            {"none"},
                                                            {}})
    EXPECT_FALSE(theirs(path).number() || theirs(path).text());
  EXPECT_TRUE(their_rows("no such table").empty());
}

double at(const std::vector<Cell>& row, std::size_t column) { return *row[column].number(); }

TEST(PaperFigures, HaveThePapersSums) {
  for (const auto& row : their_rows("wei_table_4")) {
    EXPECT_NEAR(at(row, 4) + at(row, 5) + at(row, 6) + at(row, 7), at(row, 8), 0.01);
    EXPECT_NEAR(1422.0 * 1024 / at(row, 5) / at(row, 9), 1, 0.01);
  }
  const auto work = their_rows("wei_table_5");
  ASSERT_EQ(work.size(), 2u);
  EXPECT_EQ(at(work[0], 2) + at(work[1], 2), 32'644'508'255) << "Table III";
  EXPECT_NEAR(at(work[0], 4) + at(work[1], 4), 84'799'475, 1);
  for (const std::size_t share : {3u, 5u, 7u}) EXPECT_NEAR(at(work[0], share) + at(work[1], share), 100, 0.11);
  for (const auto& row : their_rows("wei_table_6")) EXPECT_LE(std::max(at(row, 4), at(row, 5)), at(row, 8));
}

}  // namespace
}  // namespace frond::tools::papers
