#include "common/codec/list_codec.h"

#include <string>

namespace frond::codec {

Error ListCodec::corrupt_block(std::string_view what, std::uint32_t block) const {
  return Error(Code::kCorrupt, std::string(name()) + ": " + std::string(what) + " in block " + std::to_string(block));
}

}  // namespace frond::codec
