// Batches in flight are bounded.
#include "indexer/pipeline/batch.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace frond::indexer::pipeline
