#pragma once
// Whom a request is for and what it asks for: Host, and the target of the request line (RFC 9112, 3.2). Internal to
// this folder. Functions of their arguments; any thread.
#include <string_view>

#include "common/http/message.h"

namespace frond::http {

// uri-host [":" port]: a name, an IPv4 address or an IPv6 address in brackets. May be empty.
bool is_host(std::string_view text);

// Fills path and query from request.target, and host if the target has one (the absolute form, which proxies send).
// Returns what is wrong with the target; empty if nothing is.
std::string_view split_target(Request& request);

}  // namespace frond::http
