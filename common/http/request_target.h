#pragma once
// Host, and the target of the request line (RFC 9112, 3.2). Internal to this folder. Any thread.
#include <string_view>

#include "common/http/message.h"

namespace frond::http {

// Whether `text` is uri-host [":" port]: a name, an IPv4 address or an IPv6 address in brackets. May be empty.
bool is_host(std::string_view text);

// Sets path and query from request.target, and host if the target has one (absolute form, which proxies send). Returns
// what is wrong with the target; empty if nothing is.
std::string_view split_target(Request& request);

}  // namespace frond::http
