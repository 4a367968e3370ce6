#include "leaf/served_collections.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "common/base/threads/pause.h"
#include "common/base/threads/thread_name.h"

namespace frond::leaf {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds kLookEvery{1000}, kLookLocally{100};  // a folder is read in microseconds
constexpr milliseconds kPatience{2000};                      // for a removed collection's transfer; asked again then

// Leaves out all but kMaxCollections of the sorted names: of those that are not known, the last.
void leave_out(std::vector<std::string>& names, const std::set<std::string>& known) {
  for (auto last = names.end(); names.size() > kMaxCollections && last != names.begin();)
    if (--last; !known.contains(*last)) last = names.erase(last);
  names.resize(std::min(names.size(), kMaxCollections));
}

void count(const repository::TransferCounts& one, repository::TransferCounts& to) {
  to.bytes += one.bytes;
  to.broken += one.broken;
  to.slow += one.slow;
  to.resumed += one.resumed;
}

}  // namespace

Result<std::unique_ptr<ServedCollections>> ServedCollections::open(ServedCollection::Shared shared,
                                                                   const generation::DataFolder& root,
                                                                   std::vector<CollectionPlace> places) {
  std::unique_ptr<ServedCollections> opened(new ServedCollections(std::move(shared)));
  const Options& options = opened->shared_.options;
  if (opened->follows()) {
    auto names = listed_collections(options);
    const auto kept = kept_collections(options.data, root);
    if (!names) names = kept;
    leave_out(*names, std::set(kept.begin(), kept.end()));
    for (const std::string& name : *names) places.push_back(FROND_TRY(open_source(options, name)));
  }
  FROND_TRY(open_folders(places, options.data, root, opened->shared_.log));
  const MutexLock lock(opened->mutex_);
  for (CollectionPlace& place : places) opened->all_.push_back({std::move(place), nullptr});
  for (Held& held : opened->all_) held.served = std::make_unique<ServedCollection>(opened->shared_, held.place);
  if (opened->follows()) {
    opened->routing_ = std::make_unique<serve::Collections>(opened->shared_.identity);
    opened->route();
  } else {
    std::vector<serve::Collections::One> all;
    for (Held& held : opened->all_) all.push_back(held.served->served(/*may_end=*/false));
    opened->routing_ = std::make_unique<serve::Collections>(std::move(all));
  }
  return opened;
}

void ServedCollections::route() {
  std::vector<serve::Collections::One> all;
  for (Held& held : all_) all.push_back(held.served->served(/*may_end=*/true));
  routing_->set(std::move(all));
}

repository::TransferCounts ServedCollections::transfers() const {
  const MutexLock lock(mutex_);
  repository::TransferCounts all = ended_;
  for (const Held& held : all_) count(held.place.source->transfers(), all);
  return all;
}

void ServedCollections::start() {
  {
    const MutexLock lock(mutex_);
    for (const Held& held : all_) held.served->start();
  }
  if (follows()) thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

bool ServedCollections::stop(milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  const auto left = [&] {
    return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now()));
  };
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  bool ended = true;
  const MutexLock lock(mutex_);
  for (const Held& held : all_) ended &= held.served->stop(left());
  for (const Held& held : removed_) ended &= held.served->stop(left());
  return ended;
}

void ServedCollections::run(const std::stop_token& stop) {
  name_this_thread("leaf-collections");
  const bool local = shared_.options.repository.find("://") == std::string::npos;
  const milliseconds every = local ? kLookLocally : std::min(kLookEvery, milliseconds(shared_.options.poll_ms));
  do {
    look();
    end_unused();
  } while (pause_for(every, stop));
}

void ServedCollections::look() {
  auto names = listed_collections(shared_.options);
  if (!names) {
    if (std::exchange(unreadable_, names.error().message()) != names.error().message())
      shared_.log.warn("the repository's collections can't be listed; those that were known are served",
                       {{"reason", unreadable_}});
    return;
  }
  unreadable_.clear();
  if (names->size() > kMaxCollections) {
    if (!std::exchange(told_too_many_, true))
      shared_.log.error("the repository has more collections than a leaf serves: new ones are not served",
                        {{"collections", std::to_string(names->size())}, {"most", std::to_string(kMaxCollections)}});
    std::set<std::string> served;
    {
      const MutexLock lock(mutex_);
      for (const Held& held : all_) served.insert(held.place.name);
    }
    leave_out(*names, served);
  } else {
    told_too_many_ = false;
  }
  std::vector<Held> gone;
  std::set<std::string> known;
  {
    const MutexLock lock(mutex_);
    const auto stays = [&](const Held& held) { return std::ranges::binary_search(*names, held.place.name); };
    const auto rest = std::stable_partition(all_.begin(), all_.end(), stays);
    std::move(rest, all_.end(), std::back_inserter(gone));
    all_.erase(rest, all_.end());
    if (!gone.empty()) route();
    for (const Held& held : all_) known.insert(held.place.name);
  }
  for (Held& held : gone) remove(std::move(held));
  for (const std::string& name : *names) {
    // The files of an earlier one of this name are removed first.
    if (known.contains(name) || std::ranges::any_of(removed_, [&](const Held& one) { return one.place.name == name; }))
      continue;
    const auto added = add(name);
    if (!added && refused_[name] != added.error().message())
      shared_.log.error("a collection can't be served", {{"collection", name}, {"reason", added.error().message()}});
    if (added)
      refused_.erase(name);
    else
      refused_[name] = added.error().message();
  }
  std::erase_if(refused_, [&](const auto& one) { return !std::ranges::binary_search(*names, one.first); });
}

Result<void> ServedCollections::add(const std::string& name) {
  Held held{FROND_TRY(open_source(shared_.options, name)), nullptr};
  FROND_TRY(open_own_folder(held.place, shared_.options.data));
  held.served = std::make_unique<ServedCollection>(shared_, held.place);
  held.served->start();
  shared_.log.info("serving a collection", {{"collection", name}});
  const MutexLock lock(mutex_);
  const auto at = std::ranges::upper_bound(all_, name, {}, [](const Held& one) { return one.place.name; });
  all_.insert(at, std::move(held));
  route();
  return {};
}

void ServedCollections::remove(Held held) {
  shared_.log.info("a collection is gone from the repository: it is served no more", {{"collection", held.place.name}});
  removed_.push_back(std::move(held));
}

// Of those that were removed: stops their threads, then deletes what they had.
void ServedCollections::end_unused() {
  std::erase_if(removed_, [&](Held& held) {
    if (!held.served->stop(kPatience) || !held.served->idle()) return false;
    const std::string name = held.place.name;
    held.served = nullptr;
    shared_.registry.remove("collection", name);
    {
      const MutexLock lock(mutex_);
      count(held.place.source->transfers(), ended_);
    }
    delete_folder(held.place, shared_.options.data);
    return true;
  });
}

}  // namespace frond::leaf
