#pragma once
// A node of the B-tree of a trie collection: degree 16, so up to 31 terms, in 512 bytes, with the first four bytes of
// each term's suffix (Wei and JaJa 2011, III.B.2, Table II). For the host and the device.
//
// Differences from the paper: caches are numbers, first byte highest, so that they compare as bytes do; unused ones are
// kNoCache, so that all 32 places can be compared without knowing how many are used.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "common/base/check.h"

namespace frond::indexer::dictionary {

using NodeRef = std::uint32_t;
inline constexpr NodeRef kNoNode = 0xffffffff;
inline constexpr std::uint32_t kMaxNodeTerms = 31, kMinNodeTerms = 15;  // the root may have fewer
inline constexpr std::uint32_t kNoCache = 0xffffffff;

struct alignas(64) BTreeNode {
  std::uint32_t terms = 0;
  std::uint32_t strings[kMaxNodeTerms];  // what follows the four bytes, in the tree's memory; kNoRef: nothing
  std::uint32_t leaf = 1;
  std::uint32_t values[kMaxNodeTerms];      // in the tree's memory (the paper: pointers to postings lists)
  NodeRef children[kMaxNodeTerms + 1];      // of inner nodes: child i has the terms between i - 1 and i
  std::uint32_t caches[kMaxNodeTerms + 1];  // the last is padding, always kNoCache
};
static_assert(sizeof(BTreeNode) == 512);

// The four bytes of a suffix that begins with `bytes` of them, as a cache: filled up with zeros.
FROND_HOST_DEVICE inline std::uint32_t cache_of(const char* suffix, std::size_t bytes) {
  std::uint32_t cache = 0;
  for (std::size_t i = 0; i < 4; ++i)
    cache = cache << 8 | (i < bytes ? static_cast<std::uint32_t>(static_cast<unsigned char>(suffix[i])) : 0u);
  return cache;
}
// Whether a suffix with this cache may be longer than it. Terms hold no NULs.
FROND_HOST_DEVICE inline bool is_longer_than_cache(std::uint32_t cache) { return (cache & 0xff) != 0; }

}  // namespace frond::indexer::dictionary
