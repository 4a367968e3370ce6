#include "common/base/machine.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/support/scratch_folder.h"

namespace frond {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20, kGiB = std::uint64_t{1} << 30;

// A machine of 16 GiB, as its kernel describes it below a folder.
class AMachine : public ::testing::Test {
 protected:
  void SetUp() override {
    write("proc/meminfo", "MemTotal:       16777216 kB\nMemFree:         1000000 kB\nMemAvailable:   12582912 kB\n");
  }
  void write(const std::string& name, const std::string& text) const {
    const auto file = root_.path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  Machine read(unsigned affinity = 8) const { return read_machine(root_.path(), affinity); }

 private:
  const support::ScratchFolder root_;
};

TEST_F(AMachine, WithoutCgroupsHasItsOwnSize) {
  const Machine machine = read();
  EXPECT_EQ(machine.cores, 8u);
  EXPECT_EQ(machine.memory, 16 * kGiB);
  EXPECT_EQ(machine.available, 12 * kGiB);
  EXPECT_FALSE(machine.contained);
  EXPECT_FALSE(machine.has_quota);
  EXPECT_EQ(machine.planned_memory(), 8 * kGiB);
  EXPECT_EQ(machine.text(), "8 cores, 16.0 GiB of memory, 12.0 GiB available");
}

TEST_F(AMachine, IsLimitedByACgroupOfTheSecondVersion) {
  write("proc/self/cgroup", "0::/system.slice/frond.service\n");
  write("sys/fs/cgroup/system.slice/frond.service/memory.max", "536870912\n");
  write("sys/fs/cgroup/system.slice/frond.service/memory.current", "209715200\n");
  write("sys/fs/cgroup/system.slice/frond.service/memory.stat",
        "anon 104857600\nfile 104857600\ninactive_file 52428800\nactive_file 52428800\n");
  write("sys/fs/cgroup/system.slice/frond.service/cpu.max", "250000 100000\n");
  const Machine machine = read();
  EXPECT_EQ(machine.memory, 512 * kMiB);
  EXPECT_EQ(machine.available, 412 * kMiB);
  EXPECT_TRUE(machine.contained);
  EXPECT_EQ(machine.planned_memory(), 512 * kMiB);
  EXPECT_EQ(machine.cores, 3u);
  EXPECT_TRUE(machine.has_quota);
  EXPECT_EQ(machine.text(), "3 cores (cgroup), 0.5 GiB of memory (cgroup), 0.4 GiB available");
}

TEST_F(AMachine, IsLimitedByTheSmallestOfTheGroupsAboveIt) {
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/b/memory.max", "max\n");
  write("sys/fs/cgroup/a/b/memory.high", "8589934592\n");
  write("sys/fs/cgroup/a/memory.max", "4294967296\n");
  write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/a/cpu.max", "100000 100000\n");
  const Machine machine = read();
  EXPECT_EQ(machine.memory, 4 * kGiB);
  EXPECT_EQ(machine.cores, 1u);
}

TEST_F(AMachine, IsLimitedByCgroupsOfTheFirstVersion) {
  write("proc/self/cgroup", "5:memory:/docker/0a\n3:cpu,cpuacct:/docker/0a\n0::/\n");
  // The container sees its own group as the root of the mount.
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "2147483648\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "1073741824\n");
  write("sys/fs/cgroup/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 536870912\ntotal_active_file 0\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "400000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  const Machine machine = read();
  EXPECT_EQ(machine.memory, 2 * kGiB);
  EXPECT_EQ(machine.available, 2 * kGiB - 512 * kMiB);
  EXPECT_EQ(machine.cores, 4u);
}

TEST_F(AMachine, IsNotLimitedByWhatLimitsNothing) {
  write("proc/self/cgroup", "4:memory:/x\n1:cpu:/x\n0::/x\n");
  write("sys/fs/cgroup/memory/x/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/x/cpu.max", "\n");
  write("sys/fs/cgroup/unified/x/memory.max", "many\n");
  const Machine machine = read();
  EXPECT_FALSE(machine.contained);
  EXPECT_FALSE(machine.has_quota);
}

TEST_F(AMachine, SurvivesStrangeFiles) {
  write("proc/meminfo", "MemTotal\nMemAvailable: x\n");
  write("proc/self/cgroup", "\n:\n::\n:::::\n9:memory\n0::/../../..\n0::" + std::string(100'000, '/') + "\n");
  write("sys/fs/cgroup/memory.max", "0\n");
  write("sys/fs/cgroup/cpu.max", "0 0\n");
  const Machine machine = read(0);
  EXPECT_EQ(machine.cores, 1u);
  EXPECT_GT(machine.memory, 0u);
  EXPECT_GT(machine.planned_memory(), 0u);
}

TEST_F(AMachine, GivesSharesWithinBounds) {
  const Machine machine = read();  // plans for 8 GiB
  EXPECT_NEAR(static_cast<double>(machine.share(500, 0, 100 * kGiB)), 4.0 * kGiB, 1e6);
  EXPECT_EQ(machine.share(500, 0, kGiB), kGiB);
  EXPECT_EQ(machine.share(1, kGiB, 2 * kGiB), kGiB);
}

TEST(ThisMachine, HasACoreAndMemory) {
  EXPECT_GE(this_machine().cores, 1u);
  EXPECT_GE(this_machine().memory, std::uint64_t{1} << 20);
  EXPECT_LE(this_machine().available, this_machine().memory);
}

}  // namespace
}  // namespace frond
