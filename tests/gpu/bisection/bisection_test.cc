// The order that a device finds is the CPU's, to the document.
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "indexer/order/gpu/device_bisection.h"
#include "indexer/order/graph_bisection.h"
#include "tests/support/forward_indexes.h"

namespace frond::indexer::order::gpu {
namespace {

constexpr std::uint64_t kBytes = std::uint64_t{512} << 20;

void expect_same(const ForwardIndex& index, const std::string& what) {
  const auto got = bisect_on_device(index, 0, kBytes, {});
  ASSERT_TRUE(got) << got.error().message();
  ASSERT_EQ(*got, bisect(index, 1, {})) << what;
}

TEST(DeviceBisection, GivesTheOrderOfTheCpu) {
  for (const std::uint32_t documents : {0u, 1u, 2u, 15u, 16u, 17u, 31u, 32u, 33u, 34u, 67u, 127u, 513u, 1023u}) {
    for (const std::uint32_t topics : {1u, 7u}) {
      const std::uint32_t seed = documents * 31 + topics;
      expect_same(support::topical_documents(seed, documents, topics),
                  "seed " + std::to_string(seed) + ", " + std::to_string(documents) + " documents");
    }
  }
}

TEST(DeviceBisection, GivesTheOrderOfTheCpuForManyDocuments) {
  expect_same(support::topical_documents(3, 5'011, 23), "seed 3");
}

// All preferences are alike: documents are told apart by half and number alone.
TEST(DeviceBisection, GivesTheOrderOfTheCpuForEqualDocuments) {
  for (const std::uint32_t terms : {0u, 1u, 100u}) {
    ForwardIndex index;
    index.terms = terms;
    for (std::uint32_t document = 0; document < 777; ++document) {
      for (std::uint32_t term = 0; term < terms; ++term) index.term_numbers.push_back(term);
      index.begins.push_back(index.term_numbers.size());
    }
    expect_same(index, std::to_string(terms) + " terms");
  }
}

// Two kinds of documents in turn, and one that has all terms.
TEST(DeviceBisection, GivesTheOrderOfTheCpuForTwoKindsOfDocuments) {
  ForwardIndex index;
  index.terms = 1000;
  for (std::uint32_t document = 0; document < 600; ++document) {
    for (std::uint32_t term = 0; term < index.terms; ++term)
      if (document == 300 || term % 50 == document % 2) index.term_numbers.push_back(term);
    index.begins.push_back(index.term_numbers.size());
  }
  expect_same(index, "two kinds");
}

TEST(DeviceBisection, SaysThatItDoesNotFit) {
  const ForwardIndex index = support::topical_documents(1, 500, 3);
  const auto got = bisect_on_device(index, 0, 10'000, {});
  ASSERT_EQ(got, Code::kDevice);
  EXPECT_NE(got.error().message().find("it may use 0"), std::string::npos) << got.error().message();
}

TEST(DeviceBisection, LeavesTheInputsOrderWhenItIsStopped) {
  const ForwardIndex index = support::topical_documents(1, 500, 3);
  std::stop_source stop;
  stop.request_stop();
  std::vector<std::uint32_t> same(500);
  std::iota(same.begin(), same.end(), 0u);
  EXPECT_EQ(bisect_on_device(index, 0, kBytes, stop.get_token()).value(), same);
}

}  // namespace
}  // namespace frond::indexer::order::gpu
