#pragma once
// Byte spans and buffers, and the cursors that read and write them: little-endian, bounds-checked.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace frond {

using ByteView = std::span<const std::byte>;
using ByteBuffer = std::vector<std::byte>;

inline ByteView as_bytes(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }
inline std::string_view as_text(ByteView bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// Loads and stores at any alignment. The stored order is little-endian, which every supported machine has.
template <class T>
requires std::is_trivially_copyable_v<T> T load_le(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
requires std::is_trivially_copyable_v<T>
void store_le(std::byte* to, T value) { std::memcpy(to, &value, sizeof value); }

// Appends to a buffer.
class ByteWriter {
 public:
  explicit ByteWriter(ByteBuffer& out) : out_(out) {}
  template <class T>
  requires std::is_integral_v<T> || std::is_floating_point_v<T>
  void put(T value) {
    const auto at = out_.size();
    out_.resize(at + sizeof value);
    store_le(out_.data() + at, value);
  }
  // LEB128: 7 bits a byte, low bits first.
  void put_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<std::byte>(value | 0x80));
    out_.push_back(static_cast<std::byte>(value));
  }
  void put_bytes(ByteView bytes) { out_.insert(out_.end(), bytes.begin(), bytes.end()); }
  // Length as a varint, then the bytes.
  void put_text(std::string_view text) {
    put_varint(text.size());
    put_bytes(as_bytes(text));
  }
  void align(std::size_t to) { out_.resize((out_.size() + to - 1) / to * to); }
  std::size_t size() const { return out_.size(); }

 private:
  ByteBuffer& out_;
};

// Reads from the front of untrusted bytes. After the first read past the end, ok() stays false and reads return zeros
// and empty views, so a parser may read a whole record and check ok() once.
class ByteReader {
 public:
  explicit ByteReader(ByteView in) : in_(in) {}
  bool ok() const { return ok_; }
  bool at_end() const { return in_.empty(); }
  std::size_t left() const { return in_.size(); }
  template <class T>
  requires std::is_integral_v<T> || std::is_floating_point_v<T> T get() {
    const auto bytes = get_bytes(sizeof(T));
    return ok_ ? load_le<T>(bytes.data()) : T{};
  }
  std::uint64_t get_varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = get<std::uint8_t>();
      if (shift == 63 && byte > 1) break;
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return ok_ ? value : 0;
    }
    fail();
    return 0;
  }
  ByteView get_bytes(std::uint64_t count) {
    if (!ok_ || count > in_.size()) {
      fail();
      return {};
    }
    const auto front = in_.first(count);
    in_ = in_.subspan(count);
    return front;
  }
  std::string_view get_text() { return as_text(get_bytes(get_varint())); }

 private:
  void fail() {
    ok_ = false;
    in_ = {};
  }
  ByteView in_;
  bool ok_ = true;
};

}  // namespace frond
