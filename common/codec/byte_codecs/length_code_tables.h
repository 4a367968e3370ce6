#pragma once
// For each code byte, that is four 2-bit lengths: the bytes of its four numbers, and the shuffle that puts them in
// place.
#include <array>
#include <cstdint>

namespace frond::codec {

struct LengthCodeTables {
  std::array<std::uint8_t, 256> bytes{};                                // of the four numbers, 4 .. 16
  alignas(16) std::array<std::array<std::uint8_t, 16>, 256> shuffle{};  // byte of the input; 0x80: a zero byte
};

constexpr LengthCodeTables make_length_code_tables() {
  LengthCodeTables tables;
  for (unsigned code = 0; code < 256; ++code) {
    std::uint8_t from = 0;
    for (unsigned number = 0; number < 4; ++number) {
      const unsigned length = (code >> (2 * number) & 3) + 1;
      for (unsigned byte = 0; byte < 4; ++byte)
        tables.shuffle[code][4 * number + byte] = byte < length ? from++ : std::uint8_t{0x80};
    }
    tables.bytes[code] = from;
  }
  return tables;
}
inline constexpr LengthCodeTables kLengthCodeTables = make_length_code_tables();

}  // namespace frond::codec
