#include "broker/scatter/fan_out.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "broker/merge/merge.h"
#include "broker/scatter/replica_choice.h"

namespace frond::broker::scatter {

wire::Unsearched reason_of(Code code) {
  switch (code) {
    case Code::kDeadline:
      return wire::Unsearched::kDeadline;
    case Code::kOverloaded:
      return wire::Unsearched::kOverloaded;
    case Code::kNotFound:
      return wire::Unsearched::kUnknownGeneration;
    case Code::kCorrupt:
    case Code::kInvalid:
      return wire::Unsearched::kCorrupt;
    default:
      return wire::Unsearched::kUnavailable;
  }
}

namespace {
constexpr std::size_t kMostAttempts = 2;  // leaves asked for one partition
constexpr std::chrono::microseconds kLeastHedge{2000};

class FanOut final : public Abandonable, public std::enable_shared_from_this<FanOut> {
 public:
  FanOut(ScatterContext& context, std::shared_ptr<const cluster::Topology> topology, wire::SearchRequest request,
         Deadline deadline, std::function<void(FanOutResult)> done)
      : context_(context),
        topology_(std::move(topology)),
        request_(std::move(request)),
        deadline_(deadline),
        done_(std::move(done)) {}

  void start() {
    std::vector<Lacking> all;
    for (std::uint32_t i = 0; i < topology_->partitions.size(); ++i) all.push_back({i, wire::Unsearched::kUnavailable});
    ask(all, {});
    finish_if_settled();
  }
  void abandon() override {
    if (!done_) return;
    const auto self = shared_from_this();  // what is let go of may hold the last reference
    const auto done = std::exchange(done_, nullptr);
    for (const auto& group : std::exchange(groups_, {})) close(*group);
  }

 private:
  // Partitions that one leaf answers together.
  struct Group {
    struct Attempt {
      cluster::LeafRef leaf;
      cluster::RequestId request;
    };
    std::vector<std::uint32_t> partitions;
    std::vector<cluster::LeafRef> tried;
    std::vector<Attempt> open;       // without an answer yet
    std::optional<LeafAnswer> held;  // the best that is not whole
    wire::Unsearched reason = wire::Unsearched::kUnavailable;
    std::optional<cluster::TimerQueue::Id> hedge;
    bool settled = false;
  };

  using Lacking = wire::SearchReply::Missing;

  // Makes groups of the partitions and sends them; one that nobody has stays missing for its reason.
  void ask(std::span<const Lacking> lacking, std::span<const cluster::LeafRef> tried) {
    std::vector<std::uint32_t> partitions;
    for (const auto& one : lacking) partitions.push_back(one.partition);
    auto assignment = assign(*topology_, partitions, tried, context_.turn++);
    for (const auto& [partition, reason] : lacking)
      if (std::find(assignment.nobody.begin(), assignment.nobody.end(), partition) != assignment.nobody.end())
        result_.missing.push_back({partition, reason});
    for (auto& share : assignment.shares) {
      if (!tried.empty()) ++context_.counters.failovers;
      auto group = std::make_shared<Group>();
      group->partitions = std::move(share.partitions);
      group->tried.assign(tried.begin(), tried.end());
      groups_.push_back(group);
      send(group, share.leaf);
      plan_hedge(group);
    }
  }
  void send(const std::shared_ptr<Group>& group, const cluster::LeafRef& leaf) {
    group->tried.push_back(leaf);
    ++context_.counters.search_requests;
    wire::SearchRequest request = request_;
    request.partitions = group->partitions;
    const cluster::RequestId id = leaf->client->search(
        std::move(request), deadline_,
        [self = shared_from_this(), group, leaf, sent = context_.timers.clock().now()](
            Result<wire::SearchReply> reply) { self->heard(group, leaf, sent, std::move(reply)); });
    group->open.push_back({leaf, id});
  }
  void plan_hedge(const std::shared_ptr<Group>& group) {
    context_.hedging.count_search();
    if (group->tried.size() >= kMostAttempts || !context_.hedging.enabled()) return;
    const auto half = deadline_.left(context_.timers.clock()) / 2;
    if (half < kLeastHedge || !one_for_all(*topology_, group->partitions, group->tried)) return;
    group->hedge = context_.timers.after(half, [self = shared_from_this(), group] {
      group->hedge.reset();
      const cluster::LeafRef other = one_for_all(*self->topology_, group->partitions, group->tried);
      if (!group->settled && other && self->context_.hedging.allow(*other)) self->send(group, other);
    });
  }

