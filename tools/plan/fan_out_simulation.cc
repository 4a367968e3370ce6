#include "tools/plan/fan_out_simulation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

#include "common/base/check.h"
#include "tools/synth/random.h"

namespace frond::tools::plan {
namespace {

enum Purpose : std::uint64_t { kArrivals = 1, kLeaves, kHedges };

struct Search {
  double arrived = 0, work = 0, sent = 0, ended = 0;
};

// As broker/scatter: kMinHedge, and half of the default timeout.
constexpr double kMinHedgeUs = 2000, kMaxHedgeUs = 500'000;
constexpr double kSavedHedges = 10;
// As is_too_much_here() of leaf/serve: of a partition; and the weight that the system gives a thread of nice 5.
constexpr double kSmallPostings = 20'000, kCostlyWeight = 335.0 / 1024;
constexpr double kEnded = 1e-6;  // microseconds: tasks that end so close to each other end together

// How long a machine's latest searches took, as the broker keeps it (broker/cluster/topology.h).
class ReplyTimes {
 public:
  void add(double took) {
    times_[added_++ % times_.size()] = took;
    if (added_ != kEnough && added_ % kRenewed != 0) return;
    auto sorted = times_;
    const auto known = std::min(added_, times_.size());
    const auto place = sorted.begin() + static_cast<std::ptrdiff_t>(known * 19 / 20);
    std::nth_element(sorted.begin(), place, sorted.begin() + static_cast<std::ptrdiff_t>(known));
    late_after_ = 2 * *place;
  }
  double late_after() const { return late_after_; }

 private:
  static constexpr std::size_t kEnough = 8, kRenewed = 16;
  std::array<double, 128> times_{};
  std::size_t added_ = 0;
  double late_after_ = 250'000;
};

// The machines that have the same shards.
class Replicas {
 public:
  Replicas(const SimulatedCluster& cluster, std::uint32_t leaves, std::uint32_t machines, std::uint64_t number,
           std::uint64_t seed)
      : cluster_(cluster),
        leaves_(leaves),
        first_(seed, kLeaves, number),
        second_(seed, kHedges, number),
        machines_(machines) {
    for (Machine& machine : machines_) {
      machine.idle = machine.costly_idle = cluster.cores;
      machine.gpu_free.resize(leaves);
    }
  }

  // Moves `ended` of each search to when these shards have replied, if that is later. `order`: of being sent.
  void run(std::vector<Search>& searches, const std::vector<std::uint32_t>& order) {
    searches_ = &searches;
    for (const std::uint32_t search : order) {
      while (!events_.empty() && events_.top().at <= searches[search].sent) step();
      send(search, machine_for(kNone), searches[search].sent, first_);
      if (machines_.size() < 2 || cluster_.hedge_share <= 0) continue;
      saved_ = std::min(saved_ + cluster_.hedge_share, kSavedHedges);
      const Machine& asked = machines_[attempts_.back().machine];
      const double late = std::clamp(asked.times.late_after(), kMinHedgeUs, kMaxHedgeUs);
      events_.push({searches[search].sent + late, Event::kLate, static_cast<std::uint32_t>(attempts_.size() - 1)});
    }
    while (!events_.empty()) step();
  }
  std::uint64_t hedges() const { return hedges_; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  // A search on one machine.
  struct Attempt {
    std::uint32_t search = 0, machine = 0, left = 0,
                  other = kNone;  // leaves without a reply; the hedge, or what it is of
    double sent = 0;
    bool open = true;
  };
  struct Task {
    std::uint32_t attempt = 0, leaf = 0;
    double work = 0, stall = 0, since = 0;
  };
  struct Event {
    enum Kind : std::uint8_t { kTaskEnds, kReplied, kLate };
    double at = 0;
    Kind kind = kReplied;
    std::uint32_t attempt = 0, leaf = 0;  // kTaskEnds: the machine, and what `plans` was then
    friend bool operator<(const Event& a, const Event& b) { return a.at > b.at; }
  };
  // As leaf/schedule/worker_pool.h.
  static constexpr std::size_t kLevels = 8;
  static constexpr double kFirstLevel = 1 << 14;
  static constexpr std::uint32_t kOldestFirstEvery = 8;
  // A task that threads of a machine run, usual ones or those for costly work.
  struct Running {
    std::uint32_t attempt = 0, leaf = 0, threads = 1;
    bool costly = false;
    double left = 0, work = 0;  // microseconds, if each thread has a core
  };
  struct Machine {
    std::uint32_t idle = 0, costly_idle = 0, in_flight = 0, turn = 0;  // idle: threads, as many of each kind as cores
    std::vector<Running> running;
    double since = 0;         // what is left of them was then
    std::uint32_t plans = 0;  // events that say when the next one ends: of these the latest counts
    std::size_t waiting = 0;
    std::array<std::deque<Task>, kLevels> queues;
    std::vector<double> gpu_free;  // of each leaf
    ReplyTimes times;
  };

  std::uint32_t machine_for(std::uint32_t tried) {
    const auto count = static_cast<std::uint32_t>(machines_.size());
    std::uint32_t best = kNone;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t machine = (i + turn_) % count;
      if (machine != tried && (best == kNone || machines_[machine].in_flight < machines_[best].in_flight))
        best = machine;
    }
    ++turn_;
    return best;
  }

