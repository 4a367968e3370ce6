#pragma once
// Measures how small a codec makes a set of lists and how fast it is, in CPU time of the calling thread. A list is one
// stream and is decoded block by block through ListCodec, as in an engine. Lists are not partitioned.
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "common/codec/list_codec.h"
#include "tools/bench/codec/integer_sets.h"
#include "tools/bench/spread.h"

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

}  // namespace frond::tools::bench
