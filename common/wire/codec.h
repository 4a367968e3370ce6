#pragma once
// Plain structs to Cap'n Proto messages and back.
#include <cstdint>
#include <optional>
#include <span>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/wire/messages.h"

namespace frond::wire {

ByteBuffer encode(const Request& request);
// A reply of more than kMaxMessageBytes would cost the connection: an ErrorReply (kCorrupt) takes its place.
ByteBuffer encode(const Reply& reply);
// Any bytes, at any alignment (received frames often are not 8-byte aligned: they are copied then). kCorrupt says what
// is wrong. Limits: 64 MiB a message, 512 terms, 4,096 partitions, 10,000 hits, 1,000 ordinals.
Result<Request> decode_request(ByteView bytes);
Result<Reply> decode_reply(ByteView bytes);
// Whom a reply is for that decode_reply() refuses, if that much can be read of it. 0 is nobody's.
std::optional<std::uint64_t> request_id_of(ByteView damaged_reply);

}  // namespace frond::wire
