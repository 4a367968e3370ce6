// Files of many streams give by several threads what they give by one: content, and errors.
#include "indexer/ingest/streams/read_ahead.h"

#include <gtest/gtest.h>

#include <random>

#include "indexer/ingest/streams/byte_source.h"
#include "tests/unit/indexer/ingest/files.h"

namespace frond::indexer::ingest {
namespace {

namespace fs = std::filesystem;

struct Read {
  std::string content, error;
  std::uint64_t stored = 0, window = 0;
  // Without the place, which is where the piece began that was being decompressed.
  std::string what() const { return error.substr(std::min(error.find(": ", error.find("at byte")), error.size())); }
};
Read read(const fs::path& path, std::uint32_t threads, std::uint64_t window_bytes = std::uint64_t{128} << 20) {
  Read got;
  InputLimits limits;
  limits.threads = threads;
  limits.window_bytes = window_bytes;
  limits.on_window = [&](std::uint64_t bytes) { got.window = std::max(got.window, bytes); };
  const auto source = ByteSource::open(path, limits).value();
  for (;;) {
    const Result<ByteView> piece = source->read();
    if (!piece) got.error = piece.error().message();
    if (!piece || piece->empty()) break;
    got.content.append(as_text(*piece));
  }
  got.stored = source->stored_bytes_read();
  return got;
}

// Text that takes about as many bytes when it is compressed.
std::string noise(std::mt19937& random, std::size_t bytes) {
  std::string text(bytes, ' ');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

class UnpackAhead : public testing::TestWithParam<Compression> {
 protected:
  std::string packed(std::string_view plain) const {
    return GetParam() == Compression::kGzip ? gzipped(plain) : bzipped(plain);
  }
  // Compares one thread and three, and gives what three read.
  Read expect_the_same(const std::string& stored) {
    const fs::path path = write_in(folder_, "file", stored);
    const Read one = read(path, 1);
    Read three = read(path, 3);
    EXPECT_EQ(one.what(), three.what());
    if (one.error.empty()) {
      EXPECT_TRUE(one.content == three.content)
          << one.content.size() << " bytes by one thread, " << three.content.size() << " by three";
      EXPECT_EQ(one.stored, three.stored);
    }
    return three;
  }
  support::ScratchFolder folder_;
};

TEST_P(UnpackAhead, GivesTheContentOfManyStreams) {
  std::mt19937 random(3);
  for (const std::size_t bytes : {1'000u, 40'000u, 1'000'000u}) {
    std::string stored, plain;
    while (stored.size() < (2u << 20)) {
      const std::string part = noise(random, 1 + random() % bytes) + std::string(random() % bytes, 'x');
      plain += part;
      stored += packed(part) + (random() % 10 == 0 ? packed("") : "");
    }
    const Read got = expect_the_same(stored);
    EXPECT_TRUE(got.content == plain);
    EXPECT_GT(got.window, 0u);
    EXPECT_LE(got.window, 64u << 20);
  }
}
TEST_P(UnpackAhead, TakesNoThreadsForOneStreamOrLittleMemory) {
  std::mt19937 random(4);
  const std::string small = packed("words"), two = packed(noise(random, 300'000)) + packed(noise(random, 300'000));
  EXPECT_EQ(expect_the_same(small).window, 0u);
  EXPECT_GT(expect_the_same(two).window, 0u);
  EXPECT_EQ(read(write_in(folder_, "two", two), 3, 16 << 20).window, 0u);
}
// Which records fit into the memory depends on this.
TEST_P(UnpackAhead, SaysTheSameOfItsMemoryForAnyNumberOfThreads) {
  const fs::path path = write_in(folder_, "file", packed("words"));
  for (const std::uint32_t threads : {1u, 2u, 16u}) {
    InputLimits limits;
    limits.threads = threads;
    limits.window_bytes = 100 << 20;
    EXPECT_EQ(ByteSource::open(path, limits).value()->window_bytes(), 50u << 20);
  }
}
TEST_P(UnpackAhead, FindsDamageWhereOneThreadFindsIt) {
  std::mt19937 random(5);
  std::string good;
  for (int i = 0; i < 12; ++i) good += packed(noise(random, 60'000));
  for (int i = 0; i < 16; ++i) {
    std::string stored = good;
    const std::size_t at = random() % stored.size();
    switch (i % 4) {
      case 0:
        stored[at] = static_cast<char>(stored[at] ^ 0x55);
        break;
      case 1:
        stored.resize(at);
        break;
      case 2:
        stored.insert(at, "BZh91AY&SY \x1f\x8b\x08\0\0\0\0\0\0\0\0");
        break;
      default:
        stored.erase(at, 1 + random() % 300'000);
    }
    expect_the_same(stored);
  }
  // Padding behind the last stream is allowed, streams behind padding are not.
  expect_the_same(good + std::string(1000, '\0'));
  EXPECT_NE(expect_the_same(good + std::string(1000, '\0') + good).error, "");
  EXPECT_NE(expect_the_same(good + "bytes").error, "");
}
// Streams whose content looks like beginnings of streams: stored, not compressed.
TEST_P(UnpackAhead, IsNotMisledByWhatLooksLikeABeginning) {
  std::mt19937 random(6);
  std::string stored, plain;
  for (int i = 0; i < 6; ++i) {
    std::string part;
    while (part.size() < 400'000) part += noise(random, random() % 30'000) + packed("x").substr(0, 12 + random() % 30);
    plain += part;
    stored += packed(part);
  }
  const Read got = expect_the_same(stored);
  EXPECT_TRUE(got.content == plain);
}
TEST_P(UnpackAhead, ReadsAPartThatGrowsPastItsMemoryPieceByPiece) {
  std::string stored;
  std::mt19937 random(7);
  for (int i = 0; i < 2; ++i) stored += packed(noise(random, 200'000)) + packed(std::string(20 << 20, 'a'));
  EXPECT_EQ(expect_the_same(stored).content.size(), 2u * (200'000 + (20u << 20)));
}
INSTANTIATE_TEST_SUITE_P(All, UnpackAhead, testing::Values(Compression::kGzip, Compression::kBzip2),
                         [](const auto& which) { return std::string(name_of(which.param)); });

}  // namespace
}  // namespace frond::indexer::ingest
