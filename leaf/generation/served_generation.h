#pragma once
// What the leaf serves: open partitions, generations, and the board that publishes the served set. Except for the board
// and the atomic members of ServedGeneration, everything is immutable. Queries share ownership of what they use, so a
// retired generation is destroyed when its last query ends.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/base/deadline.h"
#include "common/base/ids.h"
#include "common/base/log.h"
#include "common/base/mutex.h"
#include "common/base/placement.h"
#include "common/base/result.h"
#include "common/partition/documents/hidden_documents.h"
#include "common/partition/partition.h"
#include "common/partition/terms/change_file.h"
#include "common/partition/terms/term_statistics.h"
#include "common/repository/manifest.h"
#include "common/schema/schema.h"
#include "common/scoring/bm25.h"
#include "common/text/analyzer_config.h"

namespace frond::leaf::generation {

// Tells the list store which partitions are open. Both functions may be called from any thread. remove() is called
// while the partition is still open. When it returns, no list is being copied from the partition.
struct ListRegistration {
  std::function<void(std::uint64_t number, std::shared_ptr<const partition::Partition>)> add;
  std::function<void(std::uint64_t number)> remove;
};

// An open partition. It is registered with the list store for the lifetime of this object and shared by all
// generations that contain it.
class OpenPartition {
 public:
  // `number`: unique for the life of the process (ListKey::partition). `lists` outlives this.
  // `files`: as its manifest has them; empty: made by a test, nothing is scrubbed.
  OpenPartition(std::uint64_t number, std::string id, std::shared_ptr<const partition::Partition> partition,
                const ListRegistration& lists, std::vector<partition::PartitionFile> files = {})
      : number_(number), id_(std::move(id)), files_(std::move(files)), partition_(std::move(partition)), lists_(lists) {
    lists_.add(number_, partition_);
  }
  ~OpenPartition() { lists_.remove(number_); }
  OpenPartition(const OpenPartition&) = delete;
  OpenPartition& operator=(const OpenPartition&) = delete;

  std::uint64_t number() const { return number_; }
  const std::string& id() const { return id_; }
  const std::vector<partition::PartitionFile>& files() const { return files_; }
  const partition::Partition& partition() const { return *partition_; }
  // As Partition::intact(), and an error for good once it was condemned. Any thread.
  Result<void> intact() const {
    if (!condemned_.load(std::memory_order_acquire)) return partition_->intact();
    const MutexLock lock(mutex_);
    return *why_;
  }
  // What is read of it may be wrong, though no read fails. Any thread.
  void condemn(const Error& why) const {
    const MutexLock lock(mutex_);
    if (!why_) why_ = why;
    condemned_.store(true, std::memory_order_release);
  }
  // A search or fetch found it damaged: it is to be scrubbed before others. Any thread.
  mutable std::atomic<bool> suspected{false};

 private:
  const std::uint64_t number_;
  const std::string id_;
  const std::vector<partition::PartitionFile> files_;
  mutable std::atomic<bool> condemned_{false};
  mutable Mutex mutex_;
  mutable std::optional<Error> why_ FROND_GUARDED_BY(mutex_);
  const std::shared_ptr<const partition::Partition> partition_;
  const ListRegistration& lists_;
};

struct ServedPartition {
  std::uint32_t number = 0;  // in the generation
  Placement placement;
  std::shared_ptr<const OpenPartition> open;
  // Documents of the partition that the generation does not have; null: it has all.
  std::shared_ptr<const partition::HiddenDocuments> hidden{};
  std::uint64_t hidden_tokens = 0;  // of these

  // Of the generation.
  std::uint64_t documents() const { return open->partition().documents() - (hidden ? hidden->count() : 0); }
};

struct ServedGeneration {
  // Unique among all generations that this process has loaded. 0: made by a test; TermTable does not keep its terms.
  std::uint64_t serial = 0;
  Generation generation = 0;
  ContentId content = 0;
  std::uint32_t partitions_total = 0;  // on all leaves
  text::AnalyzerConfig analyzer;
  scoring::Bm25Parameters bm25;
  scoring::CollectionStatistics statistics;
  // Of a collection with a schema; null: it has none. `field_tokens`: Manifest::field_tokens.
  std::shared_ptr<const schema::Schema> schema{};
  std::string schema_text;
  std::vector<std::uint64_t> field_tokens;
  std::vector<ServedPartition> partitions;  // on this leaf, ascending number
  std::shared_ptr<const partition::GenerationTerms> terms;
  // What `terms` and `hidden` come from, by the names of their files in DataFolder; other generations may share them.
  std::shared_ptr<const partition::GenerationTerms> base_terms;
  std::vector<partition::ChangesPtr> changes;
  std::vector<std::string> files;  // of the base, then of the changes
  // When a request last named it, or when it was superseded. The grace time starts here.
  mutable std::atomic<Instant> last_used{Instant::min()};
  // Since when brokers are not told of it any more; max(): they are. Requests that name it are answered.
  mutable std::atomic<Instant> leaving_since{Instant::max()};

