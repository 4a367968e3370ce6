#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/partition/database.h"
#include "tests/support/scratch_folder.h"

namespace frond::partition {
namespace {

TEST(MappedFilesOfAFolder, HoldWhatLiesInThemWithSlackAfterIt) {
  const support::ScratchFolder scratch;
  support::write_file(scratch / "a.sst", std::string(8192, 'a'));
  const int fd = ::open((scratch / "a.sst").c_str(), O_RDONLY);
  void* const at = ::mmap(nullptr, 8192, PROT_READ, MAP_SHARED, fd, 0);
  ASSERT_NE(at, MAP_FAILED);
  const auto files = MappedFiles::of(scratch.path());
  EXPECT_EQ(files.count(), 1u);
  const ByteView whole(static_cast<const std::byte*>(at), 8192);
  EXPECT_TRUE(files.holds(whole.first(100), 64));
  EXPECT_TRUE(files.holds(whole.first(8128), 64));
  EXPECT_FALSE(files.holds(whole.first(8129), 64));
  EXPECT_FALSE(files.holds(whole.last(10), 64));
  const ByteBuffer heap(100);
  EXPECT_FALSE(files.holds(heap, 64));
  EXPECT_FALSE(MappedFiles().holds(whole.first(1), 0));
  ::munmap(at, 8192);
  ::close(fd);
}

}  // namespace
}  // namespace frond::partition
