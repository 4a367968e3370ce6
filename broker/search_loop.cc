#include "broker/search_loop.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <functional>
#include <iterator>
#include <random>
#include <utility>

#include "common/base/machine.h"
#include "common/config/options.h"
#include "common/wire/messages.h"

namespace frond::broker {
namespace {

// A loop reports this often that it turns.
constexpr std::chrono::milliseconds kTurnInterval{500};
constexpr std::chrono::seconds kLeavesFollow{10};  // a collection that was made again, at the latest
constexpr std::size_t kReadingThreads = 2;         // one of them is another client's

class AsioThread final : public cluster::HomeThread {
 public:
  explicit AsioThread(boost::asio::io_context& io) : io_(io) {}
  bool is_here() const override { return io_.get_executor().running_in_this_thread(); }
  void post(std::function<void()> action) override { boost::asio::post(io_, std::move(action)); }

 private:
  boost::asio::io_context& io_;
};

// Distinguishes this loop from others of its name, and from itself after a restart. Not 0.
std::uint64_t random_instance() {
  std::random_device random;
  return (std::uint64_t{random()} << 32 | random()) | 1;
}

// What leaves call a loop. `number`: empty for the only one.
std::string name_of(const Options& options, const std::string& number) {
  if (number.empty()) return options.node_name;
  return options.node_name.substr(0, wire::kMaxBrokerNameBytes - 1 - number.size()) + "/" + number;
}

cluster::ClusterMap::Config map_config(const Options& options, const std::string& number, const std::string& collection,
                                       std::function<void(const GenerationId&)> on_generation) {
  std::vector<std::string> others = options.collections;
  std::erase(others, collection);
  return {.collection = collection,
          .other_collections = std::move(others),
          .any_other = options.all_collections,
          .name = name_of(options, number),
          .instance = random_instance(),
          .poll = std::chrono::milliseconds(options.poll_ms),
          .on_generation = std::move(on_generation),
          .ready_without_all_after = std::chrono::seconds(options.ready_without_all_after_seconds)};
}

std::size_t most_collections(const Options& options) {
  return options.all_collections ? kMaxCollections : options.collections.size();
}

http::SearchService::Config search_config(const Options& options) {
  return {.default_timeout = std::chrono::milliseconds(options.default_timeout_ms),
          .max_timeout = std::chrono::milliseconds(options.max_timeout_ms),
          .max_depth = options.max_depth,
          .query_limits = options.query_limits,
          .max_facet_buckets = options.max_facet_buckets,
          .allow_exhaustive = options.allow_exhaustive,
          .in_flight = {.all = options.max_in_flight,
                        .batch = options.max_msearch_in_flight,
                        .costly = options.max_costly_in_flight,
                        .costly_per_client = options.max_costly_per_client},
          .cache_bytes = options.cache_bytes,
          .slow_from = std::chrono::milliseconds(options.slow_query_log_ms),
          .reading_threads = kReadingThreads,
          .collection = 0,
          .collections = static_cast<std::uint32_t>(most_collections(options))};
}
// Keys of answers also name the generation's content, which no two collections share, unless leaves are very old.
http::SearchService::Config of_collection(http::SearchService::Config config, const std::string& name) {
  config.collection = static_cast<std::uint32_t>(std::hash<std::string>()(name));
  return config;
}

scatter::Hedging hedging(const Options& options) {
  return scatter::Hedging({.share = options.hedge_share, .max_leaf_in_flight = options.max_leaf_in_flight});
}

}  // namespace

SharedParts::SharedParts(const Options& set, Logger& logger, metrics::Registry& families, const Clock& time,
                         std::optional<cluster::ZmqLeafClients::Curve> keys)
    : options(set),
      log(logger),
      registry(families),
      clock(time),
      curve(std::move(keys)),
      search(search_config(set)),
      searches(search, &logger),
      metrics(families, most_collections(set) > 1, set.replicas),
      access_log(logger, set.access_log) {}

// What a loop has for one collection.
struct SearchLoop::Collection {
  Collection(SearchLoop& loop, const std::string& of_collection_named)
      : name(of_collection_named),
        log(most_collections(loop.shared_.options) == 1 ? loop.log_ : own_log.emplace(loop.log_, "collection", name)),
        map(loop.timers_, log,
            map_config(loop.shared_.options, loop.number_, name,
                       [&loop, collection = name](const GenerationId& id) { loop.note(collection, id); }),
            [&loop](const std::string& leaf, cluster::News news) {
              return loop.clients_.create(leaf, std::move(news));
            }),
        scatter{map, loop.timers_, hedging(loop.shared_.options)},
        service(scatter, of_collection(loop.shared_.search, name), loop.shared_.searches, *loop.home_, loop.metrics_),
        multi_search(service, loop.timers_,
                     {.timeout = std::chrono::milliseconds(loop.shared_.options.max_msearch_timeout_ms),
                      .max_requests = loop.shared_.options.max_msearches}) {}