  void send(std::uint32_t search, std::uint32_t to, double now, synth::Random& random) {
    const auto attempt = static_cast<std::uint32_t>(attempts_.size());
    attempts_.push_back({search, to, leaves_, kNone, now, true});
    Machine& machine = machines_[to];
    ++machine.in_flight;
    for (std::uint32_t leaf = 0; leaf < leaves_; ++leaf) {
      double work = (*searches_)[search].work;
      if (cluster_.leaf_spread > 0)  // around the same mean
        work *= std::exp(cluster_.leaf_spread * (synth::normal(random) - cluster_.leaf_spread / 2));
      const bool stalled = cluster_.stall_share > 0 && random.unit() < cluster_.stall_share;
      const double stall = stalled ? -std::log(random.positive_unit()) * cluster_.stall_us : 0;
      std::size_t level = 0;
      for (double end = kFirstLevel; work * cluster_.postings >= end && level + 1 < kLevels; end *= 4) ++level;
      machine.queues[level].push_back({attempt, leaf, work, stall, now});
      ++machine.waiting;
    }
    start_what_waits(to, now);
  }

  Task next(Machine& machine) {
    std::deque<Task>* best = nullptr;
    const bool by_age = ++machine.turn % kOldestFirstEvery == 0;
    for (std::deque<Task>& queue : machine.queues)
      if (!queue.empty() && (best == nullptr || (by_age && queue.front().since < best->front().since))) best = &queue;
    const Task task = best->front();
    best->pop_front();
    --machine.waiting;
    return task;
  }

  // What a thread gets of a core: usual ones, and those for costly work. The system shares cores by weights, and no
  // thread has more than one.
  std::pair<double, double> shares(const Machine& machine) const {
    double usual = 0, costly = 0;
    for (const Running& one : machine.running) (one.costly ? costly : usual) += one.threads;
    const double cores = cluster_.cores;
    if (usual + costly <= cores) return {1, 1};
    if (cores - usual >= kCostlyWeight * costly) return {1, (cores - usual) / costly};
    const double each = cores / (usual + kCostlyWeight * costly);
    return {std::min(each, 1.0), kCostlyWeight * each};
  }

  void go_on(Machine& machine, double now) {
    const auto [usual, costly] = shares(machine);
    for (Running& one : machine.running) one.left -= (now - machine.since) * (one.costly ? costly : usual);
    machine.since = now;
  }

