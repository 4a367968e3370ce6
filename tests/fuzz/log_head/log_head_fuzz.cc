// Any bytes are the head of a log, which is written as it was read, or are refused.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/base/check.h"
#include "indexer/write/log_head.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto head = frond::indexer::write::log_head_from_text(text);
  FROND_CHECK(!head || to_text(*head) == text);
  return 0;
}
