// Fields of a request, a line each, "name: value": a key is found only where one field has it, and looks like a key.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/check.h"
#include "common/keys/api_key.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using Kind = frond::keys::Credential::Kind;
  frond::http::Request request;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  while (!rest.empty() && request.headers.size() < 100) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const auto colon = std::min(line.find(": "), line.size());
    request.headers.emplace_back(line.substr(0, colon), line.substr(std::min(colon + 2, line.size())));
  }
  const auto found = frond::keys::credential_of(request);
  const auto fields = std::count_if(request.headers.begin(), request.headers.end(), [](const auto& field) {
    return field.first == "authorization" || field.first == "x-api-key";
  });
  FROND_CHECK((found.kind == Kind::kNone) == (fields == 0));
  FROND_CHECK((found.kind == Kind::kAmbiguous) == (fields > 1));
  FROND_CHECK(found.kind != Kind::kKey || frond::keys::is_key(found.key));
  return 0;
}
