#pragma once
// The key that a request brings, in one of the ways that clients of such APIs have:
//   Authorization: Bearer KEY   (RFC 6750, 2.1)
//   Authorization: ApiKey KEY   (clients of Elasticsearch)
//   X-API-Key: KEY
// Not in the URL, which proxies and browsers write down, and not as Basic, which browsers send without being asked.
#include <string_view>

#include "common/http/message.h"

namespace frond::keys {

struct Credential {
  // kNone: the request brings none. kOther: Authorization has another scheme. kAmbiguous: more than one field has a
  // key, so that a proxy and this server could see different ones. kMalformed: no key can look like that.
  enum class Kind { kNone, kOther, kAmbiguous, kMalformed, kKey };
  Kind kind = Kind::kNone;
  std::string_view key;  // a part of the header
};

// Any bytes are safe (tests/fuzz/credential). Any thread.
Credential credential_of(const http::Request& header);

}  // namespace frond::keys
