// What is in flight is bounded, and comes out in order.
#include "indexer/pipeline/batch_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <thread>

namespace frond::indexer::pipeline {
namespace {

TEST(BatchPool, AdmitsAnOutsizedBatchOnlyAlone) {
  BatchPool pool(3, 100);
  Batch* const small = pool.acquire({});
  Batch* const large = pool.acquire({});
  small->record_bytes = 60;
  large->record_bytes = 1'000;
  EXPECT_TRUE(pool.admit(*small, {}));
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_FALSE(pool.admit(*large, stopped.get_token()));
  pool.release(*small);
  EXPECT_TRUE(pool.admit(*large, {}));
  pool.release(*large);
}

TEST(BatchPool, HasNoMoreBatchesThanItWasGiven) {
  BatchPool pool(1, 100);
  Batch* const only = pool.acquire({});
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_EQ(pool.acquire(stopped.get_token()), nullptr);
  ASSERT_TRUE(pool.admit(*only, {}));
  only->records.resize(3);
  pool.release(*only);
  EXPECT_EQ(pool.acquire({}), only);
  EXPECT_TRUE(only->records.empty());
}

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
