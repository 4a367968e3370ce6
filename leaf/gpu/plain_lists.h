#pragma once
// The plain forms of lists (list_kernels.h) in device memory: which lists have one, and when one is made. They share
// the lists' arena, up to a budget of their own, and never displace a list: where lists need room, forms are dropped
// first.
//
// A form is made once the documents that were looked up in its list are `pays` times the list's postings: by then the
// form would have paid for itself. Forms are evicted as lists are (leaf/lists/kept_lists.h); one that no plan uses any
// more releases its memory. Thread-safe, but for make().
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/base/mutex.h"
#include "common/device/arena.h"
#include "leaf/gpu/batch_builder.h"
#include "leaf/gpu/list_copier.h"
#include "leaf/lists/kept_lists.h"

namespace frond::leaf::gpu {

class PlainLists {
 public:
  struct Options {
    std::size_t bytes = 0;  // of all forms; 0: none are made
    // Documents looked up in a list, by its postings, before its form is made. Making one decodes and writes all
    // postings; a look-up in it saves a few loads and the decoding of 16.
    double pays = 4;
  };
  struct Counters {
    std::uint64_t made = 0, used = 0;      // forms; lists of plans that were looked up in their forms
    std::uint64_t bytes = 0, entries = 0;  // held now
  };

  // `arena` outlives this.
  PlainLists(device::Arena& arena, const Options& options) : arena_(arena), options_(options), kept_(options.bytes) {}

  // The list's form for a plan that looks up to `documents` documents up in it; null: there is none. `wanted` becomes
  // true if make() is to be called for the list: each time that so many documents were looked up in it.
  std::shared_ptr<const ResidentPlain> find(const ResidentList& list, std::uint64_t documents, bool& wanted);
  // Makes the list's form, if there is room and it has none yet, and waits. kDevice. REQUIRES: one thread at a time.
  Result<void> make(const ResidentList& list, ListCopier& copier);
  // False: there is none that no plan uses.
  bool evict_unused();
  void forget(std::uint64_t partition);
  Counters counters() const;

 private:
  device::Arena& arena_;
  const Options options_;
  std::atomic<std::uint64_t> used_{0};
  mutable Mutex mutex_;
  lists::KeptLists kept_ FROND_GUARDED_BY(mutex_);
  std::uint64_t made_ FROND_GUARDED_BY(mutex_) = 0;
};

}  // namespace frond::leaf::gpu
