#include "broker/search_loops.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "common/base/threads/thread_name.h"
#include "common/net/address.h"

namespace frond::broker {
namespace {
// A loop that has not described itself by then is described as it was last.
constexpr std::chrono::milliseconds kMaxWait{1000};
// Handlers that are ready when the loops have ended are run for this long at most.
constexpr std::chrono::milliseconds kMaxLastTurns{1000};
constexpr std::chrono::milliseconds kExpireRefreshes{1000};

// Whether only programs of this machine reach it.
bool is_loopback(const std::string& listen) {
  const std::string host = net::parse_host_port(listen)->host;  // was checked
  boost::system::error_code no_address;
  const auto address = boost::asio::ip::make_address(host, no_address);
  return no_address ? host == "localhost" : address.is_loopback();
}
}  // namespace

// One description of all loops. Used on the thread that asked for it.
struct SearchLoops::Round {
  SearchLoop& here;
  Done done;  // null: it was called
  std::size_t missing;
  cluster::TimerQueue::Id timer;
};

SearchLoops::SearchLoops(SharedParts& shared, AsioLoops& io) : shared_(shared), latest_(io.size()) {
  for (std::size_t i = 0; i < io.size(); ++i)
    loops_.push_back(std::make_unique<SearchLoop>(
        shared, *io[i], i,
        [this, i](const std::string& collection, const auto& id) { tell_others(i, collection, id); }));
  expiring_.emplace(first().timers(), kExpireRefreshes, [&refreshes = shared.refreshes] { refreshes.expire(); });
}
SearchLoops::~SearchLoops() {
  stop();
  shared_.searches.reader.join();
}

namespace {
// The others of a group listen on the port that the first one was given.
void take_port(frond::http::Server::Config& config, std::uint16_t port) {
  config.listen = net::join(net::parse_host_port(config.listen)->host, std::to_string(port));  // was checked
}
}  // namespace

Result<void> SearchLoops::listen(frond::http::Server::Config config) {
  config.run_aside = aside();
  config.group = frond::http::Server::make_group(config, loops_.size());
  for (const auto& loop : loops_) {
    frond::http::Router router = http::make_routes(targets(*loop));
    if (!shared_.options.elasticsearch_api.empty())
      elasticsearch::add_routes(router, "/es", elasticsearch_targets(*loop, config.listen));
    FROND_TRY(loop->listen(config, std::move(router)));
    if (loop == loops_.front()) take_port(config, loop->server().port());
  }
  return {};
}

Result<void> SearchLoops::listen_for_elasticsearch(frond::http::Server::Config config) {
  config.run_aside = aside();
  config.group = frond::http::Server::make_group(config, loops_.size());
  for (const auto& loop : loops_) {
    frond::http::Router router;
    elasticsearch::add_routes(router, "", elasticsearch_targets(*loop, config.listen));
    FROND_TRY(loop->listen_too(config, std::move(router)));
    if (loop == loops_.front()) take_port(config, loop->second_server()->port());
  }
  return {};
}

decltype(frond::http::Server::Config::run_aside) SearchLoops::aside() {
  http::TextReader& reader = shared_.searches.reader;
  if (!reader.has_threads()) return nullptr;
  return [&reader](const auto& client, std::size_t bytes, auto run) { reader.run(client, bytes, std::move(run)); };
}

elasticsearch::Targets SearchLoops::elasticsearch_targets(const SearchLoop& loop, const std::string& listen) {
  return {.catalogue = shared_.catalogue,
          .collections = loop.searched(),
          .service = shared_.changes,
          .follower = shared_.follower,
          .refreshes = &shared_.refreshes,
          .serve = [this](std::string_view collection, Generation generation) { return serve(collection, generation); },
          .own_key = shared_.has_scope || is_loopback(listen),
          .has_scope = shared_.has_scope};
}

http::RouteTargets SearchLoops::targets(SearchLoop& loop) {
  http::RouteTargets targets = loop.targets();
  targets.collect_status = [this, &loop](Done done) { collect(loop, std::move(done)); };
  targets.ready = [this] { return ready(); };
  targets.lacking = [this] { return lacking(); };
  targets.changes = shared_.changes;
  targets.draining = [this] { return draining(); };
  targets.stalled = [this] {
    return stalled(loops(), shared_.clock.now(), std::chrono::seconds(shared_.options.stall_seconds));
  };
  return targets;
}

Result<void> SearchLoops::set_leaves(const std::vector<std::string>& endpoints) {
  for (const auto& loop : loops_)
    if (loop != loops_.front())
      boost::asio::post(loop->io(), [&loop = *loop, endpoints] { loop.follow_leaves(endpoints); });
  return first().set_leaves(endpoints);
}

void SearchLoops::set_collections(const std::vector<std::string>& names) {
  told_ += loops_.size();
  for (const auto& loop : loops_)
    boost::asio::post(loop->io(), [this, &loop = *loop, names] {
      loop.set_collections(names);
      ++taken_;
    });
}

bool SearchLoops::serve(std::string_view collection, Generation generation) const {
  return taken_ == told_ &&
         std::ranges::all_of(loops_, [&](const auto& loop) { return loop->serving(collection) >= generation; });
}

// A loop asks leaves at intervals of its own. Clients would see both generations for as long.
void SearchLoops::tell_others(std::size_t number, const std::string& collection, const GenerationId& id) {
  for (std::size_t i = 0; i < loops_.size(); ++i)
    if (i != number)
      boost::asio::post(loops_[i]->io(),
                        [&loop = *loops_[i], collection, id] { loop.follow_generation(collection, id); });
}

void SearchLoops::run_thread(SearchLoop& loop, std::size_t number) {
  name_this_thread(("search-" + std::to_string(number + 1)).c_str());
  try {
    loop.io().run();
  } catch (...) {
    {
      const MutexLock lock(mutex_);
      failure_ = std::current_exception();
    }
    stop();
  }
}

void SearchLoops::run() {
  for (std::size_t i = 1; i < loops_.size(); ++i) threads_.emplace_back([this, i] { run_thread(*loops_[i], i); });
  first().io().run();
  threads_.clear();  // waits for them
  const MutexLock lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

void SearchLoops::drain(const std::function<void()>& done) {
  draining_ = true;
  undrained_ = loops_.size();
  for (const auto& loop : loops_) {
    const auto drain_one = [this, &loop = *loop, done] {
      loop.drain([this, done] {
        if (--undrained_ == 0) done();
      });
    };
    loop == loops_.front() ? drain_one() : boost::asio::post(loop->io(), drain_one);
  }
}

void SearchLoops::stop() {
  for (const auto& loop : loops_) loop->io().stop();
}

// What one loop ends may post to another, so the loops take turns until none has anything to do.
void SearchLoops::close() {
  shared_.searches.reader.join();
  for (const auto& loop : loops_) loop->close();
  const Deadline end = Deadline::after(shared_.clock, kMaxLastTurns);
  std::size_t handled = 0;
  do {
    handled = 0;
    for (const auto& loop : loops_) {
      loop->io().restart();
      handled += loop->io().poll();
    }
  } while (loops_.size() > 1 && handled > 0 && !end.passed(shared_.clock));
}

bool SearchLoops::ready() const {
  return std::all_of(loops_.begin(), loops_.end(), [](const auto& loop) { return loop->ready(); });
}

std::string SearchLoops::lacking() const {
  for (const auto& loop : loops_)
    if (std::string lacks = loop->lacking(); !lacks.empty()) return lacks;
  return "";
}

std::vector<Loop> SearchLoops::loops() const {
  std::vector<Loop> loops;
  for (const auto& loop : loops_) loops.push_back(loop->loop());
  return loops;
}

bool SearchLoops::looking_up() const {
  return std::any_of(loops_.begin(), loops_.end(), [](const auto& loop) { return loop->looking_up(); });
}

void SearchLoops::collect(SearchLoop& here, Done done) {
  if (loops_.size() == 1) return done(here.status());
  const auto round = std::make_shared<Round>(Round{here, std::move(done), loops_.size(), {}});
  round->timer = here.timers().after(kMaxWait, [this, round] { finish(*round); });
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    SearchLoop& loop = *loops_[i];
    if (&loop == &here) {
      take(round, i, here.status());
      continue;
    }
    boost::asio::post(loop.io(), [this, round, i, &loop] {
      boost::asio::post(round->here.io(),
                        [this, round, i, status = loop.status()]() mutable { take(round, i, std::move(status)); });
    });
  }
}

void SearchLoops::take(const std::shared_ptr<Round>& round, std::size_t number, http::BrokerStatus status) {
  {
    const MutexLock lock(mutex_);
    latest_[number] = std::move(status);
  }
  if (--round->missing > 0) return;
  round->here.timers().cancel(round->timer);
  finish(*round);
}

void SearchLoops::finish(Round& round) {
  const auto done = std::exchange(round.done, nullptr);
  if (!done) return;
  std::optional<http::BrokerStatus> all;
  {
    const MutexLock lock(mutex_);
    for (const auto& one : latest_) {
      if (!one) continue;
      if (all)
        http::merge(*all, http::BrokerStatus(*one));
      else
        all = one;
    }
  }
  done(*all);  // the asking loop at least has described itself
}

}  // namespace frond::broker
