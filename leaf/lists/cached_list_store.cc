#include "leaf/lists/cached_list_store.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <future>
#include <string>
#include <unordered_map>
#include <utility>

#include "common/base/mutex.h"
#include "leaf/lists/kept_lists.h"

namespace frond::leaf::lists {
namespace {

constexpr std::size_t kListAlignment = 64;

std::size_t padded(std::size_t segment_bytes) {
  return (segment_bytes + codec::kReadSlack + kListAlignment - 1) / kListAlignment * kListAlignment;
}

// The bytes that copy_list() allocates.
std::size_t copied_bytes(const List& list) {
  std::size_t bytes = 0;
  for (const auto& segment : list.postings.segments()) bytes += padded(segment.bytes().size());
  return bytes;
}

// Copies a list to host memory: all segments in one allocation, each on a 64-byte boundary and followed by at least
// codec::kReadSlack zero bytes, so that decoders may load whole vectors. Errors: kOverloaded if memory is short; those
// of List::intact(), asked after the bytes were copied.
Result<ListLease> copy_list(const List& list) {
  auto copy = std::make_shared<List>();
  copy->key = list.key;
  copy->bytes = copied_bytes(list);
  if (copy->bytes == 0) return ListLease(std::move(copy));
  const std::shared_ptr<std::byte> memory(static_cast<std::byte*>(std::aligned_alloc(kListAlignment, copy->bytes)),
                                          &std::free);
  if (!memory) return Error(Code::kOverloaded, "no memory for a list of " + std::to_string(copy->bytes) + " bytes");
  std::vector<ByteView> segments;
  segments.reserve(list.postings.segments().size());
  std::byte* to = memory.get();
  for (const auto& segment : list.postings.segments()) {
    const auto from = segment.bytes();
    std::copy(from.begin(), from.end(), to);
    std::fill(to + from.size(), to + padded(from.size()), std::byte{0});
    segments.emplace_back(to, from.size());
    to += padded(from.size());
  }
  FROND_TRY(list.intact());
  copy->postings = FROND_TRY(postings::PostingList::open(segments));
  copy->owners.push_back(memory);
  return ListLease(std::move(copy));
}

}  // namespace

// A load in progress. The request that makes it publishes a lease or abandons the load, with null. After an abandoned
// load, each waiting request looks the list up again: one request's deadline or corrupt list does not fail the others.
struct CachedListStore::Load {
  std::promise<ListLease> promise;
  const std::shared_future<ListLease> lease = promise.get_future().share();
  // Guarded by the shard's mutex. The partition was invalidated during the load, so the list is not cached.
  bool stale = false;
};

struct CachedListStore::Shard {
  explicit Shard(std::size_t budget) : kept(budget) {}
  Mutex mutex;
  KeptLists kept FROND_GUARDED_BY(mutex);
  std::unordered_map<ListKey, std::shared_ptr<Load>, ListKeyHash> loading FROND_GUARDED_BY(mutex);
  Counters counters FROND_GUARDED_BY(mutex);
};

// The state of one fetch(). The destructor abandons loads not published, also if the store below throws, so that no
// other request waits for them in vain.
struct CachedListStore::Request {
  Request(CachedListStore& asked, std::span<const ListKey> wanted, Deadline until)
      : store(asked), keys(wanted), deadline(until), leases(wanted.size()) {}
  ~Request() { abandon_own(); }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  void abandon_own() {
    for (auto& [i, load] : own) store.abandon(keys[i], *load);
    own.clear();
  }
  CachedListStore& store;
  std::span<const ListKey> keys;
  Deadline deadline;
  std::vector<ListLease> leases;                                      // null: not there yet
  std::vector<std::pair<std::size_t, std::shared_ptr<Load>>> own;     // loads it makes, published from the back
  std::vector<std::pair<std::size_t, std::shared_ptr<Load>>> others;  // loads it waits for
};

CachedListStore::CachedListStore(ListStore& below, const Clock& clock, Options options)
    : below_(below), clock_(clock), options_(options) {
  constexpr std::size_t kShardBytes = std::size_t{64} << 20;
  if (options_.shards == 0)
    options_.shards = static_cast<std::uint32_t>(std::clamp<std::size_t>(options_.budget_bytes / kShardBytes, 1, 16));
  for (std::uint32_t i = 0; i < options_.shards; ++i)
    shards_.push_back(std::make_unique<Shard>(options_.budget_bytes / options_.shards));
}

CachedListStore::~CachedListStore() = default;

CachedListStore::Shard& CachedListStore::shard_of(const ListKey& key) {
  // By high bits of the hash: tables inside a shard use the low ones.
  return *shards_[(ListKeyHash()(key) >> 40) % shards_.size()];
}

Result<std::vector<ListLease>> CachedListStore::fetch(std::span<const ListKey> keys, Deadline deadline) {
  Request request(*this, keys, deadline);
  for (;;) {
    look_up(request);
    // Publish own loads before waiting for others: otherwise two calls could wait for each other.
    FROND_TRY(load_own(request));
    FROND_TRY(await_others(request));
    if (std::find(request.leases.begin(), request.leases.end(), nullptr) == request.leases.end())
      return std::move(request.leases);
  }
}

void CachedListStore::look_up(Request& request) {
  for (std::size_t i = 0; i < request.keys.size(); ++i) {
    if (request.leases[i]) continue;
    const auto& key = request.keys[i];
    auto& shard = shard_of(key);
    const MutexLock lock(shard.mutex);
    if (auto lease = std::static_pointer_cast<const List>(shard.kept.find(key))) {
      ++shard.counters.hits;
      request.leases[i] = std::move(lease);
      continue;
    }
    if (const auto found = shard.loading.find(key); found != shard.loading.end()) {
      ++shard.counters.coalesced;
      request.others.emplace_back(i, found->second);
    } else {
      ++shard.counters.misses;
      // The request has it first: if memory runs out now, the request's end abandons the load.
      shard.loading.emplace(key, request.own.emplace_back(i, std::make_shared<Load>()).second);
    }
  }
}

Result<void> CachedListStore::load_own(Request& request) {
  if (request.own.empty()) return {};
  std::vector<ListKey> keys;
  keys.reserve(request.own.size());
  for (const auto& [i, load] : request.own) keys.push_back(request.keys[i]);
  auto loaded = FROND_TRY(below_.fetch(keys, request.deadline));
  for (; !request.own.empty(); request.own.pop_back()) {
    const auto& [i, load] = request.own.back();
    auto& lease = loaded[request.own.size() - 1];
    publish(request.keys[i], *load, lease);
    request.leases[i] = std::move(lease);
  }
  return {};
}

void CachedListStore::publish(const ListKey& key, Load& load, ListLease lease) {
  auto& shard = shard_of(key);
  const std::size_t bytes = copied_bytes(*lease);
  bool keep = false;
  {
    const MutexLock lock(shard.mutex);
    keep = !load.stale && shard.kept.admits(key, bytes);
  }
  // Copy outside the lock. If that fails, the lower store's lease is served.
  ListLease copy;
  if (keep) {
    if (auto copied = copy_list(*lease)) copy = *std::move(copied);
  }
  {
    const MutexLock lock(shard.mutex);
    if (copy && !load.stale)
      shard.kept.insert(key, copy, bytes);
    else
      ++shard.counters.passed_through;
    shard.loading.erase(key);
  }
  load.promise.set_value(copy ? std::move(copy) : std::move(lease));
}

void CachedListStore::abandon(const ListKey& key, Load& load) {
  auto& shard = shard_of(key);
  {
    const MutexLock lock(shard.mutex);
    const auto found = shard.loading.find(key);
    if (found != shard.loading.end() && found->second.get() == &load) shard.loading.erase(found);
  }
  load.promise.set_value(nullptr);
}

Result<void> CachedListStore::await_others(Request& request) {
  // Waits in short steps: the deadline is on `clock_`, which may differ from the future's clock.
  constexpr std::chrono::microseconds kRecheckEvery(20'000);
  for (auto& [i, load] : request.others) {
    const Deadline deadline = request.deadline;
    const auto step = [&] { return std::clamp(deadline.left(clock_), std::chrono::microseconds(1), kRecheckEvery); };
    while (load->lease.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
      if (deadline.passed(clock_))
        return Error(Code::kDeadline,
                     "the deadline passed while the list of '" + request.keys[i].term + "' was loaded");
      load->lease.wait_for(step());
    }
    request.leases[i] = load->lease.get();
  }
  request.others.clear();
  return {};
}

void CachedListStore::invalidate(std::uint64_t partition) {
  for (const auto& shard : shards_) {
    KeptLists::Taken gone;  // freed after the lock
    const MutexLock lock(shard->mutex);
    gone = shard->kept.take_partition(partition);
    for (auto& [key, load] : shard->loading)
      if (key.partition == partition) load->stale = true;
  }
}

CachedListStore::Counters CachedListStore::counters() const {
  Counters sum;
  sum.hits = used_again_.load(std::memory_order_relaxed);
  for (const auto& shard : shards_) {
    const MutexLock lock(shard->mutex);
    sum.hits += shard->counters.hits;
    sum.misses += shard->counters.misses;
    sum.coalesced += shard->counters.coalesced;
    sum.passed_through += shard->counters.passed_through;
    sum.evictions += shard->kept.evictions();
    sum.bytes += shard->kept.bytes();
    sum.entries += shard->kept.entries();
  }
  return sum;
}

}  // namespace frond::leaf::lists
