// Every compression: complete, in several streams, truncated, damaged.
#include "indexer/ingest/streams/decompress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "indexer/ingest/streams/byte_source.h"
#include "tests/unit/indexer/ingest/files.h"

namespace frond::indexer::ingest {
namespace {

using testing::HasSubstr;

struct Kind {
  Compression compression;
  std::string (*compress)(std::string_view);
};
std::ostream& operator<<(std::ostream& out, const Kind& kind) { return out << name_of(kind.compression); }

Result<std::string> read_all(const std::filesystem::path& path) {
  const std::unique_ptr<ByteSource> source = FROND_TRY(ByteSource::open(path));
  std::string all;
  for (;;) {
    const ByteView piece = FROND_TRY(source->read());
    if (piece.empty()) return all;
    all += as_text(piece);
  }
}
std::string some_text(std::size_t bytes) {
  std::mt19937 random(5);
  std::string text;
  while (text.size() < bytes) text += "word" + std::to_string(random() % 5000) + (random() % 9 ? " " : "\n");
  return text;
}

class EveryCompression : public testing::TestWithParam<Kind> {
 protected:
  const support::ScratchFolder folder_;
};

TEST_P(EveryCompression, GivesBackWhatWentIn) {
  for (const std::size_t bytes : {0, 1, 1000, 3000000}) {
    const std::string text = some_text(bytes);
    EXPECT_TRUE(read_all(write_in(folder_, "x", GetParam().compress(text))) == text) << bytes;
  }
}
TEST_P(EveryCompression, IsToldByContent) {
  EXPECT_EQ(sniff_compression(as_bytes(GetParam().compress("text"))), GetParam().compression);
  EXPECT_EQ(sniff_compression(as_bytes(GetParam().compress(""))), GetParam().compression);
  EXPECT_EQ(sniff_compression(as_bytes("BZh9 is no stream")), Compression::kNone);
}
TEST_P(EveryCompression, ReadsStreamsEndToEnd) {
  const std::string one = some_text(100000), two = "\nsecond\n";
  const std::string stored = GetParam().compress(one) + GetParam().compress("") + GetParam().compress(two);
  EXPECT_TRUE(read_all(write_in(folder_, "x", stored)) == one + two);
}
TEST_P(EveryCompression, NamesFileAndPlaceOfEveryTruncation) {
  const std::string stored = GetParam().compress(some_text(2000));
  for (std::size_t bytes = kCompressionSniffBytes; bytes < stored.size(); bytes += 1 + bytes / 20) {
    const Result<std::string> got = read_all(write_in(folder_, "cut", stored.substr(0, bytes)));
    ASSERT_EQ(got, Code::kCorrupt) << bytes;
    ASSERT_THAT(got.error().message(), HasSubstr("cut: at byte " + std::to_string(bytes) + ": ")) << bytes;
  }
}
TEST_P(EveryCompression, FindsDamageInTheMiddle) {
  std::string stored = GetParam().compress(some_text(600000));
  stored[stored.size() / 2] = static_cast<char>(stored[stored.size() / 2] ^ 0x55);
  EXPECT_EQ(read_all(write_in(folder_, "x", stored)), Code::kCorrupt);
}
TEST_P(EveryCompression, RefusesOtherBytesBehindTheEnd) {
  EXPECT_EQ(read_all(write_in(folder_, "x", GetParam().compress("text") + "not compressed at all")), Code::kCorrupt);
}
INSTANTIATE_TEST_SUITE_P(
    All, EveryCompression,
    testing::Values(Kind{Compression::kGzip, gzipped}, Kind{Compression::kBzip2, bzipped},
                    Kind{Compression::kZstd, [](std::string_view text) { return zstd_compressed(text); }},
                    Kind{Compression::kXz, [](std::string_view text) { return xz_compressed(text); }}),
    [](const auto& kind) { return std::string(name_of(kind.param.compression)); });

TEST(Gzip, AllowsPaddingAtTheEndOnly) {
  const support::ScratchFolder folder;
  EXPECT_EQ(read_all(write_in(folder, "x", gzipped("text") + std::string(300000, '\0'))), std::string("text"));
  EXPECT_EQ(read_all(write_in(folder, "y", gzipped("a") + std::string(10, '\0') + gzipped("b"))), Code::kCorrupt);
}
TEST(Xz, RefusesADictionaryThatIsTooLarge) {
  const support::ScratchFolder folder;
  EXPECT_EQ(read_all(write_in(folder, "x", xz_compressed("text", 64 << 20))), std::string("text"));
  const Result<std::string> got = read_all(write_in(folder, "y", xz_compressed("text", 256 << 20)));
  ASSERT_EQ(got, Code::kInvalid);
  EXPECT_THAT(got.error().message(), HasSubstr("xz: a dictionary that takes 257 MiB; at most 80 MiB are read"));
}
// The memory that a block needs is reported before it is allocated, and again only if a later block needs more. A block
// that needs more than the limits allow is refused.
TEST(Xz, TellsItsMemoryAndIsRefusedWhereThatIsTooMuch) {
  const std::string stored = xz_compressed(some_text(100000), 8 << 20) + xz_compressed("short", 1 << 20);
  for (const std::size_t piece : {stored.size(), std::size_t{1}})
    for (const std::uint64_t most : {std::uint64_t{9} << 20, std::uint64_t{8} << 20}) {
      std::vector<std::uint64_t> told;
      InputLimits limits = InputLimits::of(std::uint64_t{64} << 20);
      limits.window_bytes = most;
      limits.on_window = [&](std::uint64_t bytes) { told.push_back(bytes); };
      const auto decompressor = Decompressor::create(Compression::kXz, limits).value();
      std::vector<std::byte> out(200000);
      ByteView in = as_bytes(stored);
      Result<Decompressor::Progress> progress = Decompressor::Progress{};
      std::size_t produced = 0;
      while (!in.empty()) {
        progress = decompressor->step(in.first(std::min(piece, in.size())), out);
        if (!progress) break;
        produced += progress->produced;
        in = in.subspan(progress->consumed);
      }
      if (most == std::uint64_t{9} << 20) {
        EXPECT_TRUE(progress);
        EXPECT_GE(produced, 100000u);
        ASSERT_EQ(told.size(), 1u);
        EXPECT_GE(told[0], std::uint64_t{8} << 20);
        EXPECT_LE(told[0], most);
      } else {
        ASSERT_EQ(progress, Code::kInvalid);
        EXPECT_THAT(progress.error().message(), HasSubstr("xz: a dictionary that takes 9 MiB"));
        EXPECT_THAT(progress.error().message(), HasSubstr("--memory-limit (64 MiB); it takes a limit of 65 MiB"));
        EXPECT_EQ(produced, 0u);
        EXPECT_TRUE(told.empty());
      }
    }
}
TEST(Zstd, ReadsLongWindows) {
  const support::ScratchFolder folder;
  // Random bytes repeated further apart than the usual window.
  std::mt19937_64 random(1);
  std::string block(9 << 20, '\0');
  for (std::size_t i = 0; i + 8 <= block.size(); i += 8) store_le(reinterpret_cast<std::byte*>(&block[i]), random());
  const std::string text = block + block, stored = zstd_compressed(text, 31);
  ASSERT_LT(stored.size(), text.size() * 2 / 3);
  EXPECT_TRUE(read_all(write_in(folder, "x", stored)) == text);
}
// A frame's window is reported before anything is decompressed, and refused if it is larger than allowed, however the
// input is cut into pieces.
TEST(Zstd, TellsItsWindowAndIsRefusedWhereThatIsTooLong) {
  const std::string stored = zstd_compressed(some_text(100000), 27) + zstd_compressed("short", 20);
  for (const std::size_t piece : {stored.size(), std::size_t{1}})
    for (const std::uint64_t most : {std::uint64_t{1} << 27, (std::uint64_t{1} << 27) - 1}) {
      std::vector<std::uint64_t> told;
      InputLimits limits = InputLimits::of(std::uint64_t{1} << 30);
      limits.window_bytes = most;
      limits.on_window = [&](std::uint64_t bytes) { told.push_back(bytes); };
      const auto decompressor = Decompressor::create(Compression::kZstd, limits).value();
      std::vector<std::byte> out(200000);
      ByteView in = as_bytes(stored);
      Result<Decompressor::Progress> progress = Decompressor::Progress{};
      std::size_t produced = 0;
      while (progress && !in.empty()) {
        progress = decompressor->step(in.first(std::min(piece, in.size())), out);
        if (!progress) break;
        EXPECT_TRUE(progress->produced == 0 || !told.empty());
        produced += progress->produced;
        in = in.subspan(progress->consumed);
      }
      if (most == std::uint64_t{1} << 27) {
        EXPECT_TRUE(progress);
        EXPECT_EQ(told, std::vector{most});
      } else {
        ASSERT_EQ(progress, Code::kInvalid);
        EXPECT_THAT(progress.error().message(), HasSubstr("a window of 128 MiB"));
        EXPECT_THAT(progress.error().message(), HasSubstr("a limit of 1024 MiB"));
        EXPECT_EQ(produced, 0u);
        EXPECT_TRUE(told.empty());
      }
    }
}
TEST(Zstd, HasTheWindowOfItsContentWhereThatIsOneSegment) {
  // RFC 8878, 3.1.1.1: descriptors with sizes of 1, 2, 4 and 8 bytes, one segment.
  const std::pair<std::string, std::uint64_t> heads[] = {
      {std::string("\x28\xb5\x2f\xfd\x20\x05", 6), 5},
      {std::string("\x28\xb5\x2f\xfd\x60\x00\x01", 7), 512},
      {std::string("\x28\xb5\x2f\xfd\xa0\x00\x00\x00\x40", 9), 1 << 30},
      {std::string("\x28\xb5\x2f\xfd\xe1\x07\x00\x00\x00\x00\x01\x00\x00\x00", 14), std::uint64_t{1} << 32}};
  for (const auto& [head, window] : heads) {
    InputLimits limits = InputLimits::of(std::uint64_t{1} << 30);
    std::uint64_t told = 0;
    limits.on_window = [&](std::uint64_t bytes) { told = bytes; };
    const auto decompressor = Decompressor::create(Compression::kZstd, limits).value();
    std::array<std::byte, 64> out;
    const auto progress = decompressor->step(as_bytes(head), out);
    if (window <= limits.window_bytes)
      EXPECT_EQ(told, window);
    else
      EXPECT_EQ(progress, Code::kInvalid) << window;
  }
}
// A frame of version 0.5 behind a skippable one. Found by fuzzing.
TEST(Zstd, RefusesFramesOfFormatsBeforeItsFirst) {
  const std::string_view text("\x50\x2a\x4d\x18\x02\x00\x00\x00x$\x25\xb5\x2f\xfd\x09\x00\x00\x00", 18);
  const ByteView whole = as_bytes(text);
  for (const std::size_t piece : {whole.size(), std::size_t{1}}) {
    const auto decompressor = Decompressor::create(Compression::kZstd).value();
    std::array<std::byte, 64> out;
    ByteView in = whole;
    Result<Decompressor::Progress> progress = Decompressor::Progress{};
    while (progress && !in.empty()) {
      progress = decompressor->step(in.first(std::min(piece, in.size())), out);
      if (progress) in = in.subspan(progress->consumed);
    }
    EXPECT_EQ(progress, Code::kCorrupt) << "in pieces of " << piece;
  }
}

TEST(Zstd, PassesOverSkippableFrames) {
  const support::ScratchFolder folder;
  const std::string skippable("\x50\x2a\x4d\x18\x04\x00\x00\x00meta", 12);
  EXPECT_EQ(
      read_all(write_in(folder, "x", skippable + zstd_compressed("a") + skippable + zstd_compressed("b") + skippable)),
      std::string("ab"));
}
TEST(ByteSource, ReadsPlainFilesAsTheyAre) {
  const support::ScratchFolder folder;
  const std::string text = some_text(1000000);
  EXPECT_TRUE(read_all(write_in(folder, "x", text)) == text);
  EXPECT_EQ(read_all(write_in(folder, "y", "ab")), std::string("ab"));
  EXPECT_EQ(read_all(folder.path() / "none"), Code::kUnavailable);
}

}  // namespace
}  // namespace frond::indexer::ingest
