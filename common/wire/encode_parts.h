#pragma once
// Plain structs to Cap'n Proto, as encode_request.cc and encode_reply.cc do it. Both sides' enums have the same
// numbers, which is asserted where they are written.
#include <capnp/message.h>
#include <capnp/serialize.h>
#include <kj/io.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "common/base/bytes.h"

namespace frond::wire::encoding {

inline capnp::Text::Reader text_of(const std::string& from) { return {from.c_str(), from.size()}; }

inline capnp::Data::Reader data_of(const std::string& from) {
  return {reinterpret_cast<const capnp::byte*>(from.data()), from.size()};
}

template <class T>
unsigned count_of(const std::vector<T>& list) {
  return static_cast<unsigned>(list.size());
}

// Clamped to 0 .. 71 minutes, the range of the field.
inline std::uint32_t micros_of(std::chrono::microseconds span) {
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(span.count(), 0, std::numeric_limits<std::uint32_t>::max()));
}

inline void put_texts(const std::vector<std::string>& from, capnp::List<capnp::Text>::Builder to) {
  for (unsigned i = 0; i < to.size(); ++i) to.set(i, text_of(from[i]));
}

// The message whose root, a Root::Builder, `put` fills in: about `words` words beside the usual ones. Most messages fit
// into what is on the stack, so only the result is allocated. One with many documents has memory in one piece: of
// several, readers look each text up in a table of pieces.
template <class Root, class Put>
ByteBuffer encode_as(std::size_t words, Put&& put) {
  constexpr std::size_t kUsual = 512, kOther = 128;  // words; of what `words` leaves out
  capnp::word usual[kUsual] = {};
  std::vector<std::uint64_t> large;
  kj::ArrayPtr<capnp::word> first(usual, kUsual);
  if (words + kOther > kUsual) {
    large.resize(words + kOther);
    first = kj::ArrayPtr<capnp::word>(reinterpret_cast<capnp::word*>(large.data()), large.size());
  }
  capnp::MallocMessageBuilder builder(first);
  put(builder.template initRoot<Root>());
  ByteBuffer bytes(capnp::computeSerializedSizeInWords(builder) * sizeof(capnp::word));
  kj::ArrayOutputStream out(kj::ArrayPtr<kj::byte>(reinterpret_cast<kj::byte*>(bytes.data()), bytes.size()));
  capnp::writeMessage(out, builder);
  return bytes;
}

}  // namespace frond::wire::encoding