  void heard(const std::shared_ptr<Group>& group, const cluster::LeafRef& leaf, Instant sent,
             Result<wire::SearchReply> reply) {
    std::erase_if(group->open, [&](const auto& attempt) { return attempt.leaf == leaf; });
    if (reply)
      if (auto sound = check_reply(*group, *reply); !sound) reply = std::move(sound).error();
    if (!reply) {
      ++context_.counters.search_failures;
      if (reply.error().code() == Code::kUnavailable) context_.map.report_unavailable(leaf, reply.error().message());
      if (reply.error().code() == Code::kCorrupt) context_.map.refresh(leaf);
    }
    if (reply && std::any_of(reply->unsearched.begin(), reply->unsearched.end(),
                             [](const auto& one) { return one.reason == wire::Unsearched::kUnknownGeneration; }))
      context_.map.refresh(leaf);
    if (!reply) {
      group->reason = reason_of(reply.error().code());
    } else if (!group->held || reply->unsearched.size() < group->held->reply.unsearched.size()) {
      const auto took = std::chrono::duration_cast<std::chrono::microseconds>(context_.timers.clock().now() - sent);
      group->held = LeafAnswer{leaf, group->partitions, *std::move(reply), static_cast<std::uint64_t>(took.count())};
    }
    const bool whole = group->held && group->held->reply.unsearched.empty();
    if (!whole && !group->open.empty()) return;  // the other attempt may do better
    settle(group);
  }
  Result<void> check_reply(const Group& group, const wire::SearchReply& reply) const {
    std::vector<std::uint32_t> named;
    for (const auto& missing : reply.unsearched) {
      named.push_back(missing.partition);
      if (std::find(group.partitions.begin(), group.partitions.end(), missing.partition) == group.partitions.end())
        return Error(Code::kCorrupt, "speaks of a partition that it was not asked for");
    }
    std::sort(named.begin(), named.end());
    if (std::adjacent_find(named.begin(), named.end()) != named.end())
      return Error(Code::kCorrupt, "speaks of a partition twice");
    // A leaf that searched nothing need not rank anything.
    if (reply.unsearched.size() >= group.partitions.size()) return {};
    return merge::check(request_, reply);
  }

  // Nobody waits for its leaves any more.
  void close(Group& group) {
    group.settled = true;
    if (group.hedge) context_.timers.cancel(*group.hedge);
    group.hedge.reset();
    for (const auto& attempt : std::exchange(group.open, {})) attempt.leaf->client->cancel(attempt.request);
  }
  // Takes the best answer there is, and asks others for what it lacks.
  void settle(const std::shared_ptr<Group>& settled) {
    Group& group = *settled;
    close(group);
    std::erase(groups_, settled);
    std::vector<Lacking> lacking;
    if (group.held) {
      lacking = group.held->reply.unsearched;
      std::erase_if(group.held->partitions, [&](std::uint32_t partition) {
        return std::any_of(lacking.begin(), lacking.end(), [&](const auto& one) { return one.partition == partition; });
      });
      if (!group.held->partitions.empty()) {
        if (!lacking.empty()) leave_out(lacking, group.held->reply);
        result_.answers.push_back(*std::move(group.held));
      }
    } else {
      for (const auto partition : group.partitions) lacking.push_back({partition, group.reason});
    }
    const auto before = [](const auto& a, const auto& b) { return a.partition < b.partition; };
    const auto same = [](const auto& a, const auto& b) { return a.partition == b.partition; };
    std::stable_sort(lacking.begin(), lacking.end(), before);
    lacking.erase(std::unique(lacking.begin(), lacking.end(), same), lacking.end());
    const bool over = group.tried.size() >= kMostAttempts || deadline_.passed(context_.timers.clock());
    std::vector<Lacking> again;
    for (const auto& one : lacking) {
      if (over || one.reason == wire::Unsearched::kDeadline)
        result_.missing.push_back({one.partition, one.reason});
      else
        again.push_back(one);
    }
    if (!again.empty()) ask(again, group.tried);
    finish_if_settled();
  }
  // Another leaf may be asked for these partitions: their hits must not be in two answers.
  void leave_out(const std::vector<Lacking>& lacking, wire::SearchReply& reply) const {
    for (wire::Ranking* ranking : {&reply.and_ranking, &reply.or_ranking}) {
      const std::size_t left_out = std::erase_if(ranking->hits, [&](const topk::Hit& hit) {
        const auto partition = topology_->partition_of(hit.ordinal);
        return std::any_of(lacking.begin(), lacking.end(), [&](const auto& one) { return one.partition == partition; });
      });
      if (left_out == 0) continue;
      ranking->matches -= left_out;  // no fewer than the hits, as check() has seen
      ranking->exact = false;
    }
  }
  void finish_if_settled() {
    if (!groups_.empty() || !done_) return;
    std::sort(result_.missing.begin(), result_.missing.end(),
              [](const auto& a, const auto& b) { return a.partition < b.partition; });
    std::exchange(done_, nullptr)(std::move(result_));
  }

  ScatterContext& context_;
  std::shared_ptr<const cluster::Topology> topology_;
  wire::SearchRequest request_;
  Deadline deadline_;
  std::function<void(FanOutResult)> done_;
  FanOutResult result_;
  std::vector<std::shared_ptr<Group>> groups_;  // that are not settled
};
}  // namespace

std::shared_ptr<Abandonable> fan_out(ScatterContext& context, std::shared_ptr<const cluster::Topology> topology,
                                     wire::SearchRequest request, Deadline deadline,
                                     std::function<void(FanOutResult)> done) {
  auto started = std::make_shared<FanOut>(context, std::move(topology), std::move(request), deadline, std::move(done));
  started->start();
  return started;
}

}  // namespace frond::broker::scatter
