#pragma once
// Which codecs the lists of a collection may be packed with: one for all, or several, of which each list takes the one
// that makes it smallest. docIDs and frequencies are chosen apart.
#include <span>
#include <vector>

#include "common/codec/list_codec.h"

namespace frond::codec {

// In the order of preference; none null, and each encodes the kind of number that it is a candidate for.
using Candidates = std::vector<const ListCodec*>;

struct CodecChoice {
  // All lists with one codec; what it does not encode, with the default one. Implicit: a codec is a choice.
  CodecChoice(const ListCodec& codec);
  CodecChoice(Candidates docid_codecs, Candidates frequency_codecs)
      : docids(std::move(docid_codecs)), frequencies(std::move(frequency_codecs)) {}

  Candidates docids, frequencies;  // at least one each
};

// Appends the smallest of the candidates' streams to `out`, as ListCodec::encode does; the first of those that are
// equally small. Returns whose it is. Any thread.
const ListCodec& encode_smallest(std::span<const ListCodec* const> candidates, std::span<const std::uint32_t> numbers,
                                 Numbers kind, ByteBuffer& out);

}  // namespace frond::codec
