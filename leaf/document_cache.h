#pragma once
// The leaf's cache of stored fields, which its partitions share.
#include <memory>

#include "common/metrics/registry.h"
#include "common/partition/documents/document_block_cache.h"
#include "leaf/options.h"

namespace frond::leaf {

// Makes the cache that the options ask for, and exports its state as metrics. Null: the options want none; its metrics
// are then 0.
std::shared_ptr<partition::DocumentBlockCache> make_document_cache(const Options& options, metrics::Registry& registry);

}  // namespace frond::leaf
