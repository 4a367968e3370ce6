// Batches come out in input order.
#include "indexer/pipeline/reorder_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <thread>

namespace frond::indexer::pipeline {
namespace {

TEST(ReorderBuffer, GivesBatchesInInputOrder) {
  std::mt19937 random(4);
  std::vector<Batch> batches(200);
  std::vector<std::size_t> order(batches.size());
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), random);
  ReorderBuffer buffer;
  std::jthread producer([&] {
    for (const std::size_t i : order) {
      batches[i].sequence = i;
      buffer.put(batches[i]);
    }
    buffer.close(batches.size());
  });
  for (std::size_t i = 0; i < batches.size(); ++i) EXPECT_EQ(buffer.next({}), &batches[i]);
  EXPECT_EQ(buffer.next({}), nullptr);
}

}  // namespace
}  // namespace frond::indexer::pipeline