  const std::string name;
  std::optional<Logger> own_log;
  Logger& log;
  cluster::ClusterMap map;
  scatter::ScatterContext scatter;
  http::SearchService service;
  http::MultiSearch multi_search;
};

SearchLoop::SearchLoop(SharedParts& shared, boost::asio::io_context& io, std::size_t number,
                       const OnGeneration& on_generation)
    : shared_(shared),
      io_(io),
      number_(shared.options.threads == 1 ? "" : std::to_string(number + 1)),
      own_name_(number_.empty() ? "search" : "search-" + number_),
      log_(number_.empty() ? shared.log : own_log_.emplace(shared.log, "thread", number_)),
      home_(std::make_unique<AsioThread>(io)),
      timers_(shared.clock),
      driver_(io, timers_),
      clients_(io, timers_, log_,
               {.max_in_flight = shared.options.max_leaf_in_flight, .loads = shared.leaf_loads, .curve = shared.curve}),
      metrics_(shared.registry),
      http_metrics_(shared.registry),
      listed_(!shared.options.all_collections),
      on_generation_(on_generation),
      turned_(shared.clock.now()),
      turning_(timers_, kTurnInterval, [this] {
        turned_.store(shared_.clock.now(), std::memory_order_relaxed);
        end_unused();
        if (shared_.changes == nullptr && (number_.empty() || number_ == "1")) tell_catalogue();
      }) {
  if (shared.options.all_collections) return;
  for (const std::string& name : shared.options.collections) add(name);
}
SearchLoop::~SearchLoop() = default;

void SearchLoop::add(const std::string& name) {
  auto made = std::make_unique<Collection>(*this, name);
  searched_->push_back({name, &made->service, &made->multi_search});
  const MutexLock lock(changing_);
  collections_.push_back(std::move(made));
}

void SearchLoop::set_collections(const std::vector<std::string>& names) {
  const auto wanted = [&](const std::string& name) { return std::ranges::find(names, name) != names.end(); };
  std::erase_if(*searched_, [&](const http::SearchedCollection& one) { return !wanted(one.name); });
  {
    const MutexLock lock(changing_);
    listed_ = true;
    const auto gone = std::stable_partition(collections_.begin(), collections_.end(),
                                            [&](const auto& one) { return wanted(one->name); });
    if (contents_.size() > kMostRemoved) contents_.clear();
    for (auto one = gone; one != collections_.end(); ++one)
      if (const auto known = contents_.find((*one)->name); known != contents_.end())
        known->second = {known->second.now, known->second.now, shared_.clock.now() + kLeavesFollow};
    std::move(gone, collections_.end(), std::back_inserter(retired_));
    collections_.erase(gone, collections_.end());
  }
  end_unused();
  for (const std::string& name : names) {
    if (http::find_collection(*searched_, name) != nullptr) continue;
    add(name);
    (void)collections_.back()->map.set_leaves(endpoints_);  // follow_leaves() tells of those that can't be used
  }
  // Those of --collection first, in its order.
  const auto& first = shared_.options.collections;
  std::ranges::sort(*searched_, {}, [&](const http::SearchedCollection& one) {
    return std::pair(std::ranges::find(first, one.name) - first.begin(), std::string_view(one.name));
  });
}

// Without an indexer's service, indices are what leaves serve.
void SearchLoop::tell_catalogue() {
  elasticsearch::Indices indices;
  for (const auto& one : collections_)
    if (const auto topology = one->map.topology())
      indices.emplace(one->name, elasticsearch::derived_index(one->name, topology->schema_text));
  shared_.catalogue.set(std::move(indices));
}

void SearchLoop::end_unused() {
  std::erase_if(retired_, [&](const auto& one) {
    if (!one->service.idle()) return false;
    http::BrokerStatus last = status_of(*one, nullptr);
    last.known_texts_bytes = last.known_texts_limit = 0;
    http::add_collection(ended_, std::move(last));
    ended_.clusters.clear();
    return true;
  });
}

Generation SearchLoop::serving(std::string_view collection) const {
  const MutexLock lock(changing_);
  const auto found = std::ranges::find(collections_, collection, [](const auto& one) { return one->name; });
  const auto contents = contents_.find(collection);
  const bool outlived = contents != contents_.end() && contents->second.removed != 0 &&
                        contents->second.now == contents->second.removed &&
                        shared_.clock.now() < contents->second.until;
  return found == collections_.end() || outlived ? 0 : (*found)->map.serving();
}

void SearchLoop::note(const std::string& collection, const GenerationId& id) {
  {
    const MutexLock lock(changing_);
    contents_[collection].now = id.content;
  }
  on_generation_(collection, id);
}

Result<void> SearchLoop::listen_too(frond::http::Server::Config config, frond::http::Router router) {
  config.on_answer = [this](const frond::http::AnsweredRequest& request) { count(request); };
  second_server_ = FROND_TRY(frond::http::Server::create(io_, std::move(config), std::move(router)));
  return {};
}

void SearchLoop::drain(std::function<void()> done) {
  if (!second_server_) return server_->drain(std::move(done));
  const auto both = std::make_shared<int>(2);
  const auto one = [both, done = std::move(done)] {
    if (--*both == 0) done();
  };
  server_->drain(one);
  second_server_->drain(one);
}

Result<void> SearchLoop::listen(frond::http::Server::Config config, frond::http::Router router) {
  config.on_answer = [this](const frond::http::AnsweredRequest& request) { count(request); };
  server_ = FROND_TRY(frond::http::Server::create(io_, std::move(config), std::move(router)));
  return {};
}

http::RouteTargets SearchLoop::targets() {
  return {.collections = searched_,
          .registry = shared_.registry,
          .metrics = shared_.metrics,
          .slow = shared_.searches.slow,
          .broker = {std::string(config::version()), this_machine().text(), shared_.options.budgets}};
}

Result<void> SearchLoop::set_leaves(const std::vector<std::string>& endpoints) {
  endpoints_ = endpoints;
  Result<void> outcome;
  for (const auto& collection : collections_)
    if (auto set = collection->map.set_leaves(endpoints); !set) outcome = std::move(set);
  return outcome;
}

void SearchLoop::follow_generation(const std::string& collection, const GenerationId& id) {
  for (const auto& one : collections_)
    if (one->name == collection) one->map.refresh_unless(id);
}

bool SearchLoop::ready() const {
  const MutexLock lock(changing_);
  // One that has just been made has no leaf yet, which is no reason to stop searching the others.
  if (shared_.options.all_collections)
    return listed_ && (collections_.empty() ||
                       std::ranges::any_of(collections_, [](const auto& one) { return one->map.ready(); }));
  const auto each = [](const auto& one) { return one->map.settled(); };
  return std::all_of(collections_.begin(), collections_.end(), each) &&
         std::any_of(collections_.begin(), collections_.end(), [](const auto& one) { return one->map.ready(); });
}

std::string SearchLoop::lacking() const {
  const MutexLock lock(changing_);
  std::string all = listed_ ? "" : "the collections are not known yet";
  for (const auto& collection : collections_) {
    const std::string one = collection->map.lacking();
    if (one.empty()) continue;
    all += (all.empty() ? "" : "; ") + one;
    if (most_collections(shared_.options) > 1) all += " of collection '" + collection->name + "'";
  }
  return all;
}

void SearchLoop::follow_leaves(const std::vector<std::string>& endpoints) {
  if (retry_) timers_.cancel(*std::exchange(retry_, {}));
  const auto set = set_leaves(endpoints);
  if (set) return unusable_.clear();
  if (unusable_ != set.error().message()) {
    unusable_ = set.error().message();
    log_.error("a leaf's address is not usable", {{"error", unusable_}});
  }
  retry_ = timers_.after(std::chrono::milliseconds(shared_.options.leaf_dns_interval_ms), [this, endpoints] {
    retry_.reset();
    follow_leaves(endpoints);
  });
}

http::BrokerStatus SearchLoop::status_of(const Collection& one, const cluster::ZmqLeafClients* clients) const {
  return http::status_of(one.map, shared_.clock, one.scatter, one.service, one.multi_search, clients);
}

http::BrokerStatus SearchLoop::status() const {
  http::BrokerStatus status = ended_;
  for (const auto& one : retired_) http::add_collection(status, status_of(*one, nullptr));
  status.clusters.clear();
  for (const auto& one : collections_) {
    const bool first = one == collections_.front();  // the clients are those of all
    http::add_collection(status, status_of(*one, first ? &clients_ : nullptr));
  }
  return status;
}

}  // namespace frond::broker
