#pragma once
// The plain data of a batch, put together on the host as it will lie in device memory.
#include <cstddef>
#include <cstring>
#include <vector>

#include "common/base/bytes.h"

namespace frond::leaf::gpu {

// Appends `values` to `bytes`, which will be copied to `base`, each array on 16 bytes. Returns where they will be.
template <class T>
T* place(const std::vector<T>& values, const std::byte* base, ByteBuffer& bytes) {
  const std::size_t at = (bytes.size() + 15) / 16 * 16;
  bytes.resize((at + values.size() * sizeof(T) + 15) / 16 * 16);
  if (!values.empty()) std::memcpy(bytes.data() + at, values.data(), values.size() * sizeof(T));
  return reinterpret_cast<T*>(const_cast<std::byte*>(base) + at);
}

}  // namespace frond::leaf::gpu
