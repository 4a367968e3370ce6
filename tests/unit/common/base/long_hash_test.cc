// Whatever instructions compute them: hashes are those of the library.
#include "common/base/long_hash.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <memory>
#include <random>

namespace frond {
namespace {

constexpr std::uint32_t kSeed = 20261126;

ByteBuffer random_bytes(std::size_t count) {
  std::mt19937 random(kSeed);
  ByteBuffer bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// Around the sizes at which XXH3 changes its way, and any place in memory.
TEST(LongHash, IsTheLibrarysOfAnySize) {
  const ByteBuffer bytes = random_bytes(300'000);
  for (const std::size_t size :
       {0u, 1u, 8u, 16u, 17u, 128u, 129u, 240u, 241u, 256u, 1023u, 1024u, 1025u, 4096u, 65'537u, 299'000u})
    for (const std::size_t from : {0u, 1u, 63u, 64u}) {
      const ByteView view = ByteView(bytes).subspan(from, size);
      EXPECT_EQ(long_hash(view), XXH3_64bits(view.data(), view.size())) << size << " bytes from " << from;
      EXPECT_EQ(long_hash(view, 77), XXH3_64bits_withSeed(view.data(), view.size(), 77)) << size;
    }
}

TEST(LongHash, IsTheLibrarysOfPieces) {
  using State = std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)>;
  const ByteBuffer bytes = random_bytes(500'000);
  std::mt19937 random(kSeed);
  for (int round = 0; round < 20; ++round) {
    const State state128(XXH3_createState(), &XXH3_freeState);
    XXH3_128bits_reset(state128.get());
    std::size_t size = 0;
    while (size < 400'000) {
      const std::size_t piece = random() % 3 == 0 ? random() % 300 : random() % 90'000;
      update_long_hash_128(state128.get(), ByteView(bytes).subspan(size, piece));
      size += piece;
    }
    EXPECT_TRUE(XXH128_isEqual(XXH3_128bits_digest(state128.get()), XXH3_128bits(bytes.data(), size)))
        << "seed " << kSeed;
  }
}

}  // namespace
}  // namespace frond
