#include "common/config/auto_budgets.h"

#include <gtest/gtest.h>

#include "common/config/command_line.h"

namespace frond::config {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

TEST(AutoBudgets, AreSharesOfTheMemoryAndTold) {
  const Machine container{.cores = 2, .memory = 1000 * kMiB, .available = 900 * kMiB, .contained = true};
  AutoBudgets budgets(container);
  std::uint64_t large = kAutoBytes, bounded = kAutoBytes, given = 7;
  budgets.choose("--large", large, 350, 10'000 * kMiB);
  budgets.choose("--bounded", bounded, 350, 64 * kMiB);
  budgets.choose("--given", given, 350, 64 * kMiB);
  EXPECT_NEAR(static_cast<double>(large), 350.0 * kMiB, kMiB);
  EXPECT_EQ(bounded, 64 * kMiB);
  EXPECT_EQ(given, 7u);
  const std::string text = chosen_text(budgets.all());
  EXPECT_TRUE(text.starts_with("--large 3")) << text;
  EXPECT_TRUE(text.ends_with("MiB, --bounded 64MiB")) << text;
  EXPECT_EQ(budgets.all().back(), (Budget{.flag = "--given", .amount = 7, .bytes = true}));
}

TEST(AutoBudgets, SayNothingWhereAllAreGiven) {
  const Machine machine{.memory = 1000 * kMiB, .available = 1000 * kMiB};
  AutoBudgets budgets(machine);
  std::uint64_t given = 0;
  budgets.choose("--given", given, 500, 64 * kMiB);
  EXPECT_EQ(given, 0u);
  EXPECT_EQ(chosen_text(budgets.all()), "");
}

TEST(AutoBudgets, AreLessOnAMachineThatOthersUseToo) {
  const Machine machine{.memory = 1000 * kMiB, .available = 1000 * kMiB};
  AutoBudgets budgets(machine);
  std::uint64_t half = kAutoBytes;
  budgets.choose("--half", half, 350, 10'000 * kMiB);
  EXPECT_NEAR(static_cast<double>(half), 175.0 * kMiB, kMiB);
}

}  // namespace
}  // namespace frond::config
