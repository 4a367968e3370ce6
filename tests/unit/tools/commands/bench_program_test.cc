#include "tools/commands/commands.h"

#include <gtest/gtest.h>

#include <vector>

namespace frond::tools {
namespace {

using Arguments = std::vector<const char*>;

TEST(BenchProgram, HasTheCommandsBenchAndSynth) {
  EXPECT_TRUE(is_for_bench_program(Arguments{"frond", "bench", "codec", "--list"}));
  EXPECT_TRUE(is_for_bench_program(Arguments{"frond", "synth", "--help"}));
  EXPECT_TRUE(is_for_bench_program(Arguments{"frond", "--config", "file", "bench"}));
  EXPECT_TRUE(is_for_bench_program(Arguments{"frond", "--config=file", "synth"}));
}

TEST(BenchProgram, HasNoOtherCommandAndNoHelpOfFrond) {
  EXPECT_FALSE(is_for_bench_program(Arguments{"frond"}));
  EXPECT_FALSE(is_for_bench_program(Arguments{"frond", "search", "bench"}));
  EXPECT_FALSE(is_for_bench_program(Arguments{"frond", "--config", "bench", "search"}));
  EXPECT_FALSE(is_for_bench_program(Arguments{"frond", "--config"}));
  EXPECT_FALSE(is_for_bench_program(Arguments{"frond", "--help", "bench"}));
}

// This test's program has no frond-bench beside it.
TEST(BenchProgram, IsNamedWhereItIsMissing) {
  char name[] = "frond";
  char* const arguments[] = {name, nullptr};
  const Error error = run_bench_program(arguments);
  EXPECT_EQ(error.code(), Code::kUnavailable);
  EXPECT_NE(error.message().find("/frond-bench: No such file or directory"), std::string::npos) << error.message();
}

}  // namespace
}  // namespace frond::tools
