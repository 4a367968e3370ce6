#include "common/codec/list_codec.h"

#include <algorithm>
#include <array>
#include <string>

#include "common/codec/binary_packing/bp32.h"
#include "common/codec/binary_packing/gpu_bp.h"
#include "common/codec/binary_packing/simd_bp128.h"
#include "common/codec/byte_codecs/byte_codecs.h"
#include "common/codec/lines/hs_lrc.h"
#include "common/codec/lines/lrc.h"
#include "common/codec/patched/newpfd.h"
#include "common/codec/patched/parapfor.h"
#include "common/codec/patched/pfd.h"
#include "common/codec/patched/pfordelta.h"
#include "common/codec/rice/rice_codec.h"

namespace frond::codec {

Error ListCodec::corrupt_block(std::string_view what, std::uint32_t block) const {
  return Error(Code::kCorrupt, std::string(name()) + ": " + std::string(what) + " in block " + std::to_string(block));
}

std::span<const ListCodec* const> all_codecs() {
  // In order of id. Ids that are taken: 1 simd-bp128, 2 vbyte, 3 varintgb, 4 streamvbyte, 5 gpu-vbyte128,
  // 6 gpu-vbyte1024, 7 bp32, 8 gpu-bp128, 9 gpu-bp256, 10 rice, 11 .. 15 pfordelta0 .. pfordelta4, 16 pfd, 17 newpfd,
  // 18 parapfor, 19 lrc, 20 lrcseg, 21 seglrc, 22 hs-lrc.
  static const std::array codecs = {
      &simd_bp128(), &vbyte(),      &varintgb(),   &streamvbyte(), &gpu_vbyte128(), &gpu_vbyte1024(),
      &bp32(),       &gpu_bp128(),  &gpu_bp256(),  &rice(),        &pfordelta(0),   &pfordelta(1),
      &pfordelta(2), &pfordelta(3), &pfordelta(4), &pfd(),         &newpfd(),       &parapfor(),
      &lrc(),        &lrcseg(),     &seglrc(),     &hs_lrc(),
  };
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
