#pragma once
// A lock that is held for less time than a thread takes to sleep and wake: with a mutex, each meeting of two threads
// costs tens of microseconds.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "common/base/mutex.h"

namespace frond::indexer::invert::gpu {

// Who waits for long, since the holder's thread does not run, lets others run.
class FROND_THREAD_ANNOTATION(capability("mutex")) SpinLock {
 public:
  void lock() FROND_THREAD_ANNOTATION(acquire_capability()) {
    constexpr int kTries = 1000;
    for (int tries = 0; locked_.exchange(true, std::memory_order_acquire);)
      while (locked_.load(std::memory_order_relaxed)) {
        if (++tries < kTries)
          __builtin_ia32_pause();
        else
          std::this_thread::yield();
      }
  }
  void unlock() FROND_THREAD_ANNOTATION(release_capability()) { locked_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> locked_ = false;
};

class FROND_THREAD_ANNOTATION(scoped_lockable) SpinGuard {
 public:
  explicit SpinGuard(SpinLock& lock) FROND_THREAD_ANNOTATION(acquire_capability(lock)) : lock_(lock) { lock_.lock(); }
  ~SpinGuard() FROND_THREAD_ANNOTATION(release_capability()) { lock_.unlock(); }
  SpinGuard(const SpinGuard&) = delete;
  SpinGuard& operator=(const SpinGuard&) = delete;

 private:
  SpinLock& lock_;
};

// Numbers of terms: 0, 1, 2 ... as they are met. Several threads may add terms at a time; then numbers differ from run
// to run, which no reader of runs sees, since runs have terms in byte order. Where there are a million, some ten
// thousand numbers have no term.

class TermNumbers {
 public:
  TermNumbers();
  ~TermNumbers();
  TermNumbers(const TermNumbers&) = delete;
  TermNumbers& operator=(const TermNumbers&) = delete;

  // Any thread. Less than 2^31 terms.
  std::uint32_t number_of(std::string_view term) { return number_of(term, hash_of(term)); }
  static std::uint64_t hash_of(std::string_view term);
  std::uint32_t number_of(std::string_view term, std::uint64_t hash);
  // Threads that look for terms of different groups of hashes do not meet.
  static std::uint32_t group_of(std::uint64_t hash, std::uint32_t groups) {
    return static_cast<std::uint32_t>((hash >> kPlaceBits) * groups / kShards);
  }
  // Fetches into the caches where number_of() will look first. Who asks for many terms waits less.
  void fetch_slot(std::uint64_t hash) const {
    const Shard& shard = shards_[hash >> kPlaceBits];
    __builtin_prefetch(shard.first_slot.load(std::memory_order_relaxed) +
                       (static_cast<std::uint32_t>(hash) & shard.mask.load(std::memory_order_relaxed)));
  }

  // While no thread adds terms. All numbers are less.
  std::uint32_t size() const { return count_.load(std::memory_order_relaxed); }
  std::string_view term(std::uint32_t number) const;
  void fetch(std::uint32_t number) const;  // its bytes, into the caches
  // Calls visit(number, term) for all terms of a shard, less than kShards, in the order in which they came.
  static constexpr std::size_t kShards = 1024;
  template <class Visit>
  void for_each(std::size_t shard, Visit&& visit) const {
    const char* const end = shards_[shard].bytes.data() + shards_[shard].bytes.size();
    for (const char* at = shards_[shard].bytes.data(); at != end;) {
      const Record record = record_at(at);
      at = record.term.data() + record.term.size();
      visit(record.number, record.term);
    }
  }
  std::uint64_t memory_bytes() const;
  void clear();
  // No more terms will be added: frees the memory that finds them.
  void end_adding();

 private:
  static constexpr std::size_t kBlock = 1 << 16, kMaxBlocks = (std::size_t{1} << 31) / kBlock;
  struct Slot {
    std::uint32_t hash = 0, number_plus_1 = 0;  // 0: free
  };
  // The terms of some hashes.
  struct alignas(128) Shard {
    SpinLock lock;
    std::vector<Slot> slots FROND_GUARDED_BY(lock);  // a power of two
    // Of the slots, for fetch_slot(), which may be late: it reads nothing.
    std::atomic<const Slot*> first_slot = nullptr;
    std::atomic<std::uint32_t> mask = 0;
    std::size_t terms FROND_GUARDED_BY(lock) = 0;
    std::uint32_t next FROND_GUARDED_BY(lock) = 0, end FROND_GUARDED_BY(lock) = 0;  // numbers for new terms
    std::vector<char> bytes;  // a Head and bytes of each; added to under the lock
  };
  struct Head {
    std::uint32_t number, size;
  };
  struct Record {
    std::uint32_t number;
    std::string_view term;
  };
  // Where a term is: its shard in the upper bits, and the place in its bytes.
  using Place = std::uint64_t;
  static constexpr int kPlaceBits = 54;

  static Record record_at(const char* at) {
    Head head{};
    std::memcpy(&head, at, sizeof head);
    return {head.number, {at + sizeof head, head.size}};
  }
  std::string_view at(const Shard& shard, Place place) const;
  Place place_of(std::uint32_t number) const {
    return blocks_[number / kBlock].load(std::memory_order_acquire)[number % kBlock];
  }
  void set_place(std::uint32_t number, Place place);
  std::uint32_t new_number(Shard& shard) FROND_REQUIRES(shard.lock);
  static void grow(Shard& shard) FROND_REQUIRES(shard.lock);
  static void set_slots(Shard& shard, std::vector<Slot> slots) FROND_REQUIRES(shard.lock);

  std::array<Shard, kShards> shards_;
  std::unique_ptr<std::atomic<Place*>[]> blocks_;
  Mutex adding_block_;
  std::atomic<std::uint32_t> count_ = 0;
};

}  // namespace frond::indexer::invert::gpu
