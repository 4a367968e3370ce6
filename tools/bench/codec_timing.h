#pragma once
// How small a codec makes a set of lists, and how fast it is. CPU time of the calling thread. A list is one stream, and
// decoded block by block through the seam, as an engine does; no list is partitioned.
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "common/codec/list_codec.h"
#include "tools/bench/integer_sets.h"

namespace frond::tools {

struct Spread {
  double median = 0, least = 0, most = 0;
};

struct CodecTiming {
  const codec::ListCodec* codec = nullptr;
  double bits = 0;  // an integer, of whole streams: with their indexes and zeros, without the blob's
  Spread encode;    // millions of integers a second
  Spread decode;    // thousands of millions: to docIDs, or to frequencies
  // docIDs only: without adding up. The gaps are encoded as frequencies are, which most codecs decode in the same way
  // but for the sum; where they do not, their page in docs/formats says so.
  Spread decode_gaps;
};

// Every codec on the set, `rounds` times each in turn, so that what else the machine does meets all of them. kCorrupt:
// a codec does not give the numbers back, which is checked before anything is timed.
Result<std::vector<CodecTiming>> time_codecs(const IntegerSet& set, std::span<const codec::ListCodec* const> codecs,
                                             unsigned rounds);

}  // namespace frond::tools
