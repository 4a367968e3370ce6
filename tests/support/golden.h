#pragma once
// Golden files hold bytes as hex, two digits a byte, 32 bytes a line.
#include <fstream>
#include <string>

#include "common/base/bytes.h"

namespace frond::support {

// Empty if there is no such file.
inline ByteBuffer read_hex(const std::string& path) {
  std::ifstream in(path);
  ByteBuffer bytes;
  for (std::string word; in >> word;)
    for (std::size_t i = 0; i + 1 < word.size(); i += 2)
      bytes.push_back(static_cast<std::byte>(std::stoul(word.substr(i, 2), nullptr, 16)));
  return bytes;
}

inline std::string to_hex(ByteView bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    constexpr char kDigits[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned>(bytes[i]);
    text += kDigits[byte / 16];
    text += kDigits[byte % 16];
    text += i % 32 == 31 || i + 1 == bytes.size() ? '\n' : ' ';
  }
  return text;
}

}  // namespace frond::support
