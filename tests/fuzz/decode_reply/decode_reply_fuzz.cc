// decode_reply survives any bytes, and what it accepts it can encode and read again; so does request_id_of.
#include <cstdint>
#include <cstdlib>

#include "common/wire/codec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace frond;
  const ByteView bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto message = wire::decode_reply(bytes);
  const auto id = wire::request_id_of(bytes);
  if (!message) return 0;
  if (id.value_or(0) != std::visit([](const auto& one) { return one.request_id; }, *message)) std::abort();
  if (!wire::decode_reply(wire::encode(*message))) std::abort();
  return 0;
}
