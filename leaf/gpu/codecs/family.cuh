#pragma once
// Makes the search kernels of a family (served_codecs.h).
#include "leaf/gpu/codecs/served_codecs.h"
#include "leaf/gpu/codecs/stream_lists.cuh"
#include "leaf/gpu/search/search_kernel.cuh"

#define FROND_SEARCH_KERNEL(function, id, docids, frequencies)                              \
  Result<void> search_##function(const BatchOnDevice& batch, device::StreamHandle stream) { \
    return search::launch_search<StreamLists<docids, frequencies>>(batch, stream);          \
  }
