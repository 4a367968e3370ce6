#pragma once
// A ListStore over list blobs in memory, for tests: counts what is asked of it, and can be made to fail or to wait.
#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "common/base/mutex.h"
#include "leaf/lists/list_store.h"

namespace frond::support {

// Segments from postings::ListBuilder, padded with codec::kReadSlack and opened. Owns the bytes.
leaf::lists::ListLease make_lease(std::span<const ByteBuffer> segments, leaf::lists::ListKey key = {});

class MemoryListStore final : public leaf::lists::ListStore {
 public:
  explicit MemoryListStore(const Clock& clock) : clock_(clock) {}
  void add(std::uint64_t partition, const std::string& term, std::span<const ByteBuffer> segments);
  // Called at the start of every fetch(), outside locks; an error is what fetch() answers.
  void before_fetch(std::function<Result<void>(std::span<const leaf::lists::ListKey>)> hook) {
    hook_ = std::move(hook);
  }

  Result<std::vector<leaf::lists::ListLease>> fetch(std::span<const leaf::lists::ListKey> keys,
                                                    Deadline deadline) override;

  std::uint64_t fetched() const { return fetched_; }  // keys

 private:
  const Clock& clock_;
  std::function<Result<void>(std::span<const leaf::lists::ListKey>)> hook_;
  std::atomic<std::uint64_t> fetched_{0};
  std::map<std::pair<std::uint64_t, std::string>, leaf::lists::ListLease> lists_;
};

}  // namespace frond::support
