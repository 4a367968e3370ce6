// Any bytes are a key file or a clear refusal, which repeats nothing of them. What is taken is the same when it is
// written out again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/check.h"
#include "common/keys/api_key.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto entries = frond::keys::parse_key_file({reinterpret_cast<const char*>(data), size});
  if (!entries) {
    FROND_CHECK(entries.error().message().size() < 200);
    return 0;
  }
  std::string text;
  for (const auto& entry : *entries) {
    FROND_CHECK(frond::keys::is_name(entry.name) && !entry.scopes.empty());
    text += entry.line() + "\n";
  }
  const auto again = frond::keys::parse_key_file(text);
  FROND_CHECK(again && again->size() == entries->size());
  for (std::size_t i = 0; i < entries->size(); ++i) FROND_CHECK((*again)[i].line() == (*entries)[i].line());
  return 0;
}
