#pragma once
// Memory of long texts that a thread uses again: threads that take and free it for each document wait for each other in
// the allocator. Any thread, each for itself.
#include <string>
#include <utility>

namespace frond::indexer::ingest {

inline constexpr std::size_t kMaxTextMemory = std::size_t{1} << 20;  // a thread keeps no more

inline std::string& text_memory() {
  thread_local std::string memory;
  return memory;
}
// An empty text, which may have memory that was given back.
inline std::string take_text_memory() {
  std::string text = std::exchange(text_memory(), {});
  text.clear();
  return text;
}
inline void give_text_memory(std::string&& text) {
  if (text.capacity() > text_memory().capacity() && text.capacity() <= kMaxTextMemory) text_memory() = std::move(text);
}

}  // namespace frond::indexer::ingest