  GenerationId id() const { return {generation, content}; }
  const ServedPartition* find(std::uint32_t number) const {
    const auto at =
        std::lower_bound(partitions.begin(), partitions.end(), number,
                         [](const ServedPartition& one, std::uint32_t wanted) { return one.number < wanted; });
    return at != partitions.end() && at->number == number ? &*at : nullptr;
  }
};

using ServedSet = std::vector<std::shared_ptr<const ServedGeneration>>;  // the current generation last

// The generation's name for messages.
inline std::string name_of(const GenerationId& id) {
  return "generation " + std::to_string(id.number) + (id.content == 0 ? "" : " (content " + to_hex(id.content) + ")");
}

// The currently served set, and a description of any problem. Thread-safe.
class ServedBoard {
 public:
  std::shared_ptr<const ServedSet> get() const {
    const MutexLock lock(mutex_);
    return set_;
  }
  void put(ServedSet set) {
    auto next =
        std::make_shared<const ServedSet>(std::move(set));  // after the swap the old set, destroyed after unlocking
    const MutexLock lock(mutex_);
    set_.swap(next);
  }
  // Returns the generation and sets its last_used to `now`. Null: not served here. If several match, the latest in the
  // set wins, so the current one comes first.
  std::shared_ptr<const ServedGeneration> find(const GenerationId& wanted, Instant now) const {
    const auto set = get();
    for (auto one = set->rbegin(); one != set->rend(); ++one) {
      if (!(*one)->id().answers(wanted)) continue;
      (*one)->last_used.store(now, std::memory_order_relaxed);
      return *one;
    }
    return nullptr;
  }
  std::string detail() const {
    const MutexLock lock(mutex_);
    return detail_;
  }
  // Empty: no problem.
  void set_detail(std::string detail) {
    const MutexLock lock(mutex_);
    detail_ = std::move(detail);
  }

 private:
  mutable Mutex mutex_;
  std::shared_ptr<const ServedSet> set_ FROND_GUARDED_BY(mutex_) = std::make_shared<const ServedSet>();
  std::string detail_ FROND_GUARDED_BY(mutex_);
};

// Which documents of a partition a new generation hides. What a served generation hides already is taken from there, so
// the work is in proportion to the files of changes that are new, not to the partition or to all that is hidden.
struct Hidden {
  std::shared_ptr<const partition::HiddenDocuments> documents;  // null: none
  std::uint64_t tokens = 0;
};

// `entry`: of the new generation, whose files are `changes`; `opened` is its partition. kCorrupt: they are not those
// that the manifest counts.
Result<Hidden> hidden_of(const repository::PartitionEntry& entry, const OpenPartition& opened,
                         std::span<const partition::ChangesPtr> changes, const ServedSet& serving);

// Logs read errors of searches and fetches: the term or document, the partition, its folder and the reason. Writes at
// most one line for each partition and reason in ten seconds. The next line counts the errors left out since.
class DamageLog {
 public:
  // Both outlive this object.
  DamageLog(Logger& log, const Clock& clock) : log_(log), clock_(clock) {}
  // May be called from any thread. Logs only kCorrupt and kUnavailable: other errors (a deadline, overload) do not
  // indicate damage.
  void report(const OpenPartition& partition, const Error& why);

 private:
  struct Reported {
    Instant at{};  // the last line
    std::uint64_t suppressed = 0;
  };
  Logger& log_;
  const Clock& clock_;
  Mutex mutex_;
  std::map<std::pair<std::uint64_t, Code>, Reported> reported_ FROND_GUARDED_BY(mutex_);  // by OpenPartition::number
};

}  // namespace frond::leaf::generation
