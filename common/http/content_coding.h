#pragma once
// Bodies that come compressed (RFC 9110, Content-Encoding). Any thread.
#include <cstddef>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace frond::http {

// The body as it was before `coding`: gzip (x-gzip), deflate or identity, in any case. kOverloaded: it has more than
// `max_bytes`, and is decoded no further; kInvalid: it is broken, or coded in another way; the message says which are
// known.
Result<std::string> decoded_body(std::string_view coding, std::string_view body, std::size_t max_bytes);

}  // namespace frond::http
