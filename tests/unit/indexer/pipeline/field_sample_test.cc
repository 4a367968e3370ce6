// The sample is bounded, spread over all documents, and depends on their numbers only.
#include "indexer/pipeline/field_sample.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

namespace frond::indexer::pipeline {
namespace {

ByteBuffer fields_of(std::uint64_t number, std::size_t bytes) {
  ByteBuffer fields(bytes, std::byte{static_cast<std::uint8_t>(number)});
  return fields;
}

TEST(FieldSample, HasEveryNthDocumentAndIsBounded) {
  FieldSample sample;
  constexpr std::uint64_t kDocuments = 50'000;
  constexpr std::size_t kBytes = 1'000;
  for (std::uint64_t number = 0; number < kDocuments; ++number) {
    sample.add(number, fields_of(number, kBytes));
    ASSERT_LE(sample.bytes().size(), FieldSample::kMaxBytes);
  }
  // 50 MB in at most 2 MiB: every 32nd.
  ASSERT_EQ(sample.sizes().size(), (kDocuments + 31) / 32);
  EXPECT_EQ(std::accumulate(sample.sizes().begin(), sample.sizes().end(), std::size_t{0}), sample.bytes().size());
  for (std::size_t i = 0; i < sample.sizes().size(); ++i)
    ASSERT_EQ(sample.bytes()[i * kBytes], std::byte{static_cast<std::uint8_t>(32 * i)}) << i;
}

TEST(FieldSample, CutsLongDocuments) {
  FieldSample sample;
  sample.add(0, fields_of(0, 10 * FieldSample::kMaxBytes));
  sample.add(1, fields_of(1, 5));
  ASSERT_EQ(sample.sizes().size(), 2u);
  EXPECT_EQ(sample.sizes()[0], FieldSample::kMaxDocumentBytes);
  EXPECT_EQ(sample.sizes()[1], 5u);
}

TEST(FieldSample, IsThinnedToFewerDocuments) {
  FieldSample sample;
  for (std::uint64_t i = 0; i < 3000; ++i) sample.add(i, fields_of(i, 1000));
  const FieldSample fewer = sample.thinned(sample.bytes().size() / 3);
  EXPECT_EQ(fewer.stride(), 4 * sample.stride());
  EXPECT_LE(fewer.bytes().size(), sample.bytes().size() / 3);
  EXPECT_EQ(fewer.sizes().size(), (sample.sizes().size() + 3) / 4);
  EXPECT_NEAR(static_cast<double>(fewer.estimated_bytes()), static_cast<double>(sample.estimated_bytes()), 5000);
  EXPECT_EQ(sample.thinned(sample.bytes().size()).bytes().size(), sample.bytes().size());
}

TEST(FieldSample, IsAllDocumentsIfTheyAreFew) {
  FieldSample sample;
  for (std::uint64_t number = 0; number < 10; ++number) sample.add(number, fields_of(number, number));
  EXPECT_EQ(sample.sizes().size(), 10u);
  EXPECT_EQ(sample.bytes().size(), 45u);
}

}  // namespace
}  // namespace frond::indexer::pipeline
