#include "common/config/options.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "common/config/command_line.h"
#include "common/config/gpus.h"
#include "tests/support/scratch_folder.h"

namespace frond::config {
namespace {

TEST(ByteSize, TakesBinaryAndDecimalUnits) {
  EXPECT_EQ(parse_byte_size("0"), 0u);
  EXPECT_EQ(parse_byte_size("4096"), 4096u);
  EXPECT_EQ(parse_byte_size("64KiB"), 65536u);
  EXPECT_EQ(parse_byte_size("64K"), 65536u);
  EXPECT_EQ(parse_byte_size("1.5GiB"), 1610612736u);
  EXPECT_EQ(parse_byte_size("2 MB"), 2000000u);
  for (const char* wrong : {"", "x", "-1", "1 XB", "1e3", "KiB", "1..5K", "99999999999TiB", "0x10", "nan"})
    EXPECT_EQ(parse_byte_size(wrong), Code::kInvalid) << wrong;
}

TEST(Shard, IsBelowItsCount) {
  EXPECT_EQ(parse_shard("1/3")->number, 1u);
  EXPECT_EQ(parse_shard("1/3")->count, 3u);
  for (const char* wrong : {"", "3/3", "1", "1/0", "-1/2", "a/b", "1/2/3"})
    EXPECT_EQ(parse_shard(wrong), Code::kInvalid) << wrong;
}

TEST(Gpus, AreAutoAllOffOrNumbers) {
  EXPECT_TRUE(parse_gpus("off")->off);
  EXPECT_FALSE(parse_gpus("auto")->named);
  EXPECT_TRUE(parse_gpus("all")->named && parse_gpus("all")->devices.empty());
  EXPECT_EQ(parse_gpus("2,0")->devices, (std::vector<int>{2, 0}));
  for (const char* wrong : {"", "1,", ",1", "0,0", "-1", "64", "0;1", "none", "0,auto"})
    EXPECT_EQ(parse_gpus(wrong), Code::kInvalid) << wrong;
}

struct Parsed {
  std::string name;
  std::uint64_t cache = 0;
  std::optional<int> exit_code;
};

Parsed parse_line(std::vector<const char*> arguments) {
  Parsed parsed;
  CommandLine app("Tests.", "frond-test");
  app.add_option("--the-name", parsed.name, "Name").required();
  app.add_option("--cache", parsed.cache, "Bytes").transform(byte_size());
  arguments.insert(arguments.begin(), "frond-test");
  parsed.exit_code = app.parse(static_cast<int>(arguments.size()), arguments.data());
  return parsed;
}

TEST(CommandLine, WinsOverTheEnvironmentAndThatOverTheFile) {
  const support::ScratchFolder folder;
  const std::string file = folder / "frond.conf";
  std::ofstream(file) << "the-name = \"file\"\ncache = \"1KiB\"\n";
  const Parsed from_file = parse_line({"--config", file.c_str()});
  EXPECT_FALSE(from_file.exit_code);
  EXPECT_EQ(from_file.name, "file");
  EXPECT_EQ(from_file.cache, 1024u);
  setenv("FROND_THE_NAME", "environment", 1);
  EXPECT_EQ(parse_line({"--config", file.c_str()}).name, "environment");
  EXPECT_EQ(parse_line({"--config", file.c_str(), "--the-name", "line"}).name, "line");
  unsetenv("FROND_THE_NAME");
}

// One line that names the flag, and exit code 2.
void expect_refused(std::vector<const char*> arguments, const std::string& named) {
  testing::internal::CaptureStderr();
  const Parsed parsed = parse_line(std::move(arguments));
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_EQ(parsed.exit_code, 2);
  EXPECT_NE(told.find(named), std::string::npos) << told;
  EXPECT_EQ(told.find("frond-test: "), 0u) << told;
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1) << told;
}

TEST(CommandLine, RefusesWhatItDoesNotKnow) {
  const support::ScratchFolder folder;
  const std::string file = folder / "frond.conf";
  std::ofstream(file) << "unknown-flag = 1\n";
  expect_refused({}, "--the-name");
  expect_refused({"--the-name", "x", "--cache", "many"}, "--cache");
  expect_refused({"--the-name", "x", "--nope"}, "--nope");
  expect_refused({"--the-name", "x", "--config", "/no/such/file"}, "/no/such/file");
  expect_refused({"--the-name", "x", "--config", file.c_str()}, "unknown-flag");
}

}  // namespace
}  // namespace frond::config
