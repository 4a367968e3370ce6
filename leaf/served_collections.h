#pragma once
// All collections that a leaf serves: those of --collection, or with '*' those that the repository has. Then a thread,
// leaf-collections, looks for new ones and removed ones every second (sooner where --poll-ms is less): a new one gets
// its threads and a folder; a removed one loses its threads, files and metrics, as soon as no request uses it.
//
// Made, started and stopped on the main thread.
#include <chrono>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/repository/repository.h"
#include "leaf/served_collection.h"

namespace frond::leaf {

class ServedCollections {
 public:
  // `root`: the open data folder. The parts of `shared` outlive this. Errors as open_folders().
  static Result<std::unique_ptr<ServedCollections>> open(ServedCollection::Shared shared,
                                                         const generation::DataFolder& root,
                                                         std::vector<CollectionPlace> places);
  ServedCollections(const ServedCollections&) = delete;
  ServedCollections& operator=(const ServedCollections&) = delete;

  const serve::Collections& routing() const { return *routing_; }
  // Of all collections that there were. Any thread.
  repository::TransferCounts transfers() const;
  void start();
  // As ServedCollection::stop(), of all.
  bool stop(std::chrono::milliseconds patience);

 private:
  struct Held {
    CollectionPlace place;
    std::unique_ptr<ServedCollection> served;  // ends before its place
  };
  explicit ServedCollections(ServedCollection::Shared shared) : shared_(std::move(shared)) {}
  bool follows() const { return shared_.options.all_collections; }
  void run(const std::stop_token& stop);
  void look();
  Result<void> add(const std::string& name);
  void remove(Held held);
  void end_unused();
  void route() FROND_REQUIRES(mutex_);

  const ServedCollection::Shared shared_;
  std::unique_ptr<serve::Collections> routing_;
  mutable Mutex mutex_;
  std::vector<Held> all_ FROND_GUARDED_BY(mutex_);  // as in --collection, else by name
  repository::TransferCounts ended_ FROND_GUARDED_BY(mutex_);
  // Of the thread.
  std::vector<Held> removed_;                   // still used
  std::string unreadable_;                      // why the repository could not be read, as logged last
  std::map<std::string, std::string> refused_;  // by collection: why it could not be opened, as logged
  bool told_too_many_ = false;
  std::jthread thread_;  // last: ends first
};

}  // namespace frond::leaf
