#pragma once
// Hands out parts of one piece of memory, one behind the other; without memory, counts them.
#include <cstddef>
#include <utility>

namespace frond::indexer::invert::gpu {

constexpr std::size_t in_granules(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

class DeviceParts {
 public:
  explicit DeviceParts(std::byte* at) : at_(at) {}
  template <class T>
  T* next(std::size_t count) {
    used_ += in_granules(count * sizeof(T));
    return at_ == nullptr ? nullptr : reinterpret_cast<T*>(std::exchange(at_, at_ + in_granules(count * sizeof(T))));
  }
  std::size_t used() const { return used_; }

 private:
  std::byte* at_;
  std::size_t used_ = 0;
};

template <class T>
std::byte* bytes_of(T* at) {
  return reinterpret_cast<std::byte*>(at);
}
template <class T>
const std::byte* bytes_of(const T* at) {
  return reinterpret_cast<const std::byte*>(at);
}

}  // namespace frond::indexer::invert::gpu
