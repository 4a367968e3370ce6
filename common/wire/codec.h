#pragma once
// Converts the structs of messages.h to the bytes of leaf.capnp and back. Any thread.
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/wire/messages.h"

namespace frond::wire {

ByteBuffer encode(const Request& request);
// A reply larger than kMaxMessageBytes becomes an ErrorReply (kCorrupt): the receiver would close the connection.
ByteBuffer encode(const Reply& reply);
// `bytes` may be any bytes, at any alignment; unaligned ones are copied first. Errors: kCorrupt, which says what is
// wrong; so is whatever exceeds limits.h.
Result<Request> decode_request(ByteView bytes);
Result<Reply> decode_reply(ByteView bytes);
// What a search says of itself before it is decoded, so that a busy thread can hand it on. Nothing for other requests
// and for what is no message; what follows may still be refused by decode_request().
struct SearchHead {
  std::uint64_t request_id = 0;
  std::chrono::microseconds budget{0};
  bool is_words = false;  // it has no clause, filter, order, facets or columns
  ClientShare client = {};
};
std::optional<SearchHead> head_of_search(ByteView request);
// Which of a leaf's collections a request is for, as far as it says. Nothing for what is no message.
struct RequestTarget {
  enum class Kind { kSearch, kFetch, kHello, kCancel };
  Kind kind = Kind::kSearch;
  std::string collection;     // of a hello
  GenerationId generation{};  // of a search or fetch
};
std::optional<RequestTarget> target_of(ByteView request);
// The request id of a reply that decode_reply() refuses; none where it cannot be read or is 0.
std::optional<std::uint64_t> request_id_of(ByteView damaged_reply);

}  // namespace frond::wire
