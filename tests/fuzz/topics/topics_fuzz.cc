// Any bytes are a topics file or a clear refusal.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "common/text/utf8.h"
#include "tools/topics/topics.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto topics = frond::tools::parse_topics({reinterpret_cast<const char*>(data), size});
  if (!topics) return 0;
  for (const auto& topic : *topics) {
    const bool one_line = topic.text.find_first_of("\n\r\t") == std::string::npos;
    if (!one_line || !frond::text::is_utf8(topic.text) || topic.id.find(' ') != std::string::npos) std::abort();
  }
  return 0;
}
