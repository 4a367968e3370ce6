// decode_request survives any bytes, and what it accepts it can encode and read again.
#include <cstdint>
#include <cstdlib>

#include "common/wire/codec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace frond;
  const auto message = wire::decode_request(ByteView(reinterpret_cast<const std::byte*>(data), size));
  if (!message) return 0;
  if (!wire::decode_request(wire::encode(*message))) std::abort();
  return 0;
}
