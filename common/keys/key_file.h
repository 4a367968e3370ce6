#pragma once
// The key file: one key a line (KeyEntry::line()); empty lines and lines that begin with # are skipped. It holds
// digests only, so whoever reads it can't use the keys; whoever may write it decides who is let in.
#include <cstddef>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/keys/api_key.h"

namespace frond::keys {

inline constexpr std::size_t kMaxKeyFileBytes = 1 << 20;  // as much as a Secret of Kubernetes may have
inline constexpr std::size_t kMaxKeys = 10'000;

// Any bytes are safe (tests/fuzz/api_keys). kInvalid names the line: a line that is none, a name or key that stands
// there twice, more than kMaxKeys, no key at all. Messages repeat nothing of the text.
Result<std::vector<KeyEntry>> parse_key_file(std::string_view text);

}  // namespace frond::keys
