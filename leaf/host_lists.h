#pragma once
// The posting lists of the open partitions, cached in host memory if the options set a cache size.
#include "common/base/deadline.h"
#include "common/metrics/registry.h"
#include "leaf/accelerator.h"
#include "leaf/generation/generation_loader.h"
#include "leaf/lists/cached_list_store.h"
#include "leaf/lists/partition_list_store.h"
#include "leaf/options.h"
#include "leaf/serve/leaf_service.h"

namespace frond::leaf {

class HostLists {
 public:
  // `gpu` may be null. All outlive this; this outlives the registry's last exposition.
  HostLists(const Options& options, const Clock& clock, Accelerator* gpu, metrics::Registry& registry);
  HostLists(const HostLists&) = delete;
  HostLists& operator=(const HostLists&) = delete;

  lists::ListStore& store() { return cache_.budget_bytes() != 0 ? static_cast<lists::ListStore&>(cache_) : stored_; }
  // Adds the partitions that are opened, and removes those that are closed, here and on the GPU.
  const generation::ListRegistration& registration() const { return registration_; }
  serve::CacheState cache_state() const;

 private:
  lists::PartitionListStore stored_;
  lists::CachedListStore cache_;
  const generation::ListRegistration registration_;
};

}  // namespace frond::leaf
