// Reading an object in ranges, several at a time, handed over in order.
#include <condition_variable>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/mutex.h"
#include "common/base/thread_name.h"
#include "common/objects/object_store.h"

namespace frond::objects {
namespace {

// The ranges behind the first one. Threads fetch them; next() hands them over in order. At most `threads` ranges wait
// or are being fetched. The memory of those that were used serves the next ones: making new memory for each costs as
// much as receiving it. So there are at most two buffers more than threads.
class Ranges {
 public:
  using Fetch = std::function<Result<ObjectRange>(std::uint64_t from, std::uint64_t length, const Stopping& stopping,
                                                  ByteBuffer room)>;

  Ranges(std::uint64_t from, std::uint64_t end, std::uint64_t length, unsigned threads, Fetch fetch, Stopping stopping)
      : from_(from),
        end_(end),
        length_(length),
        ahead_(threads),
        fetch_(std::move(fetch)),
        stopping_(std::move(stopping)) {
    const std::uint64_t ranges = (end - from + length - 1) / length;
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(threads, ranges); ++i)
      threads_.emplace_back([this] { run(); });
  }
  ~Ranges() {
    {
      const MutexLock lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Ranges(const Ranges&) = delete;
  Ranges& operator=(const Ranges&) = delete;

  // Called until all bytes were handed over.
  Result<ByteBuffer> next() {
    MutexLock lock(mutex_);
    while (!done_.contains(handed_over_)) changed_.wait(lock.mutex());
    auto node = done_.extract(handed_over_);
    ++handed_over_;
    changed_.notify_all();
    return std::move(node.mapped());
  }
  // What next() gave is no longer needed.
  void give_back(ByteBuffer room) {
    const MutexLock lock(mutex_);
    spare_.push_back(std::move(room));
  }

 private:
  void run() {
    name_this_thread("object-range");
    for (;;) {
      std::uint64_t index = 0;
      ByteBuffer room;
      {
        MutexLock lock(mutex_);
        while (!over_ && claimed_ >= handed_over_ + ahead_) changed_.wait(lock.mutex());
        if (over_ || from_ + claimed_ * length_ >= end_) return;
        index = claimed_++;
        if (!spare_.empty()) {
          room = std::move(spare_.back());
          spare_.pop_back();
        }
      }
      auto got = fetch_(
          from_ + index * length_, std::min(length_, end_ - from_ - index * length_),
          [this] { return is_over() || (stopping_ && stopping_()); }, std::move(room));
      {
        const MutexLock lock(mutex_);
        if (got)
          done_.emplace(index, std::move(got->bytes));
        else
          done_.emplace(index, std::move(got).error());
      }
      changed_.notify_all();
    }
  }
  bool is_over() {
    const MutexLock lock(mutex_);
    return over_;
  }

  const std::uint64_t from_, end_, length_, ahead_;
  const Fetch fetch_;
  const Stopping stopping_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::uint64_t, Result<ByteBuffer>> done_ FROND_GUARDED_BY(mutex_);
  std::vector<ByteBuffer> spare_ FROND_GUARDED_BY(mutex_);
  std::uint64_t claimed_ FROND_GUARDED_BY(mutex_) = 0, handed_over_ FROND_GUARDED_BY(mutex_) = 0;
  bool over_ FROND_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace

Result<void> ObjectStore::stream(const std::string& key, std::uint64_t from, const std::string& etag,
                                 std::uint64_t max_bytes, const std::function<Result<void>(const ObjectRange&)>& begin,
                                 const std::function<Result<void>(ByteView)>& sink, const Stopping& stopping) const {
  const std::uint64_t length = access_.part_bytes;
  if (from >= max_bytes) return Error(Code::kCorrupt, where(key) + ": begins behind its last byte");
  // A byte more than there may be, so that a small object is not taken for whole.
  ObjectRange first = FROND_TRY(get(key, from, std::min(length, max_bytes - from + 1), etag, stopping));
  if (first.total > max_bytes)
    return Error(Code::kCorrupt, where(key) + ": " + std::to_string(first.total) + " bytes, more than it may have");
  FROND_TRY(begin(first));
  FROND_TRY(sink(first.bytes));
  std::uint64_t at = from + first.bytes.size();
  if (at >= first.total) return {};
  const auto fetch = [&](std::uint64_t start, std::uint64_t bytes, const Stopping& stop,
                         ByteBuffer room) -> Result<ObjectRange> {
    auto range = FROND_TRY(get(key, start, bytes, first.etag, stop, std::move(room)));
    if (range.total != first.total || range.bytes.size() != bytes)
      return Error(Code::kCorrupt, where(key) + ": another size than before");
    return range;
  };
  Ranges ranges(at, first.total, length, access_.connections, fetch, stopping);
  ranges.give_back(std::move(first.bytes));
  while (at < first.total) {
    ByteBuffer bytes = FROND_TRY(ranges.next());
    FROND_TRY(sink(bytes));
    at += bytes.size();
    ranges.give_back(std::move(bytes));
  }
  return {};
}

}  // namespace frond::objects
