#include "tools/commands/commands.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "common/wire/curve_keys.h"
#include "tests/support/scratch_folder.h"

namespace frond::tools {
namespace {

unsigned mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

TEST(KeyFiles, HoldAPairAndTheSecretIsItsOwnersOnly) {
  const support::ScratchFolder folder;
  const std::string prefix = folder / "broker";
  const auto told = write_new_keys(prefix);
  ASSERT_TRUE(told);
  const auto keys = wire::read_curve_secret_key(prefix + ".secret");
  ASSERT_TRUE(keys);
  EXPECT_EQ(keys->public_key.z85, *told);
  EXPECT_EQ(support::read_file(prefix + ".public"), *told + "\n");
  EXPECT_EQ(support::read_file(prefix + ".secret"), keys->secret_z85 + "\n");
  EXPECT_EQ(mode_of(prefix + ".secret"), 0600u);
}

TEST(KeyFiles, AreNeverOverwritten) {
  for (const char* there : {".secret", ".public"}) {
    const support::ScratchFolder folder;
    const std::string prefix = folder / "leaf";
    support::write_file(prefix + there, "precious");
    const auto told = write_new_keys(prefix);
    EXPECT_EQ(told, Code::kInvalid);
    EXPECT_NE(told.error().message().find(prefix + there), std::string::npos);
    EXPECT_EQ(support::read_file(prefix + there), "precious");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1) << "a key was left behind";
  }
}

TEST(KeyFiles, AreNotMadeWhereThereIsNoFolder) {
  const support::ScratchFolder folder;
  EXPECT_EQ(write_new_keys(folder / "none/key"), Code::kUnavailable);
}

}  // namespace
}  // namespace frond::tools
