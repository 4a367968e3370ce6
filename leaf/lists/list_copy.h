#pragma once
// Copies a list to host memory: all segments in one allocation, each on a 64-byte boundary and followed by at least
// codec::kReadSlack zero bytes, so that decoders may load whole vectors.
#include "common/base/result.h"
#include "leaf/lists/list_store.h"

namespace frond::leaf::lists {

inline constexpr std::size_t kListAlignment = 64;

// The bytes that copy_list() allocates.
std::size_t copied_bytes(const List& list);

// Errors: kOverloaded if memory is short; those of List::intact(), asked after the bytes were copied.
Result<ListLease> copy_list(const List& list);

}  // namespace frond::leaf::lists
