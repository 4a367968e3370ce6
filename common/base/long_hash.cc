#include "common/base/long_hash.h"

#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
// Declares XXH3_…_dispatch() and defines XXH3_…() as these.
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

namespace frond {

std::uint64_t long_hash(ByteView bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

void update_long_hash_128(void* state, ByteView bytes) {
  XXH3_128bits_update(static_cast<XXH3_state_t*>(state), bytes.data(), bytes.size());
}

}  // namespace frond
