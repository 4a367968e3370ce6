#include "common/codec/codec_choice.h"

#include <array>
#include <utility>

namespace frond::codec {
namespace {

// The candidates of kAuto: codecs that decode a block about as fast as it can be scored. The faster comes first, since
// the first of equally small streams is taken.
constexpr std::array<std::string_view, 4> kFast = {"simd-bp128", "bp32", "parapfor", "rice"};

Candidates fast_codecs(Numbers kind) {
  Candidates found;
  for (const std::string_view name : kFast)
    if (const ListCodec* codec = codec_named(name); codec != nullptr && codec->info().encodes(kind))
      found.push_back(codec);
  return found;
}

Error unknown(std::string_view name) {
  std::string message = "'" + std::string(name) + "' is none of " + std::string(kAuto);
  for (const ListCodec* known : all_codecs()) message += "|" + std::string(known->name());
  return Error(Code::kInvalid, message + ", nor two of them, docIDs' and frequencies', with a comma between");
}

Error does_not_encode(std::string_view name, const char* what) {
  return Error(Code::kInvalid, "'" + std::string(name) + "' does not encode " + what);
}

}  // namespace

CodecChoice::CodecChoice(const ListCodec& codec)
    : name(codec.name()),
      docids{codec.info().docids ? &codec : codec_named(kDefaultCodec)},
      frequencies{codec.info().frequencies ? &codec : codec_named(kDefaultCodec)} {}

CodecChoice::CodecChoice(std::string_view its_name, Candidates docid_codecs, Candidates frequency_codecs)
    : name(its_name), docids(std::move(docid_codecs)), frequencies(std::move(frequency_codecs)) {}

Result<CodecChoice> codec_choice_named(std::string_view name) {
  if (name == kAuto) return CodecChoice(name, fast_codecs(Numbers::kDocIds), fast_codecs(Numbers::kFrequencies));
  const std::size_t comma = name.find(',');
  const ListCodec* const first = codec_named(name.substr(0, comma));
  if (first == nullptr) return unknown(name);
  if (comma == std::string_view::npos) return CodecChoice(*first);
  const ListCodec* const second = codec_named(name.substr(comma + 1));
  if (second == nullptr) return unknown(name);
  if (!first->info().docids) return does_not_encode(first->name(), "docIDs");
  if (!second->info().frequencies) return does_not_encode(second->name(), "frequencies");
  return CodecChoice(name, {first}, {second});
}

const ListCodec& encode_smallest(std::span<const ListCodec* const> candidates, std::span<const std::uint32_t> numbers,
                                 Numbers kind, ByteBuffer& out) {
  FROND_CHECK(!candidates.empty());
  const ListCodec* best = candidates[0];
  if (candidates.size() == 1) {
    best->encode(numbers, kind, out);
    return *best;
  }
  ByteBuffer smallest, stream;
  best->encode(numbers, kind, smallest);
  for (const ListCodec* candidate : candidates.subspan(1)) {
    stream.clear();
    candidate->encode(numbers, kind, stream);
    if (stream.size() >= smallest.size()) continue;
    best = candidate;
    std::swap(smallest, stream);
  }
  out.insert(out.end(), smallest.begin(), smallest.end());
  return *best;
}

}  // namespace frond::codec
