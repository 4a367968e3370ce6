// Large files give by several threads what they give by one.
#include "indexer/ingest/streams/read_ahead.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "common/files/descriptor.h"
#include "indexer/ingest/streams/byte_source.h"
#include "tests/unit/indexer/ingest/files.h"

namespace frond::indexer::ingest {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMany = ReadAhead::kMinBytes + (300 << 10);  // with what is read to tell the compression

std::string noise(std::size_t bytes) {
  std::mt19937_64 random(bytes);
  std::string text;
  while (text.size() < bytes) text += std::to_string(random()) + "\n";
  text.resize(bytes);
  return text;
}

std::string read_all(const fs::path& path, std::uint32_t threads, std::uint64_t memory_limit = 0) {
  InputLimits limits;
  limits.threads = threads;
  limits.memory_limit = memory_limit;
  const auto source = ByteSource::open(path, limits).value();
  std::string content;
  for (;;) {
    const ByteView piece = source->read().value();
    if (piece.empty()) break;
    content.append(as_text(piece));
  }
  EXPECT_EQ(source->stored_bytes_read(), content.size());
  return content;
}

TEST(ReadAhead, GivesWhatOneThreadReads) {
  const support::ScratchFolder folder;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{3} << 20, kMany, kMany + 1,
                                  std::size_t{24} << 20, (std::size_t{24} << 20) + (256 << 10)}) {
    const std::string text = noise(bytes);
    const fs::path path = write_in(folder, "file", text);
    for (const std::uint32_t threads : {1u, 8u, 64u}) EXPECT_TRUE(read_all(path, threads) == text) << bytes;
    EXPECT_TRUE(read_all(path, 64, std::uint64_t{256} << 20) == text);
  }
}

// Who takes blocks faster than they are read gets none twice.
TEST(ReadAhead, WaitsForTheNextBlock) {
  const support::ScratchFolder folder;
  std::string text;
  constexpr std::size_t kBlocks = 40;
  for (std::size_t block = 0; block < kBlocks; ++block)
    text.append(ReadAhead::kBlockBytes, static_cast<char>('A' + block));
  const fs::path path = write_in(folder, "file", text);
  const files::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  ReadAhead reads(file.get(), 0, 2, 4);
  for (std::size_t block = 0; block < kBlocks; ++block) {
    const std::string_view piece = as_text(reads.next().value());
    ASSERT_EQ(piece.size(), ReadAhead::kBlockBytes);
    ASSERT_EQ(piece.front(), static_cast<char>('A' + block));
    ASSERT_EQ(piece.back(), static_cast<char>('A' + block));
  }
}

TEST(ReadAhead, GivesItsBlocksAway) {
  const support::ScratchFolder folder;
  const std::string text = noise(5 * ReadAhead::kBlockBytes + 7);
  const fs::path path = write_in(folder, "file", text);
  const files::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  ReadAhead reads(file.get(), 0, 2, 4);
  std::string got, memory(100, 'x');
  while (!reads.next().value().empty()) {
    const std::uint64_t lines = reads.lines();
    const std::string block = reads.take(std::move(memory));
    EXPECT_EQ(lines, static_cast<std::uint64_t>(std::count(block.begin(), block.end(), '\n')));
    got += block;
    memory = block + "more";
  }
  EXPECT_TRUE(got == text);
  EXPECT_TRUE(reads.next().value().empty());
}

TEST(ReadAhead, TakesTheMemoryOfTheFileBefore) {
  const support::ScratchFolder folder;
  const std::string text = noise(5 * ReadAhead::kBlockBytes + 7);
  support::write_file(folder / "text", text);
  const auto memory = std::make_shared<ReadMemory>();
  for (int round = 0; round < 3; ++round) {
    const files::Descriptor file(::open((folder / "text").c_str(), O_RDONLY));
    {
      ReadAhead reads(file.get(), 0, 2, 4, memory);
      EXPECT_TRUE(memory->empty());
      std::string got;
      for (;;) {
        const std::string_view piece = as_text(reads.next().value());
        if (piece.empty()) break;
        got += piece;
      }
      EXPECT_EQ(got, text);
    }
    EXPECT_EQ(memory->size(), 4u);
  }
  EXPECT_EQ(ReadAhead::blocks_a_thread(0), 2u);
  EXPECT_EQ(ReadAhead::blocks_a_thread(std::uint64_t{16} << 30), 4u);
  EXPECT_EQ(ReadAhead::blocks_a_thread(std::uint64_t{400} << 30), 8u);
}

TEST(ReadAhead, StaysAtTheEnd) {
  const support::ScratchFolder folder;
  for (const std::size_t bytes : {ReadAhead::kBlockBytes, 3 * ReadAhead::kBlockBytes + 5}) {
    const fs::path path = write_in(folder, "file", noise(bytes));
    const files::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    ReadAhead reads(file.get(), 0, 3, 6);
    std::size_t got = 0;
    for (std::size_t piece = reads.next().value().size(); piece > 0; piece = reads.next().value().size()) got += piece;
    EXPECT_EQ(got, bytes);
    EXPECT_TRUE(reads.next().value().empty());
  }
}

TEST(ReadAhead, MayEndBeforeTheFile) {
  const support::ScratchFolder folder;
  const fs::path path = write_in(folder, "file", noise(std::size_t{9} << 20));
  const files::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  for (int taken = 0; taken < 4; ++taken) {
    ReadAhead reads(file.get(), 5, 2, 4);
    for (int i = 0; i < taken; ++i) EXPECT_EQ(reads.next().value().size(), ReadAhead::kBlockBytes);
  }
}

TEST(ReadAhead, SaysWhyItCannotRead) {
  const support::ScratchFolder folder;
  const files::Descriptor file(::open(folder.path().c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY));
  ReadAhead reads(file.get(), 0, 2, 4);
  for (int i = 0; i < 3; ++i) {
    const auto got = reads.next();
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code(), Code::kUnavailable);
    EXPECT_EQ(got.error().message(), "Is a directory");
  }
}

}  // namespace
}  // namespace frond::indexer::ingest
