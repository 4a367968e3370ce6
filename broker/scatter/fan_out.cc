#include "broker/scatter/fan_out.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "broker/merge/merge.h"
#include "broker/scatter/replica_choice.h"

namespace frond::broker {

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

class FanOut : public std::enable_shared_from_this<FanOut> {
 public:
  FanOut(ScatterContext& context, std::shared_ptr<const Topology> topology, wire::SearchRequest request,
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

 private:
  // Partitions that one leaf answers together.
  struct Group {
    std::vector<std::uint32_t> partitions;
    std::vector<LeafRef> tried;
    std::size_t open = 0;            // attempts without an answer yet
    std::optional<LeafAnswer> held;  // the best that is not whole
    wire::Unsearched reason = wire::Unsearched::kUnavailable;
    std::optional<TimerQueue::Id> hedge;
    bool settled = false;
  };

  using Lacking = wire::SearchReply::Missing;

  // Makes groups of the partitions and sends them; one that nobody has stays missing for its reason.
  void ask(std::span<const Lacking> lacking, std::span<const LeafRef> tried) {
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
      ++unsettled_;
      send(group, share.leaf);
      plan_hedge(group);
    }
  }
  void send(const std::shared_ptr<Group>& group, const LeafRef& leaf) {
    group->tried.push_back(leaf);
    ++group->open;
    ++context_.counters.search_requests;
    wire::SearchRequest request = request_;
    request.partitions = group->partitions;
    leaf->client->search(std::move(request), deadline_,
                         [self = shared_from_this(), group, leaf, sent = context_.timers.clock().now()](
                             Result<wire::SearchReply> reply) { self->heard(group, leaf, sent, std::move(reply)); });
  }
  void plan_hedge(const std::shared_ptr<Group>& group) {
    if (group->tried.size() >= kMostAttempts) return;
    const auto half = deadline_.left(context_.timers.clock()) / 2;
    if (half < kLeastHedge || !one_for_all(*topology_, group->partitions, group->tried)) return;
    group->hedge = context_.timers.after(half, [self = shared_from_this(), group] {
      group->hedge.reset();
      const LeafRef other = one_for_all(*self->topology_, group->partitions, group->tried);
      if (group->settled || !other) return;
      ++self->context_.counters.hedges;
      self->send(group, other);
    });
  }

  void heard(const std::shared_ptr<Group>& group, const LeafRef& leaf, Instant sent, Result<wire::SearchReply> reply) {
    --group->open;
    if (reply)
      if (auto sound = check_reply(*group, *reply); !sound) reply = std::move(sound).error();
    if (!reply) {
      ++context_.counters.search_failures;
      if (reply.error().code() == Code::kUnavailable) context_.map.report_unavailable(leaf, reply.error().message());
    }
    if (reply && std::any_of(reply->unsearched.begin(), reply->unsearched.end(),
                             [](const auto& one) { return one.reason == wire::Unsearched::kUnknownGeneration; }))
      context_.map.refresh(leaf);
    if (group->settled) return;  // the slower of two
    if (!reply) {
      group->reason = reason_of(reply.error().code());
    } else if (!group->held || reply->unsearched.size() < group->held->reply.unsearched.size()) {
      const auto took = std::chrono::duration_cast<std::chrono::microseconds>(context_.timers.clock().now() - sent);
      group->held = LeafAnswer{leaf, group->partitions, *std::move(reply), static_cast<std::uint64_t>(took.count())};
    }
    const bool whole = group->held && group->held->reply.unsearched.empty();
    if (!whole && group->open > 0) return;  // the other attempt may do better
    settle(*group);
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
    return check(request_, reply);
  }

  // Takes the best answer there is, and asks others for what it lacks.
  void settle(Group& group) {
    group.settled = true;
    if (group.hedge) context_.timers.cancel(*group.hedge);
    std::vector<Lacking> lacking;
    if (group.held) {
      lacking = group.held->reply.unsearched;
      std::erase_if(group.held->partitions, [&](std::uint32_t partition) {
        return std::any_of(lacking.begin(), lacking.end(), [&](const auto& one) { return one.partition == partition; });
      });
      if (!group.held->partitions.empty()) result_.answers.push_back(*std::move(group.held));
    } else {
      for (const auto partition : group.partitions) lacking.push_back({partition, group.reason});
    }
    --unsettled_;
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
  void finish_if_settled() {
    if (unsettled_ > 0 || !done_) return;
    std::sort(result_.missing.begin(), result_.missing.end(),
              [](const auto& a, const auto& b) { return a.partition < b.partition; });
    std::exchange(done_, nullptr)(std::move(result_));
  }

  ScatterContext& context_;
  std::shared_ptr<const Topology> topology_;
  wire::SearchRequest request_;
  Deadline deadline_;
  std::function<void(FanOutResult)> done_;
  FanOutResult result_;
  std::size_t unsettled_ = 0;
};
}  // namespace

void fan_out(ScatterContext& context, std::shared_ptr<const Topology> topology, wire::SearchRequest request,
             Deadline deadline, std::function<void(FanOutResult)> done) {
  std::make_shared<FanOut>(context, std::move(topology), std::move(request), deadline, std::move(done))->start();
}

}  // namespace frond::broker
