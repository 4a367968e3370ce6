#pragma once
// A GET that the server answers when a small resource has changed (RFC 7240's "Prefer: wait", with If-None-Match). A
// server that does not know the preference answers at once.
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/net/address.h"
#include "common/tls/trust.h"

namespace frond::http {

inline constexpr std::string_view kWaitPreference = "wait=";  // in Prefer, before seconds

struct ChangedGet {
  std::string etag;           // of the body that is known; empty: none is
  std::chrono::seconds wait;  // for a change
  std::chrono::milliseconds step_timeout{10'000};
  int interrupt = -1;  // a descriptor: the GET ends with kUnavailable as soon as it is readable
};

struct Changed {
  std::string etag;
  bool changed = false;  // false: it is what was known
  bool waits = false;    // the server knows the preference
};

// The body is read and dropped. Errors: as http::get(); kCorrupt also: a body of more than 4 KiB. Any thread.
Result<Changed> get_changed(const net::Url& url, const tls::Trust* trust, std::string_view path, const ChangedGet& how);

}  // namespace frond::http