  void start_what_waits(std::uint32_t number, double now) {
    Machine& machine = machines_[number];
    go_on(machine, now);
    while (machine.idle > 0 && machine.waiting > 0) {
      const Task task = next(machine);
      if (!attempts_[task.attempt].open) continue;  // cancelled
      const bool small = task.work * cluster_.postings <= kSmallPostings * cluster_.partitions;
      const bool crowded = machine.waiting > 0 || machine.idle == 1;
      const bool costly = cluster_.postings > 0 && !small && crowded && machine.costly_idle > 0;
      std::uint32_t& idle = costly ? machine.costly_idle : machine.idle;
      const bool alone = !costly && (machine.waiting > 0 || (cluster_.postings > 0 && small));
      const std::uint32_t threads = alone ? 1 : std::min(idle, cluster_.partitions);
      idle -= threads;
      const double work_us = cluster_.work_us * task.work * (threads > 1 ? (1 + cluster_.split_more) / threads : 1);
      machine.running.push_back(
          {task.attempt, task.leaf, threads, costly, cluster_.fixed_us + work_us + task.stall, task.work});
    }
    if (!machine.running.empty()) events_.push({now + soonest(machine), Event::kTaskEnds, number, ++machine.plans});
  }

  // Until the next task ends.
  double soonest(const Machine& machine) const {
    const auto [usual, costly] = shares(machine);
    double least = std::numeric_limits<double>::infinity();
    for (const Running& one : machine.running) least = std::min(least, one.left / (one.costly ? costly : usual));
    return std::max(0.0, least);
  }

  void end_tasks(std::uint32_t number, double now) {
    Machine& machine = machines_[number];
    go_on(machine, now);
    const double late = soonest(machine) + kEnded;  // of rounding, where times are large
    const auto ended = std::stable_partition(machine.running.begin(), machine.running.end(),
                                             [late](const Running& one) { return one.left > late; });
    const std::vector<Running> all(ended, machine.running.end());
    machine.running.erase(ended, machine.running.end());
    for (const Running& one : all) {
      (one.costly ? machine.costly_idle : machine.idle) += one.threads;
      if (cluster_.gpu_us <= 0) {
        replied(one.attempt, now);
        continue;
      }
      double& free = machine.gpu_free[one.leaf];
      free = std::max(free, now) + cluster_.gpu_us * one.work;
      events_.push({free + cluster_.gpu_way_us, Event::kReplied, one.attempt, one.leaf});
    }
    start_what_waits(number, now);
  }

  void step() {
    const Event event = events_.top();
    events_.pop();
    if (event.kind == Event::kLate) return hedge(event.attempt, event.at);
    if (event.kind == Event::kReplied) return replied(event.attempt, event.at);
    if (event.leaf == machines_[event.attempt].plans) end_tasks(event.attempt, event.at);
  }

  void hedge(std::uint32_t late, double now) {
    if (!attempts_[late].open || saved_ < 1) return;
    saved_ -= 1;
    ++hedges_;
    const auto hedged = static_cast<std::uint32_t>(attempts_.size());
    send(attempts_[late].search, machine_for(attempts_[late].machine), now, second_);
    attempts_[late].other = hedged;
    attempts_[hedged].other = late;
  }

  void replied(std::uint32_t number, double now) {
    Attempt& attempt = attempts_[number];
    if (!attempt.open || --attempt.left > 0) return;
    close(attempt, now);
    if (attempt.other != kNone && attempts_[attempt.other].open) close(attempts_[attempt.other], now);
    double& ended = (*searches_)[attempt.search].ended;
    ended = std::max(ended, now);
  }
  void close(Attempt& attempt, double now) {
    attempt.open = false;
    --machines_[attempt.machine].in_flight;
    machines_[attempt.machine].times.add(now - attempt.sent);
  }

