#pragma once
// How large replies are as messages, before they are encoded.
#include <cstddef>
#include <span>

#include "common/wire/messages.h"

namespace frond::leaf::serve {

// About so many bytes, and never fewer than wire::encode() makes of it.
std::size_t encoded_bytes(const wire::SearchReply& reply);
std::size_t encoded_bytes(std::span<const wire::FetchedDocument> documents);

}  // namespace frond::leaf::serve
