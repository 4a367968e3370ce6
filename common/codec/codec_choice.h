#pragma once
// The codecs that the lists of a collection may be packed with: one for all lists, or several, of which each list takes
// the one that makes it smallest. docIDs and frequencies are chosen separately. Why: docs/adr/0003-codecs-by-list.md.
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
  // Packs all lists with one codec, and kinds that it does not encode with the default one. Implicit on purpose.
  CodecChoice(const ListCodec& codec);
  CodecChoice(std::string_view its_name, Candidates docid_codecs, Candidates frequency_codecs);

  std::string name;                // as given with --codec and stored in the manifest
  Candidates docids, frequencies;  // at least one each
};

// Parses --codec: the name of a codec; two names, DOCIDS,FREQUENCIES; or kAuto. Errors: kInvalid, listing the names.
Result<CodecChoice> codec_choice_named(std::string_view name);
// Packs each list with the fast codec that makes it smallest; codec_choice.cc has the table of fast codecs.
inline constexpr std::string_view kAuto = "auto";

// Encodes the numbers with every candidate and appends the smallest stream to `out`; the first of equally small ones.
// Returns its codec. Any thread.
// REQUIRES: at least one candidate; the rest as ListCodec::encode().
const ListCodec& encode_smallest(std::span<const ListCodec* const> candidates, std::span<const std::uint32_t> numbers,
                                 Numbers kind, ByteBuffer& out);

}  // namespace frond::codec