  const SimulatedCluster& cluster_;
  const std::uint32_t leaves_;  // on a machine
  synth::Random first_, second_;
  std::vector<Machine> machines_;
  std::vector<Search>* searches_ = nullptr;
  std::vector<Attempt> attempts_;
  std::priority_queue<Event> events_;
  std::uint32_t turn_ = 0;
  std::uint64_t hedges_ = 0;
  double saved_ = kSavedHedges;
};

// What a broker's threads do, each first come first served: a search is sent, and its replies are merged.
struct BrokerWork {
  double at = 0;
  std::uint32_t search = 0;
  bool merges = false;
};
// Calls done(work, end) for each, in the order in which they come.
template <class Done>
void serve(std::vector<BrokerWork>& work, const SimulatedCluster& cluster, const Done& done) {
  std::ranges::sort(work, [](const BrokerWork& a, const BrokerWork& b) {
    return a.at != b.at ? a.at < b.at : a.search != b.search ? a.search < b.search : a.merges < b.merges;
  });
  std::vector<double> free(cluster.broker_threads);
  for (const BrokerWork& one : work) {
    double& thread = free[synth::mixed(one.search + 1) % free.size()];
    thread = std::max(thread, one.at) + cluster.broker_us / 2;
    done(one, thread);
  }
}

}  // namespace

double SimulatedLatency::mean_us() const {
  return std::accumulate(sorted_us.begin(), sorted_us.end(), 0.0) / static_cast<double>(sorted_us.size());
}
double SimulatedLatency::quantile_us(double fraction) const {
  const auto place = static_cast<std::size_t>(fraction * static_cast<double>(sorted_us.size()));
  return sorted_us[std::min(place, sorted_us.size() - 1)];
}
double SimulatedLatency::share_above(double us) const {
  const auto above = sorted_us.end() - std::ranges::upper_bound(sorted_us, us);
  return static_cast<double>(above) / static_cast<double>(sorted_us.size());
}

SimulatedLatency simulate(const SimulatedCluster& cluster, std::uint32_t searches_wanted, std::uint64_t seed) {
  FROND_CHECK(cluster.rate > 0 && searches_wanted > 9 && (!cluster.one_down || cluster.replicas > 1));
  synth::Random random(seed, kArrivals, 0);
  std::vector<Search> searches(searches_wanted);
  double now = 0;
  for (Search& search : searches) {
    search.arrived = now += -std::log(random.positive_unit()) * 1e6 / cluster.rate;
    search.work = cluster.work.at(random.unit());
  }
  // When a search is sent depends on what is merged meanwhile, which is taken to happen when it would without queues.
  std::vector<BrokerWork> broker;
  for (std::uint32_t i = 0; i < searches.size(); ++i) {
    const double soon = cluster.broker_us / 2 + cluster.way_us + cluster.fixed_us + cluster.work_us * searches[i].work;
    broker.push_back({searches[i].arrived, i, false});
    broker.push_back({searches[i].arrived + soon, i, true});
  }
  serve(broker, cluster, [&](const BrokerWork& one, double end) {
    if (!one.merges) searches[one.search].sent = end + cluster.way_us / 2;
  });
  std::vector<std::uint32_t> order(searches.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t search) { return searches[search].sent; });

  std::uint64_t hedges = 0;
  std::uint32_t sets = 0;
  for (std::uint32_t shard = 0; shard < cluster.shards; shard += cluster.leaves_a_machine, ++sets) {
    const std::uint32_t machines = cluster.replicas - (cluster.one_down && sets == 0 ? 1 : 0);
    Replicas replicas(cluster, std::min(cluster.leaves_a_machine, cluster.shards - shard), machines, sets, seed);
    replicas.run(searches, order);
    hedges += replicas.hedges();
  }

  broker.clear();
  for (std::uint32_t i = 0; i < searches.size(); ++i) {
    broker.push_back({searches[i].arrived, i, false});
    broker.push_back({searches[i].ended + cluster.way_us / 2, i, true});
  }
  SimulatedLatency latency;
  const std::uint32_t first = searches_wanted / 10;
  serve(broker, cluster, [&](const BrokerWork& one, double end) {
    if (!one.merges || one.search < first) return;
    const double fetched = cluster.shards > 1 ? cluster.fetch_way_us : 0;
    latency.sorted_us.push_back(end + fetched - searches[one.search].arrived);
  });
  std::ranges::sort(latency.sorted_us);
  latency.hedges = static_cast<double>(hedges) / (static_cast<double>(searches.size()) * sets);
  return latency;
}

}  // namespace frond::tools::plan
