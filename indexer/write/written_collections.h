#pragma once
// The collections of a repository that this service writes. A thread looks each second for collections that were made
// or removed by others, and takes over those whose service has ended.
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "common/base/budget.h"
#include "common/base/mutex.h"
#include "indexer/write/collection_writer.h"

namespace frond::indexer::write {

// Thread-safe.
class WrittenCollections {
 public:
  // `log` and `registry` outlive it. Looks at the repository before it returns. Errors as CollectionPlaces::open().
  static Result<std::unique_ptr<WrittenCollections>> open(WriterOptions options, metrics::Registry& registry,
                                                          Logger& log);
  WrittenCollections(const WrittenCollections&) = delete;
  WrittenCollections& operator=(const WrittenCollections&) = delete;

  // By collection, why it is not written here; and how many are.
  struct States {
    std::size_t writing = 0;
    std::map<std::string, std::string> standby;
    std::map<std::string, std::string> refused;  // of these, whose log or files are damaged
  };
  States states() const;
  std::vector<Budget> budgets() const;
  // kNotFound: there is no such collection; kOverloaded: another service writes it; kUnavailable: it can't be opened,
  // and why.
  Result<std::shared_ptr<CollectionWriter>> find(const std::string& collection);
  // False: it exists. kInvalid: a wrong name, or wrong settings; kOverloaded: there are as many collections as may be;
  // kCorrupt: something else is in the way, and where.
  Result<bool> create(const std::string& collection, std::string_view settings);
  // With all its files; also one that can't be opened, or that a creation left that died. kNotFound; kOverloaded:
  // another service writes it; kUnavailable: what can't be removed, and why.
  Result<void> remove(const std::string& collection);
  // What clients keep for all collections, as CollectionWriter::metadata(), without a schema. Of several services that
  // write collections of one repository at the same time, the last one's stays.
  Result<CollectionWriter::Metadata> metadata() const;
  Result<CollectionWriter::Metadata> put_metadata(std::string text, const std::string& version);
  // At the end of the service: accepts no more changes (kUnavailable). Returns who writes.
  std::map<std::string, std::shared_ptr<CollectionWriter>> stop_accepting();
  // Does that, publishes what was accepted, until `end`, and gives up each collection. What is not published stays in
  // its log, which is logged.
  void finish(std::chrono::steady_clock::time_point end);

 private:
  // Why it is not written, by collection.
  struct Entry {
    std::shared_ptr<CollectionWriter> writer;  // null: see error
    Error error{Code::kNotFound, ""};
    bool beyond = false;  // max_collections
    // The last change that was accepted when this was looked at, and all before it were published: how long it waits.
    Sequence awaited = 0;
    std::chrono::steady_clock::time_point awaited_since;
    std::chrono::steady_clock::time_point again{};  // when what is damaged is looked at again
    // Of a creation that died: no collection.
    bool is_remains() const { return !writer && !beyond && error.code() == Code::kNotFound; }
  };
  WrittenCollections(WriterOptions options, std::unique_ptr<CollectionPlaces> places, metrics::Registry& registry,
                     Logger& log);
  const CollectionPlaces& places() const { return *service_.places; }
  void look_loop(const std::stop_token& stop);
  void look() FROND_REQUIRES(changing_);
  void open(const std::string& collection) FROND_REQUIRES(changing_);
  void forget(const std::string& collection) FROND_REQUIRES(changing_);
  Result<void> remove_held(const std::string& collection, bool opened) FROND_REQUIRES(changing_);
  Result<void> expect_unwritten(const std::string& collection) FROND_REQUIRES(changing_);
  std::size_t taken() const FROND_REQUIRES(mutex_);
  bool ending() const;
  void tell();

  WriterService service_;
  const WriterOptions& options_ = service_.options;
  Logger& log_ = service_.log;
  bool told_unreadable_ FROND_GUARDED_BY(changing_) = false;
  bool told_too_many_ FROND_GUARDED_BY(changing_) = false;
  std::map<std::string, Standby, std::less<>> standbys_ FROND_GUARDED_BY(changing_);
  Mutex changing_;                // which collections there are; held while they are opened and removed
  mutable Mutex mutex_;           // of `entries_` alone; taken inside `changing_`
  mutable Mutex metadata_mutex_;  // of the file
  std::map<std::string, Entry, std::less<>> entries_ FROND_GUARDED_BY(mutex_);
  bool ending_ FROND_GUARDED_BY(mutex_) = false;
  std::jthread looker_;  // last: ends first
};

}  // namespace frond::indexer::write
