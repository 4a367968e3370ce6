#pragma once
#include <cstddef>

namespace frond::text {

// Bytes of a term, which has at least one and no NUL. Partitions store no longer terms, and requests to leaves carry
// none.
inline constexpr std::size_t kMaxTermBytes = 1024;

}  // namespace frond::text
