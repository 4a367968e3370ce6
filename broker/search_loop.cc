#include "broker/search_loop.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <random>
#include <utility>

#include "common/config/options.h"
#include "common/wire/messages.h"

namespace frond::broker {
namespace {

// A loop reports this often that it turns.
constexpr std::chrono::milliseconds kTurnInterval{500};
constexpr std::size_t kReadingThreads = 2;  // one of them is another client's

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

cluster::ClusterMap::Config map_config(const Options& options, const std::string& number, std::size_t collection,
                                       std::function<void(const GenerationId&)> on_generation) {
  std::vector<std::string> others = options.collections;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(collection));
  return {.collection = options.collections[collection],
          .other_collections = std::move(others),
          .name = name_of(options, number),
          .instance = random_instance(),
          .poll = std::chrono::milliseconds(options.poll_ms),
          .on_generation = std::move(on_generation),
          .ready_without_all_after = std::chrono::seconds(options.ready_without_all_after_seconds)};
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
          .reading_threads = kReadingThreads,
          .collection = 0,
          .collections = static_cast<std::uint32_t>(options.collections.size())};
}
http::SearchService::Config of_collection(http::SearchService::Config config, std::size_t number) {
  config.collection = static_cast<std::uint32_t>(number);
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
      searches(search),
      metrics(families, set.collections, set.replicas) {}

// What a loop has for one collection.
struct SearchLoop::Collection {
  Collection(SearchLoop& loop, std::size_t number, const OnGeneration& on_generation)
      : log(loop.shared_.options.collections.size() == 1
                ? loop.log_
                : own_log.emplace(loop.log_, "collection", loop.shared_.options.collections[number])),
        map(loop.timers_, log,
            map_config(loop.shared_.options, loop.number_, number,
                       [on_generation, number](const GenerationId& id) { on_generation(number, id); }),
            [&loop](const std::string& leaf, cluster::News news) {
              return loop.clients_.create(leaf, std::move(news));
            }),
        scatter{map, loop.timers_, hedging(loop.shared_.options)},
        service(scatter, of_collection(loop.shared_.search, number), loop.shared_.searches, *loop.home_, loop.metrics_),
        multi_search(service, loop.timers_,
                     {.timeout = std::chrono::milliseconds(loop.shared_.options.max_msearch_timeout_ms),
                      .max_requests = loop.shared_.options.max_msearches}) {}

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
      turned_(shared.clock.now()),
      turning_(timers_, kTurnInterval, [this] { turned_.store(shared_.clock.now(), std::memory_order_relaxed); }) {
  for (std::size_t i = 0; i < shared.options.collections.size(); ++i)
    collections_.push_back(std::make_unique<Collection>(*this, i, on_generation));
}
SearchLoop::~SearchLoop() = default;

Result<void> SearchLoop::listen(frond::http::Server::Config config, frond::http::Router router) {
  config.on_answer = [this](std::string_view route, int status, double seconds) { count(route, status, seconds); };
  server_ = FROND_TRY(frond::http::Server::create(io_, std::move(config), std::move(router)));
  return {};
}

http::RouteTargets SearchLoop::targets() {
  http::RouteTargets targets{.collections = {},
                             .registry = shared_.registry,
                             .metrics = shared_.metrics,
                             .version = std::string(config::version())};
  for (std::size_t i = 0; i < collections_.size(); ++i)
    targets.collections.push_back(
        {shared_.options.collections[i], collections_[i]->service, collections_[i]->multi_search});
  return targets;
}

Result<void> SearchLoop::set_leaves(const std::vector<std::string>& endpoints) {
  Result<void> outcome;
  for (const auto& collection : collections_)
    if (auto set = collection->map.set_leaves(endpoints); !set) outcome = std::move(set);
  return outcome;
}

void SearchLoop::follow_generation(std::size_t collection, const GenerationId& id) {
  collections_[collection]->map.refresh_unless(id);
}

bool SearchLoop::ready() const {
  const auto each = [](const auto& one) { return one->map.settled(); };
  return std::all_of(collections_.begin(), collections_.end(), each) &&
         std::any_of(collections_.begin(), collections_.end(), [](const auto& one) { return one->map.ready(); });
}

std::string SearchLoop::lacking() const {
  std::string all;
  for (std::size_t i = 0; i < collections_.size(); ++i) {
    const std::string one = collections_[i]->map.lacking();
    if (one.empty()) continue;
    all += (all.empty() ? "" : "; ") + one;
    if (collections_.size() > 1) all += " of collection '" + shared_.options.collections[i] + "'";
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

http::BrokerStatus SearchLoop::status() const {
  const auto status_of = [&](const Collection& one, const cluster::ZmqLeafClients* clients) {
    return http::status_of(one.map, shared_.clock, one.scatter, one.service, one.multi_search, clients);
  };
  auto status = status_of(*collections_.front(), &clients_);
  for (std::size_t i = 1; i < collections_.size(); ++i)
    http::add_collection(status, status_of(*collections_[i], nullptr));  // the clients are counted already
  return status;
}

}  // namespace frond::broker
