#pragma once
// The output of `frond bench codec`: what was measured of each codec, as a table or JSON.
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tools/bench/codec/codec_timing.h"
#include "tools/bench/codec/device_codec_timing.h"
#include "tools/bench/table.h"

namespace frond::tools::bench {

// All codecs with paper and section.
Table table_of_codecs();

struct CodecReport {
  struct Figure {
    std::string title, name;  // of the table's column, of the JSON's member
    int digits = 0;
  };
  std::vector<Figure> figures;
  struct Row {
    const codec::ListCodec* codec = nullptr;
    double bits = 0;  // per integer
    std::vector<Spread> figures;
  };
  std::vector<Row> rows;
};
CodecReport report_of(std::span<const CodecTiming> timings);
CodecReport report_of(std::span<const DeviceCodecTiming> timings);

Table table_of(const CodecReport& report);
// Figures that were not measured are left out.
nlohmann::ordered_json json_of(const CodecReport& report);

}  // namespace frond::tools::bench
