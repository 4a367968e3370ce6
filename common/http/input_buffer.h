#pragma once
// Bytes received and not used yet. Internal to this folder. One thread.
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace frond::http {

class InputBuffer {
 public:
  static constexpr std::size_t kRoom = 16 << 10, kMinRoom = 4 << 10;

  std::string_view bytes() const { return {data_.get(), size_}; }
  bool empty() const { return size_ == 0; }

  // At least kMinRoom bytes after those received; not cleared, so that a small read costs little. Valid until the next
  // call of another method.
  std::span<char> room() {
    if (capacity_ - size_ < kMinRoom) {
      const std::size_t capacity = size_ + kRoom;
      auto larger = std::make_unique_for_overwrite<char[]>(capacity);
      if (size_ != 0) std::memcpy(larger.get(), data_.get(), size_);
      data_ = std::move(larger);
      capacity_ = capacity;
    }
    return {data_.get() + size_, capacity_ - size_};
  }
  // The first `count` bytes of room() have been filled.
  void filled(std::size_t count) { size_ += count; }
  // Removes bytes from the front.
  void use(std::size_t count) {
    size_ -= count;
    if (size_ != 0 && count != 0) std::memmove(data_.get(), data_.get() + count, size_);
  }
  void clear() { size_ = 0; }

 private:
  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace frond::http
