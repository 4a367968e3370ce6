#pragma once
// The output of `frond bench codec --processor gpu`: a table or JSON, with the papers' figures of GPUs beside ours.
#include <span>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "tools/bench/device_codec_timing.h"

namespace frond::tools::bench {

void print_device_heading(std::string_view device, unsigned rounds, std::uint32_t seed);
void print_device_set(const IntegerSet& set, std::span<const DeviceCodecTiming> timings);
nlohmann::ordered_json device_set_as_json(const IntegerSet& set, std::span<const DeviceCodecTiming> timings);

}  // namespace frond::tools::bench
