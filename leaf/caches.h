#pragma once
// The leaf's caches in host memory, as the options set them, and their metrics: posting lists, stored fields, what
// searches found out about terms, their filters, and the numbers of keywords.
#include <memory>

#include "common/base/deadline.h"
#include "common/metrics/registry.h"
#include "common/partition/documents/document_block_cache.h"
#include "leaf/accelerator.h"
#include "leaf/collect/keyword_cache.h"
#include "leaf/generation/generation_loader.h"
#include "leaf/lists/cached_list_store.h"
#include "leaf/lists/partition_list_store.h"
#include "leaf/options.h"
#include "leaf/serve/leaf_service.h"
#include "leaf/serve/search/filter_cache.h"
#include "leaf/serve/search/term_table.h"

namespace frond::leaf {

// The posting lists of the open partitions, cached if the options set a cache size.
class HostLists {
 public:
  // `gpu` may be null. All outlive this; this outlives the registry's last exposition.
  HostLists(const Options& options, const Clock& clock, Accelerator* gpu, collect::KeywordCache& keywords,
            metrics::Registry& registry);
  HostLists(const HostLists&) = delete;
  HostLists& operator=(const HostLists&) = delete;

  lists::ListStore& store() { return cache_.budget_bytes() != 0 ? static_cast<lists::ListStore&>(cache_) : stored_; }
  // Adds the partitions that are opened, and removes those that are closed, here, on the GPU and among the keywords.
  const generation::ListRegistration& registration() const { return registration_; }
  serve::CacheState cache_state() const;

 private:
  lists::PartitionListStore stored_;
  lists::CachedListStore cache_;
  const generation::ListRegistration registration_;
};

// The cache of stored fields, which the partitions share. Null: the options want none; its metrics
// are then 0.
std::shared_ptr<partition::DocumentBlockCache> make_document_cache(const Options& options, metrics::Registry& registry);

// The table of terms, which searches share.
std::shared_ptr<serve::TermTable> make_term_table(const Options& options, metrics::Registry& registry);

// The filters that searches share.
std::shared_ptr<serve::FilterCache> make_filter_cache(const Options& options, metrics::Registry& registry);

// The numbers of keywords that facets share.
std::shared_ptr<collect::KeywordCache> make_keyword_cache(const Options& options, metrics::Registry& registry);

}  // namespace frond::leaf
