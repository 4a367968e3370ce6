#include "common/text/token_cutter.h"

#include <cstring>

// Highway includes this file once for each instruction set and compiles the part between HWY_BEFORE_NAMESPACE and
// HWY_AFTER_NAMESPACE for it.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/text/token_bits.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace frond::text::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::CappedTag<std::uint8_t, 64>;

// The classes of unicode.h.
struct Classes {
  std::uint64_t letters = 0, digits = 0, underscores = 0, high = 0;
  std::uint64_t between_letters = 0, between_digits = 0;  // characters that are inside a word there
  std::uint64_t dots = 0, signs = 0;                      // signs: @&+#
};

template <class Mask>
HWY_INLINE std::uint64_t mask_bits(Bytes bytes, Mask mask) {
  std::uint64_t bits = 0;
  std::uint8_t stored[8] = {};
  hn::StoreMaskBits(bytes, mask, stored);
  std::memcpy(&bits, stored, sizeof(bits));
  return bits;
}

// `block`: 64 bytes.
HWY_INLINE Classes token_classes(const std::uint8_t* block) {
  const Bytes bytes;
  const auto set = [&](char c) { return hn::Set(bytes, static_cast<std::uint8_t>(c)); };
  Classes all;
  for (std::size_t at = 0; at < 64; at += hn::Lanes(bytes)) {
    const auto c = hn::LoadU(bytes, block + at);
    const auto at_most = [&](auto value, char max) { return hn::Lt(value, set(static_cast<char>(max + 1))); };
    const auto is = [&](char one) { return hn::Eq(c, set(one)); };
    // Bit 0x20 maps capitals to small letters, and no other byte to a letter.
    all.letters |= mask_bits(bytes, at_most(hn::Sub(hn::Or(c, set(0x20)), set('a')), 25)) << at;
    all.digits |= mask_bits(bytes, at_most(hn::Sub(c, set('0')), 9)) << at;
    all.underscores |= mask_bits(bytes, is('_')) << at;
    all.high |= mask_bits(bytes, hn::Not(at_most(c, 0x7f))) << at;
    all.dots |= mask_bits(bytes, is('.')) << at;
    all.signs |= mask_bits(bytes, hn::Or(hn::Or(is('@'), is('&')), hn::Or(is('+'), is('#')))) << at;
    const auto both = hn::Or(is('.'), is('\''));
    all.between_letters |= mask_bits(bytes, hn::Or(both, is(':'))) << at;
    all.between_digits |= mask_bits(bytes, hn::Or(both, hn::Or(is(','), is(';')))) << at;
  }
  return all;
}

HWY_INLINE Classes classes_at(const char* text, std::size_t size, std::size_t at) {
  if (at >= size) return {};
  if (size - at >= 64) return token_classes(reinterpret_cast<const std::uint8_t*>(text + at));
  std::uint8_t block[64];
  std::memset(block, ' ', sizeof(block));
  std::memcpy(block, text + at, size - at);
  return token_classes(block);
}

void find_token_bits_target(const char* text, std::size_t size, std::size_t first_block, std::size_t blocks,
                            TokenBits* bits) {
  const std::size_t begin = first_block * 64;
  std::uint64_t letter_before = 0, digit_before = 0, dot_before = 0;  // the byte before, as bit 0
  if (begin > 0) {
    const Classes before = classes_at(text, size, begin - 64);
    letter_before = before.letters >> 63;
    digit_before = before.digits >> 63;
    dot_before = before.dots >> 63;
  }
  Classes here = classes_at(text, size, begin);
  for (std::size_t i = 0; i < blocks; ++i) {
    const Classes next = classes_at(text, size, begin + 64 * (i + 1));
    const std::uint64_t joins_letters =
        here.between_letters & (here.letters << 1 | letter_before) & (here.letters >> 1 | next.letters << 63);
    const std::uint64_t joins_digits =
        here.between_digits & (here.digits << 1 | digit_before) & (here.digits >> 1 | next.digits << 63);
    bits[i].words = here.letters | here.digits | here.underscores;
    bits[i].inside = bits[i].words | joins_letters | joins_digits;
    bits[i].odd = here.high | ((here.between_letters | here.between_digits) & (here.high >> 1 | next.high << 63));
    bits[i].slow = bits[i].odd | here.underscores;
    bits[i].care = (bits[i].inside & ~bits[i].words) | (bits[i].words & (here.dots << 1 | dot_before)) | here.signs;
    letter_before = here.letters >> 63;
    digit_before = here.digits >> 63;
    dot_before = here.dots >> 63;
    here = next;
  }
}

std::size_t find_places_target(const std::uint64_t* bits, std::size_t numbers, std::uint32_t base,
                               std::uint32_t* places) {
  const hn::CappedTag<std::uint32_t, kMorePlaces> lanes;
  const auto step = hn::Set(lanes, static_cast<std::uint32_t>(hn::Lanes(lanes)));
  auto here = hn::Iota(lanes, base);
  std::size_t found = 0;
  for (std::size_t i = 0; i < numbers; ++i)
    for (std::size_t at = 0; at < 64; at += hn::Lanes(lanes)) {
      std::uint8_t some[8];  // those that matter come first
      const std::uint64_t left = bits[i] >> at;
      std::memcpy(some, &left, sizeof(some));
      found += hn::CompressStore(here, hn::LoadMaskBits(lanes, some), lanes, places + found);
      here = hn::Add(here, step);
    }
  return found;
}

}  // namespace frond::text::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace frond::text {

HWY_EXPORT(find_token_bits_target);
HWY_EXPORT(find_places_target);

void find_token_bits(std::string_view text, std::size_t first_block, std::size_t blocks, TokenBits* bits) {
  HWY_DYNAMIC_DISPATCH(find_token_bits_target)(text.data(), text.size(), first_block, blocks, bits);
}

std::size_t find_places(const std::uint64_t* bits, std::size_t numbers, std::uint32_t base, std::uint32_t* places) {
  return HWY_DYNAMIC_DISPATCH(find_places_target)(bits, numbers, base, places);
}

}  // namespace frond::text
#endif
