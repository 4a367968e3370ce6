#include "broker/search_loop.h"

#include <boost/asio/post.hpp>
#include <random>
#include <utility>

#include "common/config/options.h"
#include "common/wire/limits.h"

namespace frond::broker {
namespace {

// A loop reports this often that it turns.
constexpr std::chrono::milliseconds kTurnInterval{500};

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

cluster::ClusterMap::Config map_config(const Options& options, const std::string& number,
                                       SearchLoop::OnGeneration on_generation) {
  return {.collection = options.collection,
          .name = name_of(options, number),
          .instance = random_instance(),
          .poll = std::chrono::milliseconds(options.poll_ms),
          .on_generation = std::move(on_generation)};
}

http::SearchService::Config search_config(const Options& options) {
  return {.default_timeout = std::chrono::milliseconds(options.default_timeout_ms),
          .max_timeout = std::chrono::milliseconds(options.max_timeout_ms),
          .max_depth = options.max_depth,
          .max_terms = options.max_terms,
          .allow_exhaustive = options.allow_exhaustive,
          .in_flight = {.all = options.max_in_flight,
                        .batch = options.max_msearch_in_flight,
                        .costly = options.max_costly_in_flight},
          .cache_bytes = options.cache_bytes};
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
      metrics(families) {}

SearchLoop::SearchLoop(SharedParts& shared, boost::asio::io_context& io, std::size_t number, OnGeneration on_generation)
    : shared_(shared),
      io_(io),
      number_(shared.options.threads == 1 ? "" : std::to_string(number + 1)),
      own_name_("search-" + number_),
      zeromq_name_(number_.empty() ? "zeromq" : "zeromq-" + number_),
      log_(number_.empty() ? shared.log : own_log_.emplace(shared.log, "thread", number_)),
      home_(std::make_unique<AsioThread>(io)),
      timers_(shared.clock),
      driver_(io, timers_),
      clients_(io, timers_, log_,
               {.max_in_flight = shared.options.max_leaf_in_flight, .loads = shared.leaf_loads, .curve = shared.curve}),
      map_(timers_, log_, map_config(shared.options, number_, std::move(on_generation)),
           [this](const std::string& leaf, cluster::News news) { return clients_.create(leaf, std::move(news)); }),
      scatter_{map_, timers_, hedging(shared.options)},
      metrics_(shared.registry),
      http_metrics_(shared.registry),
      service_(scatter_, shared.search, shared.searches, *home_, metrics_),
      multi_search_(service_, timers_,
                    {.timeout = std::chrono::milliseconds(shared.options.max_msearch_timeout_ms),
                     .max_requests = shared.options.max_msearches}),
      turned_(shared.clock.now()) {
  if (!number_.empty()) turn();
}

void SearchLoop::turn() {
  turned_.store(shared_.clock.now(), std::memory_order_relaxed);
  timers_.after(kTurnInterval, [this] { turn(); });
}

Result<void> SearchLoop::listen(frond::http::Server::Config config, frond::http::Router router) {
  config.on_answer = [this](std::string_view route, int status, double seconds) { count(route, status, seconds); };
  server_ = FROND_TRY(frond::http::Server::create(io_, std::move(config), std::move(router)));
  return {};
}

http::RouteTargets SearchLoop::targets() {
  return {.service = service_,
          .multi_search = multi_search_,
          .registry = shared_.registry,
          .metrics = shared_.metrics,
          .collection = shared_.options.collection,
          .version = std::string(config::version()),
          .collect_status = {},
          .ready = {},
          .draining = {},
          .stalled = {}};
}

void SearchLoop::follow_leaves(const std::vector<std::string>& endpoints) {
  if (retry_) timers_.cancel(*std::exchange(retry_, {}));
  const auto set = map_.set_leaves(endpoints);
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
  return http::status_of(map_, shared_.clock, scatter_, service_, multi_search_, &clients_);
}

void SearchLoop::add_loops(std::vector<Loop>& loops, bool here) {
  if (!number_.empty()) loops.push_back({own_name_, turned_.load(std::memory_order_relaxed)});
  if (here) clients_.step_pulse();
  if (const auto turned = clients_.turned()) loops.push_back({zeromq_name_, *turned});
}

}  // namespace frond::broker
