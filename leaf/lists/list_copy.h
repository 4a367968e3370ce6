#pragma once
// A list's own copy in host memory: all its segments in one allocation, each on a 64-byte boundary with
// codec::kReadSlack zero bytes after it, so that decoders load whole vectors and a device copy is one transfer.
#include "common/base/result.h"
#include "leaf/lists/list_store.h"

namespace frond::leaf::lists {

inline constexpr std::size_t kListAlignment = 64;

// Bytes that copy_list() would allocate.
std::size_t copied_bytes(const List& list);

// kOverloaded: no memory. kCorrupt, kUnavailable: a list that its file has lost meanwhile.
Result<ListLease> copy_list(const List& list);

}  // namespace frond::leaf::lists
