#include "tools/plan/planner.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "common/wire/messages.h"
#include "tools/plan/explanation.h"
#include "tools/plan/fan_out_simulation.h"

namespace frond::tools::plan {
namespace {

constexpr double kMostBusy = 0.7;           // cores and GPUs of leaves
constexpr double kMostBusyOneDown = 0.9;    // … while a replica is down
constexpr double kMemoryShare = 0.9;        // of a machine's, for leaves
constexpr double kMaxShardDocuments = 4e9;  // docIDs have 32 bits
constexpr std::uint32_t kMaxReplicas = 64;
constexpr double kGiB = 1 << 30;

std::uint32_t whole(double number) { return static_cast<std::uint32_t>(std::ceil(number - 1e-9)); }

class Planner {
 public:
  Planner(const Wanted& wanted, const Constants& constants) : wanted_(wanted), constants_(constants) {}

  Result<Plan> plan() const;

 private:
  double searched_rate() const { return wanted_.rate * (1 - wanted_.cache_hits); }
  Candidate candidate(std::uint32_t shards, std::uint32_t replicas) const;
  bool has_room(const Candidate& candidate) const;
  bool is_busy(const Candidate& candidate) const;
  std::vector<Candidate> candidates() const;
  SimulatedLatency latency(const Candidate& candidate, bool one_down) const;
  Result<Candidate> chosen() const;
  Error no_room() const;

