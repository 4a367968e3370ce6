#include "common/keys/credential.h"

#include <algorithm>
#include <string>

#include "common/keys/api_key.h"

namespace frond::keys {
namespace {

// `scheme` in lower case.
bool has_scheme(std::string_view value, std::string_view scheme) {
  return value.size() > scheme.size() && value[scheme.size()] == ' ' &&
         std::equal(scheme.begin(), scheme.end(), value.begin(), [](char wanted, char c) {
           return wanted == (c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c);
         });
}

Credential checked(std::string_view key) {
  key.remove_prefix(std::min(key.find_first_not_of(' '), key.size()));
  return {is_key(key) ? Credential::Kind::kKey : Credential::Kind::kMalformed, key};
}

Credential authorization(std::string_view value) {
  for (const std::string_view scheme : {"bearer", "apikey"})
    if (has_scheme(value, scheme)) return checked(value.substr(scheme.size()));
  return {Credential::Kind::kOther, {}};
}

}  // namespace

Credential credential_of(const http::Request& header) {
  Credential found;
  for (const auto& [name, value] : header.headers) {
    const bool standard = name == "authorization";
    if (!standard && name != "x-api-key") continue;
    if (found.kind != Credential::Kind::kNone) return {Credential::Kind::kAmbiguous, {}};
    found = standard ? authorization(value) : checked(value);
  }
  return found;
}

}  // namespace frond::keys
