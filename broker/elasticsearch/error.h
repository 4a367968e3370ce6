#pragma once
// What the indexer's service knows of Elasticsearch, too: errors, JSON, mappings, documents, dates.
#include "common/elasticsearch/error.h"

namespace frond::query {}
namespace frond::broker::elasticsearch {
using namespace frond::elasticsearch;
namespace query = frond::query;  // not broker::query
}  // namespace frond::broker::elasticsearch
