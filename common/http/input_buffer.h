#pragma once
// Bytes that have arrived and are not used yet. Internal to this folder. One thread.
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace frond::http {

class InputBuffer {
 public:
  static constexpr std::size_t kRoom = 16 << 10, kLeastRoom = 4 << 10;

  std::string_view bytes() const { return {data_.get(), size_}; }
  bool empty() const { return size_ == 0; }

  // Room behind what is there, kLeastRoom at least; not cleared, so that a read costs what it brings. Valid until the
  // next call of another method.
  std::span<char> room() {
    if (capacity_ - size_ < kLeastRoom) {
      const std::size_t capacity = size_ + kRoom;
      auto larger = std::make_unique_for_overwrite<char[]>(capacity);
      if (size_ != 0) std::memcpy(larger.get(), data_.get(), size_);
      data_ = std::move(larger);
      capacity_ = capacity;
    }
    return {data_.get() + size_, capacity_ - size_};
  }
  // As many of them have been filled.
  void filled(std::size_t count) { size_ += count; }
  // Takes bytes from the front.
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
