#include "broker/scatter/fan_out.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "broker/merge/facet_merge.h"
#include "broker/merge/merge.h"
#include "broker/scatter/scatter_context.h"
#include "common/wire/messages.h"

namespace frond::broker::scatter {

namespace {
constexpr std::size_t kMaxAttempts = 2;  // leaves that may be asked for one partition

class FanOut final : public Abandonable, public std::enable_shared_from_this<FanOut> {
 public:
  FanOut(ScatterContext& context, std::shared_ptr<const cluster::Topology> topology, wire::SearchRequest request,
         merge::Arrangement arrangement, std::size_t max_facet_bytes, Deadline deadline,
         std::function<void(FanOutResult)> done)
      : context_(context),
        topology_(std::move(topology)),
        request_(std::move(request)),
        arrangement_(std::move(arrangement)),
        max_facet_bytes_(max_facet_bytes),
        deadline_(deadline),
        done_(std::move(done)),
        too_old_(left_out_for(*topology_, wire::features_needed(request_))),
        costly_(wire::is_costly(request_)),
        begun_(context_.timers.clock().now()) {}

  void start() {
    std::vector<wire::UnsearchedPartition> all;
    for (std::uint32_t i = 0; i < topology_->partitions.size(); ++i)
      all.push_back({i, wire::UnsearchedReason::kUnavailable});
    ask(all, {});
    result_.answers.reserve(groups_.size());
    finish_if_settled();
  }
  void abandon() override {
    if (!done_) return;
    const auto self = shared_from_this();  // what is destroyed here may hold the last reference
    const auto done = std::exchange(done_, nullptr);
    for (const auto& group : std::exchange(groups_, {})) close(*group);
  }

 private:
  // Partitions that one leaf answers together.
  struct Group {
    struct Attempt {
      cluster::LeafRef leaf;
      cluster::RequestId request;
      Instant sent;
    };
    std::vector<std::uint32_t> partitions;
    std::vector<cluster::LeafRef> tried;
    std::vector<Attempt> open;       // requests without a reply yet
    std::optional<LeafAnswer> held;  // the best reply so far
    wire::UnsearchedReason reason = wire::UnsearchedReason::kUnavailable;
    std::optional<cluster::TimerQueue::Id> hedge;
    bool settled = false;
  };

