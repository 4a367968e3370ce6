#include <algorithm>
#include <array>

#include "common/codec/list_codec.h"
#include "common/codec/simd_bp128.h"

namespace frond::codec {

std::span<const ListCodec* const> all_codecs() {
  static const std::array<const ListCodec*, 1> codecs = {&simd_bp128()};
  return codecs;
}

const ListCodec* codec_named(std::string_view name) {
  const auto codecs = all_codecs();
  const auto found = std::find_if(codecs.begin(), codecs.end(), [&](const ListCodec* c) { return c->name() == name; });
  return found == codecs.end() ? nullptr : *found;
}

const ListCodec* codec_with_id(std::uint8_t id) {
  const auto codecs = all_codecs();
  const auto found = std::find_if(codecs.begin(), codecs.end(), [&](const ListCodec* c) { return c->id() == id; });
  return found == codecs.end() ? nullptr : *found;
}

}  // namespace frond::codec
