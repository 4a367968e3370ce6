// Any bytes as an object store's XML, as a time, and as a credentials file: never a fault, and what is taken is
// bounded.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "common/objects/answers.h"
#include "common/objects/signature.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace frond;
  const ByteView bytes = std::as_bytes(std::span(data, size));
  if (const auto page = objects::parse_list(bytes); page && page->objects.size() > 10'100) std::abort();
  if (const auto id = objects::parse_upload_id(bytes); id && (id->empty() || id->size() > 1024)) std::abort();
  const auto error = objects::parse_error(bytes);
  for (const char c : error.code + error.message)
    if (c < ' ' || c > '~') std::abort();
  (void)objects::parse_completed(bytes).has_value();
  if (const auto time = objects::parse_time(as_text(bytes)); time && *time < 0) std::abort();
  if (const auto found = objects::parse_credentials(as_text(bytes));
      found && (found->key_id + found->secret).find('\n') != std::string::npos)
    std::abort();
  return 0;
}
