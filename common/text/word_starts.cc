#include "common/text/word_starts.h"

#include <cstring>

// Highway includes this file once for each instruction set and compiles the part between HWY_BEFORE_NAMESPACE and
// HWY_AFTER_NAMESPACE for it.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/text/word_starts.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace frond::text::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::CappedTag<std::uint8_t, 64>;

struct Classes {
  std::uint64_t word = 0, high = 0, spaces = 0;
  std::uint64_t wanted = 0;  // bytes at which a word that is wanted may begin
};

template <class Mask>
std::uint64_t bits_of(Bytes bytes, Mask mask) {
  std::uint64_t bits = 0;
  std::uint8_t stored[8] = {};
  hn::StoreMaskBits(bytes, mask, stored);
  std::memcpy(&bits, stored, sizeof(bits));
  return bits;
}

// `block`: 65 bytes.
Classes classes_of(const std::uint8_t* block, std::span<const FirstTwo> wanted) {
  const Bytes bytes;
  const auto set = [&](char c) { return hn::Set(bytes, static_cast<std::uint8_t>(c)); };
  Classes all;
  for (std::size_t at = 0; at < 64; at += hn::Lanes(bytes)) {
    const auto c = hn::LoadU(bytes, block + at);
    const auto at_most = [&](auto value, char max) { return hn::Eq(hn::Min(value, set(max)), value); };
    // Maps capitals to small letters, and no other byte to a letter, a digit or the underscore's 0x7f.
    const auto lowered = [&](auto value) { return hn::Or(value, set(0x20)); };
    const auto is_letter = [&](auto lower) { return at_most(hn::Sub(lower, set('a')), 25); };
    const auto lower = lowered(c);
    const auto letter = is_letter(lower);
    const auto digit = at_most(hn::Sub(c, set('0')), 9);
    const auto word = hn::Or(hn::Or(letter, digit), hn::Eq(c, set('_')));
    all.word |= bits_of(bytes, word) << at;
    all.high |= bits_of(bytes, hn::Not(at_most(c, 0x7f))) << at;
    all.spaces |= bits_of(bytes, at_most(c, ' ')) << at;
    if (wanted.empty()) continue;
    const auto next = lowered(hn::LoadU(bytes, block + at + 1));
    const auto any_second = hn::Not(is_letter(next));
    auto may_begin = hn::Not(hn::Eq(c, c));
    for (const FirstTwo& two : wanted) {
      const auto first = hn::Eq(lower, lowered(set(two.first)));
      const auto second = hn::Or(hn::Eq(next, set(two.second)), any_second);
      may_begin = hn::Or(may_begin, two.second == 0 ? first : hn::And(first, second));
    }
    all.wanted |= bits_of(bytes, may_begin) << at;
  }
  return all;
}

void find_word_starts_target(const char* text, std::size_t size, const FirstTwo* wanted, std::size_t wanted_count,
                             WordBits* bits) {
  std::uint64_t word_before = 0, high_before = 0;  // the byte before, as bit 0
  for (std::size_t at = 0; at < size; at += 64, ++bits) {
    std::uint8_t block[65];
    const std::size_t part = size - at < sizeof(block) ? size - at : sizeof(block);
    if (part < sizeof(block)) std::memset(block, ' ', sizeof(block));
    std::memcpy(block, text + at, part);
    const Classes classes = classes_of(block, std::span(wanted, wanted_count));
    std::uint64_t words = classes.word & ~(classes.word << 1 | word_before);
    if (wanted_count != 0) words &= classes.wanted;
    bits->starts = words | (classes.high & ~(classes.high << 1 | high_before));
    bits->spaces = classes.spaces;
    word_before = classes.word >> 63;
    high_before = classes.high >> 63;
  }
}

}  // namespace frond::text::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace frond::text {

HWY_EXPORT(find_word_starts_target);

void find_word_starts(std::string_view text, std::span<const FirstTwo> wanted, WordBits* bits) {
  HWY_DYNAMIC_DISPATCH(find_word_starts_target)(text.data(), text.size(), wanted.data(), wanted.size(), bits);
}

}  // namespace frond::text
#endif
