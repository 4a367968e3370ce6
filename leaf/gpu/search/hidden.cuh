#pragma once
// Documents that a query passes over whatever the lists say (QueryOnDevice::hidden). Any thread alone.
#include "leaf/gpu/batch.h"

namespace frond::leaf::gpu::search {

// A bit for each of the documents 32 * word .. 32 * word + 31.
__device__ inline std::uint32_t hidden_word(const QueryOnDevice& query, std::uint32_t word) {
  return query.hidden == nullptr ? 0 : __ldg(query.hidden + word);
}
__device__ inline bool is_hidden(const QueryOnDevice& query, DocId docid) {
  return (hidden_word(query, docid / 32) >> (docid % 32) & 1) != 0;
}

}  // namespace frond::leaf::gpu::search
