// Any bytes are a stream of every codec, or kCorrupt; which, and of what numbers, is the same with every instruction
// set. Input: id of the codec (u8; any other: one by its place in the table), kind and instruction set (u8: lowest bit
// and the others), count less one (u16), docID before the block (u32), then the stream. FROND_FUZZ_CODEC in the
// environment names the codec to try whatever inputs say: so that each gets its time in a long run.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "common/codec/list_codec.h"
#include "tests/support/instruction_sets.h"
#include "tests/support/posting_lists.h"

namespace frond::codec {
namespace {

using Block = std::array<std::uint32_t, kBlockLength>;

struct Input {
  const ListCodec* codec;
  Numbers kind;
  std::uint32_t count;
  DocId before;
  ByteView stream;
};

// The numbers of a block, and what is promised of them. None: the block is corrupt.
std::span<const std::uint32_t> decode(const Input& input, std::uint32_t block, Block& out) {
  const DocId before = block ? input.before : kNoDoc;
  const auto decoded = input.codec->decode(input.stream, input.count, input.kind, block, before, out);
  if (!decoded) {
    FROND_CHECK(decoded == Code::kCorrupt);
    return {};
  }
  const auto numbers = std::span(out).first(std::min(kBlockLength, input.count - block * kBlockLength));
  if (input.kind == Numbers::kFrequencies) {
    FROND_CHECK(std::find(numbers.begin(), numbers.end(), 0u) == numbers.end());
  } else {
    FROND_CHECK(before == kNoDoc || numbers[0] > before);
    for (std::size_t i = 1; i < numbers.size(); ++i) FROND_CHECK(numbers[i] > numbers[i - 1]);
  }
  return numbers;
}

void check_block(const Input& input, std::uint32_t block, std::int64_t best, std::int64_t set) {
  Block out, other;
  const auto numbers = decode(input, block, out);
  if (set == best) return;
  support::use_instruction_set(set);
  const auto same = decode(input, block, other);
  FROND_CHECK(std::equal(numbers.begin(), numbers.end(), same.begin(), same.end()));
  support::use_instruction_set(best);
}

const ListCodec* codec_of_environment() {
  const char* name = std::getenv("FROND_FUZZ_CODEC");
  if (!name) return nullptr;
  const ListCodec* codec = codec_named(name);
  FROND_CHECK(codec != nullptr);
  return codec;
}

const ListCodec& codec_of(std::uint8_t id) {
  static const ListCodec* const only = codec_of_environment();
  if (only) return *only;
  const ListCodec* codec = codec_with_id(id);
  return codec ? *codec : *all_codecs()[id % all_codecs().size()];
}

}  // namespace
}  // namespace frond::codec

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace frond;
  using namespace frond::codec;
  static const auto sets = support::instruction_sets();
  ByteReader in(std::as_bytes(std::span(data, size)));
  Input input{};
  input.codec = &codec_of(in.get<std::uint8_t>());
  const auto kind_and_set = in.get<std::uint8_t>();
  input.kind = kind_and_set % 2 ? Numbers::kFrequencies : Numbers::kDocIds;
  input.count = in.get<std::uint16_t>() + 1u;
  input.before = in.get<std::uint32_t>();
  if (!in.ok()) return 0;
  const support::SlackBytes stream(in.get_bytes(in.left()));
  input.stream = stream.view();

  const std::int64_t best = sets[0], set = sets[kind_and_set / 2 % sets.size()];
  support::use_instruction_set(best);
  // Of many blocks the first, the last, and some between: an input takes no longer than it may teach.
  const std::uint32_t last = (input.count - 1) / kBlockLength;
  for (std::uint32_t block = 0; block < last; block += block < 8 ? 1 : 1 + last / 16)
    check_block(input, block, best, set);
  check_block(input, last, best, set);
  return 0;
}
