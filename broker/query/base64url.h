#pragma once
// Bytes as text that needs no escapes in addresses: RFC 4648, section 5, without padding. Pure functions.
#include <optional>
#include <string>
#include <string_view>

#include "common/base/bytes.h"

namespace frond::broker::query {

std::string base64url(ByteView bytes);
// Empty: there is no such text.
std::optional<ByteBuffer> base64url_bytes(std::string_view text);

}  // namespace frond::broker::query
