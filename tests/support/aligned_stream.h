#pragma once
// A codec's stream in words, as common/codec/stream_words.h describes it, followed by exactly its slack.
#include <cstdint>
#include <vector>

#include "common/base/bytes.h"
#include "common/codec/stream_words.h"

namespace frond::support {

class AlignedStream {
 public:
  // bytes.size() is a multiple of 4.
  explicit AlignedStream(ByteView bytes)
      : words_((bytes.size() + codec::kReadSlack) / 4, 0xa5a5a5a5u), size_(bytes.size()) {
    for (std::size_t i = 0; i < size_ / 4; ++i) words_[i] = load_le<std::uint32_t>(bytes.data() + 4 * i);
  }
  codec::StreamWords words() const { return {words_.data(), size_}; }
  std::uint32_t& operator[](std::size_t word) { return words_[word]; }

 private:
  std::vector<std::uint32_t> words_;
  std::uint64_t size_;
};

}  // namespace frond::support
