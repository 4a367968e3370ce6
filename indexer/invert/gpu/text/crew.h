#pragma once
// Threads that stay, for work on many items that comes often: beginning and ending a thread makes all others of the
// process wait, since it changes the process's memory.
#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <thread>
#include <type_traits>
#include <vector>

#include "common/base/mutex.h"

namespace frond::indexer::invert::gpu {

// One thread calls.
class Crew {
 public:
  // With the caller's; the others are called "texts-i". At least 1.
  explicit Crew(std::uint32_t threads);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // How many threads are worth it for `count` items, of which each should have at least `least`.
  std::uint32_t parts_of(std::size_t count, std::size_t least) const {
    return static_cast<std::uint32_t>(
        std::clamp<std::size_t>(count / std::max<std::size_t>(1, least), 1, threads_.size() + 1));
  }
  // The same for more and smaller parts: where the system has other work for some threads, the rest of the crew takes
  // their share.
  std::uint32_t small_parts_of(std::size_t count, std::size_t least) const {
    return static_cast<std::uint32_t>(
        std::clamp<std::size_t>(count / std::max<std::size_t>(1, least), 1, kSmallParts * (threads_.size() + 1)));
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(threads_.size() + 1); }
  // Calls work(part, begin, end) for consecutive parts [begin, end) of `count` items, by several threads. What any of
  // them throws is thrown here, when all have ended.
  template <class Work>
  void in_parts(std::size_t count, std::uint32_t parts, Work&& work) {
    by_threads(count, parts, [&work](std::uint32_t, std::uint32_t part, std::size_t begin, std::size_t end) {
      work(part, begin, end);
    });
  }
  // Calls work(thread, part, begin, end). thread: less than size(), a part at a time.
  template <class Work>
  void by_threads(std::size_t count, std::uint32_t parts, Work&& work) {
    auto one = [&work, count, parts](std::uint32_t thread, std::uint32_t part) {
      work(thread, part, count * part / parts, count * (part + 1) / parts);
    };
    run(
        parts,
        [](void* call, std::uint32_t thread, std::uint32_t part) {
          (*static_cast<decltype(one)*>(call))(thread, part);
        },
        &one);
  }

 private:
  static constexpr std::size_t kSmallParts = 4;  // of a thread
  using Call = void (*)(void* work, std::uint32_t thread, std::uint32_t part);
  void run(std::uint32_t parts, Call call, void* work);
  void work_on_parts(std::uint32_t thread) FROND_REQUIRES(mutex_);
  void follow(std::uint32_t thread);

  Mutex mutex_;
  std::condition_variable_any begun_, ended_;
  Call call_ FROND_GUARDED_BY(mutex_) = nullptr;
  void* work_ FROND_GUARDED_BY(mutex_) = nullptr;
  std::uint32_t next_ FROND_GUARDED_BY(mutex_) = 0, parts_ FROND_GUARDED_BY(mutex_) = 0;  // the next part to begin
  std::uint32_t left_ FROND_GUARDED_BY(mutex_) = 0;                                       // parts that have not ended
  std::exception_ptr thrown_ FROND_GUARDED_BY(mutex_);
  bool leaving_ FROND_GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> threads_;
};

}  // namespace frond::indexer::invert::gpu
