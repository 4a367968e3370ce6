// What disk_read.h promises, on a disk and where there are no direct reads.
#include "common/files/disk_read.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "common/base/text.h"
#include "tests/support/scratch_folder.h"

namespace frond::files {
namespace {

TEST(ReadFromDisk, GivesAllBytesInPieces) {
  const support::ScratchFolder scratch;
  for (const std::filesystem::path& folder : {scratch.path(), std::filesystem::current_path()}) {
    const std::filesystem::path file = folder / "disk_read_test";
    for (const std::size_t size :
         {0ul, 1ul, 4095ul, 4096ul, kDiskPieceBytes, kDiskPieceBytes + 1, 3 * kDiskPieceBytes - 1}) {
      std::string text(size, '\0');
      for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 7 + i / 4096);
      std::ofstream(file) << text;
      std::string got;
      std::size_t pieces = 0;
      const auto read = read_from_disk(file, [&](ByteView piece) -> Result<void> {
        got += as_text(piece);
        ++pieces;
        return {};
      });
      ASSERT_TRUE(read) << read.error().message();
      EXPECT_TRUE(got == text) << size;
      EXPECT_EQ(pieces, (size + kDiskPieceBytes - 1) / kDiskPieceBytes);
    }
    EXPECT_EQ(read_from_disk(file, [](ByteView) { return Result<void>(Error(Code::kInvalid, "enough")); }),
              Code::kInvalid);
    std::filesystem::remove(file);
    EXPECT_EQ(read_from_disk(file, [](ByteView) { return Result<void>(); }), Code::kNotFound);
  }
}

}  // namespace
}  // namespace frond::files
