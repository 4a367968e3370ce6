#pragma once
// The output of `frond bench codec`, except figures of a GPU (device_codec_report.h): tables or JSON, with the papers'
// figures beside ours.
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tools/bench/codec_timing.h"

namespace frond::tools::bench {

// All codecs with paper and section.
void print_codecs();
nlohmann::ordered_json codecs_as_json();

void print_codec_set(const IntegerSet& set, const std::vector<CodecTiming>& timings);
nlohmann::ordered_json codec_set_as_json(const IntegerSet& set, const std::vector<CodecTiming>& timings);

}  // namespace frond::tools::bench