  const Wanted& wanted_;
  const Constants& constants_;
};

Candidate Planner::candidate(std::uint32_t shards, std::uint32_t replicas) const {
  Candidate made{.shards = shards, .replicas = replicas};
  made.leaves_a_machine = std::max(1u, wanted_.gpus);
  if (wanted_.shards > 0 && wanted_.machines > 0)  // as many on each as the machines make necessary
    made.leaves_a_machine = std::max(made.leaves_a_machine, whole(double(shards) * replicas / wanted_.machines));
  made.leaves_a_machine = std::min(made.leaves_a_machine, shards);
  made.machines = (shards + made.leaves_a_machine - 1) / made.leaves_a_machine * replicas;
  made.share = share_of(wanted_, constants_, shards);
  made.broker_us = constants_.broker_us + shards * constants_.broker_us_leaf;
  const double brokers_work =
      searched_rate() * made.broker_us + wanted_.rate * wanted_.cache_hits * constants_.cached_us;
  made.broker_threads = std::max(1u, whole(brokers_work / 1e6 / kBrokerBusy));
  made.brokers = std::max(replicas > 1 ? 2u : 1u, whole(double(made.broker_threads) / wanted_.cores));
  made.broker_threads = std::max(made.broker_threads, made.brokers);
  const double left = wanted_.cores - (wanted_.brokers_apart ? 0 : double(made.broker_threads) / made.machines);
  made.cores = left < 1 ? (wanted_.shards > 0 ? 1 : 0) : static_cast<std::uint32_t>(left);
  const auto most = static_cast<std::uint32_t>(wire::kMaxPartitions / shards);
  made.partitions = wanted_.gpus > 0 ? 1 : std::clamp(made.cores, 1u, std::max(1u, most));
  if (wanted_.partitions > 0) made.partitions = std::max(1u, wanted_.partitions / shards);
  const double rate = searched_rate() / replicas / 1e6;
  made.busy =
      made.cores == 0 ? 1 : rate * made.leaves_a_machine * (made.share.fixed_us + made.share.work_us) / made.cores;
  made.gpu_busy = rate * made.share.gpu_us;
  return made;
}

bool Planner::has_room(const Candidate& candidate) const {
  return candidate.share.documents <= kMaxShardDocuments &&
         candidate.share.memory * candidate.leaves_a_machine <= wanted_.memory * kMemoryShare &&
         (wanted_.gpus == 0 || candidate.share.gpu_memory <= wanted_.gpu_memory * kMemoryShare);
}
bool Planner::is_busy(const Candidate& candidate) const {
  if (candidate.busiest() > kMostBusy) return true;
  return candidate.replicas > 1 &&
         candidate.busiest() * candidate.replicas / (candidate.replicas - 1) > kMostBusyOneDown;
}

// Those with room, and time for the rate, the fewest leaves first.
std::vector<Candidate> Planner::candidates() const {
  std::vector<Candidate> all;
  for (std::uint32_t shards = 1; shards <= wire::kMaxPartitions; shards = std::max(shards + 1, whole(shards * 1.1))) {
    std::uint32_t found = 0;
    for (std::uint32_t replicas = 1; replicas <= kMaxReplicas && found < 3; ++replicas) {
      if (available(wanted_, shards, replicas) < wanted_.availability) continue;
      const Candidate next = candidate(shards, replicas);
      if (!has_room(next)) break;
      if (next.cores == 0 || is_busy(next)) continue;
      all.push_back(next);
      ++found;
    }
  }
  std::ranges::stable_sort(all, {}, [](const Candidate& one) { return std::pair(one.leaves(), one.shards); });
  return all;
}

SimulatedLatency Planner::latency(const Candidate& candidate, bool one_down) const {
  SimulatedCluster cluster;
  cluster.rate = searched_rate();
  cluster.shards = candidate.shards;
  cluster.replicas = candidate.replicas;
  cluster.leaves_a_machine = candidate.leaves_a_machine;
  cluster.cores = candidate.cores;
  cluster.partitions = candidate.partitions;
  cluster.fixed_us = candidate.share.fixed_us;
  cluster.split_more = constants_.split_more;
  cluster.work_us = candidate.share.work_us;
  cluster.gpu_us = candidate.share.gpu_us;
  cluster.postings = candidate.share.read_postings;
  cluster.work = constants_.work;
  cluster.leaf_spread = constants_.leaf_spread;
  cluster.stall_share = constants_.stall_share;
  cluster.stall_us = constants_.stall_us;
  cluster.way_us = constants_.way_us;
  // Ids, titles and URLs come with the rankings.
  cluster.fetch_way_us = wanted_.with_text ? constants_.fetch_way_us : 0;
  cluster.gpu_way_us = constants_.gpu_way_us;
  cluster.broker_threads = candidate.broker_threads;
  cluster.broker_us = candidate.broker_us;
  cluster.hedge_share = wanted_.hedge_share;
  cluster.one_down = one_down;
  return simulate(cluster, std::clamp(4'000'000 / candidate.shards, 1'500u, 20'000u), wanted_.seed);
}

Error Planner::no_room() const {
  const LeafShare least = share_of(wanted_, constants_, wire::kMaxPartitions);
  if (least.memory > wanted_.memory * kMemoryShare)
    return {Code::kInvalid, fmt::format("one of {} leaves, the most there can be, needs {:.1f} GiB of memory: machines "
                                        "of {:.1f} GiB would do",
                                        wire::kMaxPartitions, least.memory / kGiB, least.memory / kGiB / kMemoryShare)};
  if (wanted_.gpus > 0 && least.gpu_memory > wanted_.gpu_memory * kMemoryShare)
    return {Code::kInvalid, fmt::format("one of {} leaves needs {:.1f} GiB of its GPU's memory", wire::kMaxPartitions,
                                        least.gpu_memory / kGiB / kMemoryShare)};
  return {Code::kInvalid, fmt::format("no number of leaves of {} cores answers {:.0f} searches a second with this "
                                      "availability",
                                      wanted_.cores, wanted_.rate)};
}

Result<Candidate> Planner::chosen() const {
  if (wanted_.shards > 0) {
    const Candidate given = candidate(wanted_.shards, std::max(1u, wanted_.replicas));
    if (given.busiest() < 1) return given;
    return Error(Code::kInvalid, fmt::format("these leaves answer {:.0f} searches a second at most",
                                             searched_rate() / given.busiest()));
  }
  const Candidate one = candidate(1, 1);
  const double least_ms = (constants_.way_us + one.broker_us + one.share.fixed_us) / 1000;
  if (wanted_.p99_ms < least_ms)
    return Error(Code::kInvalid, fmt::format("a p99 of {} ms cannot be had: a leaf with next to no documents takes "
                                             "{:.2f} ms",
                                             wanted_.p99_ms, least_ms));
  const auto all = candidates();
  if (all.empty()) return no_room();
  double best_ms = 0;
  const double longest = constants_.work.at(0.99);
  for (const Candidate& next : all) {
    // Without any queue: no need to simulate.
    const double fetch = next.shards > 1 && wanted_.with_text ? constants_.fetch_way_us : 0;
    double p99_ms = (constants_.way_us + fetch + next.broker_us + next.share.fixed_us +
                     next.share.work_us * longest * 0.9 / std::min(next.cores, next.partitions)) /
                    1000;
    if (p99_ms <= wanted_.p99_ms) p99_ms = latency(next, false).quantile_us(0.99) / 1000;
    if (p99_ms <= wanted_.p99_ms) return next;
    best_ms = best_ms == 0 ? p99_ms : std::min(best_ms, p99_ms);
  }
  return Error(Code::kInvalid,
               fmt::format("a p99 of {} ms cannot be had with any number of such machines: the least is "
                           "{:.1f} ms",
                           wanted_.p99_ms, best_ms));
}

Result<Plan> Planner::plan() const {
  const Candidate candidate = FROND_TRY(chosen());
  Plan plan;
  explain_sizes(wanted_, constants_, candidate, plan);
  const double machines = plan.value("machines");
  if (wanted_.shards == 0 && wanted_.machines > 0 && machines > wanted_.machines)
    return Error(Code::kInvalid, fmt::format("{} machines are not enough: {:.0f} of {} cores and {:.0f} GiB would do",
                                             wanted_.machines, machines, wanted_.cores, wanted_.memory / kGiB));
  const SimulatedLatency usual = latency(candidate, false);
  std::optional<SimulatedLatency> one_down;
  if (candidate.replicas > 1 && candidate.busiest() * candidate.replicas < candidate.replicas - 1)
    one_down = latency(candidate, true);
  explain_times(wanted_, constants_, candidate, usual, one_down ? &*one_down : nullptr, plan);
  return plan;
}

}  // namespace

double available(const Wanted& wanted, std::uint32_t shards, std::uint32_t replicas) {
  return std::pow(1 - std::pow(1 - wanted.machine_availability, replicas), shards);
}

Result<Plan> make_plan(const Wanted& wanted, const Constants& constants) { return Planner(wanted, constants).plan(); }

}  // namespace frond::tools::plan
