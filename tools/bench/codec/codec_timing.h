#pragma once
// Measures how small a codec makes a set of lists and how fast it is, in CPU time of the calling thread. A list is one
// stream and is decoded block by block through ListCodec, as in an engine. Lists are not partitioned.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/codec/list_codec.h"
#include "tools/bench/codec/integer_sets.h"
#include "tools/bench/measure.h"
#include "tools/bench/table.h"

namespace frond::tools::bench {

struct CodecTiming {
  const codec::ListCodec* codec = nullptr;
  double bits = 0;  // per integer, of the whole stream with its index and padding, without the list blob's own bytes
  Spread encode;    // millions of integers per second
  Spread decode;    // thousands of millions per second, to docIDs or frequencies
  // Lists of docIDs only: decoded to gaps, without adding up. The gaps are encoded like frequencies. Most codecs decode
  // them like docIDs, except for the sums; the pages in docs/formats name the exceptions.
  Spread decode_gaps;
};

// Times every codec on the set `rounds` times, in turn, so that other load of the machine affects all of them. First
// checks that each codec returns the original numbers; kCorrupt if one does not.
Result<std::vector<CodecTiming>> time_codecs(const IntegerSet& set, std::span<const codec::ListCodec* const> codecs,
                                             unsigned rounds);

// Measures how fast a GPU decodes a set of lists, as time between events on the device. Decoded numbers stay in device
// memory. The lists are copied there repeatedly until there are `integers` numbers. Each copy has its own input and
// output, so that neither fits into the device's cache.
//
// Thousands of millions of integers per second. `…_gaps`: docIDs decoded to gaps, without adding up; 0 for frequencies.
struct DeviceCodecTiming {
  const codec::ListCodec* codec = nullptr;
  double bits = 0;           // per integer, of whole streams
  Spread alone;              // one list, one launch, then a wait
  Spread row, row_gaps;      // launches of one list each, without waiting between them
  Spread batch, batch_gaps;  // all lists in one launch
};

// "NVIDIA H200, 132 processors". kDevice: no GPU, or a build without CUDA.
Result<std::string> describe_device();

// First checks that every decoder returns the original numbers; kCorrupt if one does not. kDevice: as above, or a
// failure of the device.
inline constexpr std::uint64_t kIntegersOnDevice = std::uint64_t{1} << 27;
Result<std::vector<DeviceCodecTiming>> time_codecs_on_device(const IntegerSet& set,
                                                             std::span<const codec::ListCodec* const> codecs,
                                                             unsigned rounds,
                                                             std::uint64_t integers = kIntegersOnDevice);

// What was measured of each codec.
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
  std::vector<Row> rows = {};
};
CodecReport report_of(std::span<const CodecTiming> timings);
CodecReport report_of(std::span<const DeviceCodecTiming> timings);
Table table_of(const CodecReport& report);
// Figures that were not measured are left out.
nlohmann::ordered_json json_of(const CodecReport& report);
// All codecs with paper and section.
Table table_of_codecs();

}  // namespace frond::tools::bench
