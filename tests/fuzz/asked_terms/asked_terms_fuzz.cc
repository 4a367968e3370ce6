// Any bytes are terms that were asked for, which are written as they were read, or are refused. The checksum is set
// right, so that what it protects is reached too.
#include <cstddef>
#include <cstdint>

#include "common/base/check.h"
#include "common/base/long_hash.h"
#include "leaf/warm/asked_terms.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace frond;
  const auto* const first = reinterpret_cast<const std::byte*>(data);
  ByteBuffer bytes(first, first + size);
  const auto read = [&] {
    const auto terms = leaf::warm::from_bytes(bytes);
    // Varints may be longer than they need be, so the bytes may differ, not what they say.
    if (terms) FROND_CHECK(*leaf::warm::from_bytes(leaf::warm::to_bytes(*terms)) == *terms);
  };
  read();
  if (size < sizeof(std::uint64_t)) return 0;
  const ByteView body = ByteView(bytes).first(size - sizeof(std::uint64_t));
  store_le(bytes.data() + body.size(), long_hash(body, 0));
  read();
  return 0;
}
