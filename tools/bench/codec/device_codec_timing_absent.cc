#include "tools/bench/codec/device_codec_timing.h"

namespace frond::tools::bench {

Result<std::string> describe_device() { return Error(Code::kDevice, "GPU: this build has no CUDA"); }

Result<std::vector<DeviceCodecTiming>> time_codecs_on_device(const IntegerSet&,
                                                             std::span<const codec::ListCodec* const>, unsigned,
                                                             std::uint64_t) {
  return Error(Code::kDevice, "GPU: this build has no CUDA");
}

}  // namespace frond::tools::bench
