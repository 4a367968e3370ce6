#pragma once
// Which codecs the lists of a collection may be packed with: one for all, or several, of which each list takes the one
// that makes it smallest. docIDs and frequencies are chosen apart. Why: docs/adr/0003-codecs-by-list.md.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

// In the order of preference; none null, and each encodes the kind of number that it is a candidate for.
using Candidates = std::vector<const ListCodec*>;

struct CodecChoice {
  // All lists with one codec; what it does not encode, with the default one. Implicit: a codec is a choice.
  CodecChoice(const ListCodec& codec);
  CodecChoice(std::string_view its_name, Candidates docid_codecs, Candidates frequency_codecs);

  std::string name;                // as it was asked for, and as a manifest records it
  Candidates docids, frequencies;  // at least one each
};

// What --codec names: a codec of the registry; DOCIDS,FREQUENCIES, two of them; or kAuto. kInvalid names what there is.
Result<CodecChoice> codec_choice_named(std::string_view name);
// Each list with the smallest of the fast codecs: those in the table of codec_choice.cc that the registry has.
inline constexpr std::string_view kAuto = "auto";

// Appends the smallest of the candidates' streams to `out`, as ListCodec::encode does; the first of those that are
// equally small. Returns whose it is. Any thread.
const ListCodec& encode_smallest(std::span<const ListCodec* const> candidates, std::span<const std::uint32_t> numbers,
                                 Numbers kind, ByteBuffer& out);

}  // namespace frond::codec