  // Groups the partitions by leaf and sends the groups. A partition without another leaf stays unsearched for its
  // reason.
  void ask(std::span<const wire::UnsearchedPartition> wanted, std::span<const cluster::LeafRef> tried) {
    std::vector<std::uint32_t> partitions;
    for (const auto& one : wanted) partitions.push_back(one.partition);
    auto assignment = assign_now(context_, *topology_, partitions, not_to_ask(tried), wire::features_needed(request_));
    for (const auto& [partition, reason] : wanted)
      if (std::find(assignment.unsearched.begin(), assignment.unsearched.end(), partition) !=
          assignment.unsearched.end())
        result_.unsearched.push_back({partition, reason});
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
  std::vector<cluster::LeafRef> not_to_ask(std::span<const cluster::LeafRef> tried) const {
    std::vector<cluster::LeafRef> all = too_old_;
    all.insert(all.end(), tried.begin(), tried.end());
    return all;
  }
  void send(const std::shared_ptr<Group>& group, const cluster::LeafRef& leaf) {
    group->tried.push_back(leaf);
    ++context_.counters.search_requests;
    wire::SearchRequest request = request_;
    request.partitions = group->partitions;
    if (group->partitions.size() != topology_->partitions.size()) show_ahead(request);
    const Instant sent = context_.timers.clock().now();
    const cluster::RequestId id =
        leaf->client->search(std::move(request), deadline_,
                             [self = shared_from_this(), group, leaf, sent](Result<wire::SearchReply>&& reply) {
                               self->heard(group, leaf, sent, std::move(reply));
                             });
    group->open.push_back({leaf, id, sent});
  }
  // Its page is not the answer's, but its best hits may be on that: they come with what is read in a microsecond.
  void show_ahead(wire::SearchRequest& request) const {
    wire::Show& show = request.show;
    if (show.offset > 0 || show.explain || !show.columns.empty() || (show.fields & wire::kFieldSnippet) != 0) {
      show = {};
    } else {
      const auto parts = static_cast<double>(topology_->partitions.size());
      show.count = context_.ahead.hits(show.count, static_cast<double>(request.partitions.size()) / parts);
    }
  }
  void plan_hedge(const std::shared_ptr<Group>& group) {
    context_.hedging.count_search();
    if (group->tried.size() >= kMaxAttempts) return;
    const auto late = hedge_after(context_, deadline_, group->partitions, not_to_ask(group->tried), *topology_,
                                  costly_ ? &cluster::LeafNode::costly : &cluster::LeafNode::usual,
                                  costly_ ? std::chrono::microseconds::max() : kFirstHedge);
    if (late) hedge(group, *late);
  }
  // … and again after twice as long each time, while it is withheld.
  void hedge(const std::shared_ptr<Group>& group, std::chrono::microseconds late, bool again = false) {
    group->hedge = context_.timers.after(late, [self = shared_from_this(), group, late, again] {
      group->hedge.reset();
      const cluster::LeafRef other = one_for_all(*self->topology_, group->partitions, self->not_to_ask(group->tried));
      if (group->settled || !other) return;
      if (self->context_.hedging.allow(*other, group->tried.back()->silent, again))
        self->send(group, other);
      else
        self->hedge(group, 2 * late, true);
    });
  }

  cluster::ReplyTimes& times_of(cluster::LeafNode& leaf) const { return costly_ ? leaf.costly : leaf.usual; }
  std::chrono::microseconds since(Instant sent) const {
    return std::chrono::duration_cast<std::chrono::microseconds>(context_.timers.clock().now() - sent);
  }
  // The reply to what was sent then came first: what was asked before it and is still open is late.
  void was_outrun(const Group& group, Instant sent) {
    for (const auto& attempt : group.open) {
      if (attempt.sent >= sent) continue;
      attempt.leaf->silent = true;
      times_of(*attempt.leaf).add(since(attempt.sent));
    }
  }

  void heard(const std::shared_ptr<Group>& group, const cluster::LeafRef& leaf, Instant sent,
             Result<wire::SearchReply>&& reply) {
    std::erase_if(group->open, [&](const auto& attempt) { return attempt.leaf == leaf; });
    if (reply) leaf->silent = false;
    if (reply)
      if (auto sound = check_reply(*group, *reply); !sound) reply = std::move(sound).error();
    if (reply)
      if (auto room = make_room(*reply); !room) reply = std::move(room).error();
    if (!reply) {
      ++context_.counters.search_failures;
      if (reply.error().code() == Code::kUnavailable) context_.map.report_unavailable(leaf, reply.error().message());
      if (reply.error().code() == Code::kNotFound || reply.error().code() == Code::kCorrupt) context_.map.refresh(leaf);
    }
    if (reply && std::any_of(reply->unsearched.begin(), reply->unsearched.end(),
                             [](const auto& one) { return one.reason == wire::UnsearchedReason::kUnknownGeneration; }))
      context_.map.refresh(leaf);
    if (!reply) {
      group->reason = reason_of(reply.error().code());
      if (group->reason == wire::UnsearchedReason::kInvalidQuery) result_.refusal = reply.error().message();
    } else if (!group->held || reply->unsearched.size() < group->held->reply.unsearched.size()) {
      group->held =
          LeafAnswer{leaf, group->partitions, *std::move(reply), static_cast<std::uint64_t>(since(sent).count()),
                     static_cast<std::uint64_t>((since(begun_) - since(sent)).count())};
    }
    const bool whole = group->held && group->held->reply.unsearched.empty();
    if (whole) {
      times_of(*leaf).add(since(sent));
      was_outrun(*group, sent);
    }
    if (!whole && !group->open.empty()) return;  // wait: the other attempt may give more
    settle(group);
  }
  Result<void> check_reply(const Group& group, const wire::SearchReply& reply) const {
    std::vector<std::uint32_t> named;
    for (const auto& one : reply.unsearched) {
      named.push_back(one.partition);
      if (std::find(group.partitions.begin(), group.partitions.end(), one.partition) == group.partitions.end())
        return Error(Code::kCorrupt, "names a partition that it was not asked for");
    }
    std::sort(named.begin(), named.end());
    if (std::adjacent_find(named.begin(), named.end()) != named.end())
      return Error(Code::kCorrupt, "names a partition twice");
    // A leaf that searched no partition sends no ranking.
    if (reply.unsearched.size() >= group.partitions.size()) return {};
    return merge::check(request_, reply, arrangement_);
  }

  // Counts what a reply's facets take before it is kept. kInvalid: it is too much, with those of other replies.
  Result<void> make_room(const wire::SearchReply& reply) {
    facet_bytes_ += merge::facet_bytes(reply);
    if (facet_bytes_ <= max_facet_bytes_) return {};
    return Error(Code::kInvalid, "facet " + schema::quote(arrangement_.facets.front().name) +
                                     " and those after it have more than " + std::to_string(max_facet_bytes_ >> 20) +
                                     " MiB of different values");
  }

  // Cancels the group's open requests.
  void close(Group& group) {
    group.settled = true;
    if (group.hedge) context_.timers.cancel(*group.hedge);
    group.hedge.reset();
    for (const auto& attempt : std::exchange(group.open, {})) attempt.leaf->client->cancel(attempt.request);
  }
  // Takes the best reply, and asks other leaves for the partitions that it left unsearched.
  void settle(const std::shared_ptr<Group>& settled) {
    Group& group = *settled;
    close(group);
    std::erase(groups_, settled);
    std::vector<wire::UnsearchedPartition> unsearched;
    if (group.held) {
      unsearched = group.held->reply.unsearched;
      std::erase_if(group.held->partitions, [&](std::uint32_t partition) {
        return std::any_of(unsearched.begin(), unsearched.end(),
                           [&](const auto& one) { return one.partition == partition; });
      });
      if (!group.held->partitions.empty()) {
        if (!unsearched.empty()) leave_out(unsearched, group.held->reply);
        result_.answers.push_back(*std::move(group.held));
      }
    } else {
      for (const auto partition : group.partitions) unsearched.push_back({partition, group.reason});
    }
    put_in_order(unsearched);
    const bool over = group.tried.size() >= kMaxAttempts || deadline_.passed(context_.timers.clock());
    std::vector<wire::UnsearchedPartition> again;
    for (const auto& one : unsearched) {
      if (over || one.reason == wire::UnsearchedReason::kDeadline ||
          one.reason == wire::UnsearchedReason::kInvalidQuery)
        result_.unsearched.push_back({one.partition, one.reason});
      else
        again.push_back(one);
    }
    if (!again.empty()) ask(again, group.tried);
    finish_if_settled();
  }
  // Removes the hits of unsearched partitions: another leaf may be asked for these, and no hit may be in two answers.
  void leave_out(const std::vector<wire::UnsearchedPartition>& unsearched, wire::SearchReply& reply) const {
    const auto is_unsearched = [&](const topk::Hit& hit) {
      const auto partition = topology_->partition_of(hit.ordinal);
      return std::any_of(unsearched.begin(), unsearched.end(),
                         [&](const auto& one) { return one.partition == partition; });
    };
    for (wire::Ranking* ranking : {&reply.and_ranking, &reply.or_ranking}) {
      std::vector<std::string> kept;
      for (std::size_t i = 0; i < ranking->sort_bytes.size(); ++i)
        if (!is_unsearched(ranking->hits[i])) kept.push_back(std::move(ranking->sort_bytes[i]));
      ranking->sort_bytes = std::move(kept);
      const std::size_t left_out = std::erase_if(ranking->hits, is_unsearched);
      if (left_out == 0) continue;
      ranking->matches -= left_out;  // at least as many as the hits: check() has seen to that
      ranking->exact = false;
    }
  }
  void finish_if_settled() {
    if (!groups_.empty() || !done_) return;
    put_in_order(result_.unsearched);
    std::exchange(done_, nullptr)(std::move(result_));
  }

  ScatterContext& context_;
  std::shared_ptr<const cluster::Topology> topology_;
  wire::SearchRequest request_;
  const merge::Arrangement arrangement_;
  const std::size_t max_facet_bytes_;
  Deadline deadline_;
  std::function<void(FanOutResult)> done_;
  const std::vector<cluster::LeafRef> too_old_;
  const bool costly_;
  const Instant begun_;
  FanOutResult result_;
  std::size_t facet_bytes_ = 0;                 // of all replies
  std::vector<std::shared_ptr<Group>> groups_;  // not settled yet
};
}  // namespace

std::shared_ptr<Abandonable> fan_out(ScatterContext& context, std::shared_ptr<const cluster::Topology> topology,
                                     wire::SearchRequest request, merge::Arrangement arrangement,
                                     std::size_t max_facet_bytes, Deadline deadline,
                                     std::function<void(FanOutResult)> done) {
  auto started = std::make_shared<FanOut>(context, std::move(topology), std::move(request), std::move(arrangement),
                                          max_facet_bytes, deadline, std::move(done));
  started->start();
  return started;
}

}  // namespace frond::broker::scatter
