#include "broker/scatter/fetch.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "broker/scatter/scatter_context.h"

namespace frond::broker::scatter {
namespace {
using Leaves = std::vector<cluster::LeafRef>;

// Fetch requests to leaves of one topology, until each has its reply or enough is known.
template <class Answer>
class Fetching : public Abandonable, public std::enable_shared_from_this<Fetching<Answer>> {
 public:
  void start() {
    open_ = 1;  // held by this function, so that done() is called last
    begin();
    close_one();
  }
  void abandon() override {
    const auto self = this->shared_from_this();  // what is destroyed here may hold the last reference
    const auto done = std::exchange(done_, nullptr);
    cancel_all();
  }

 protected:
  Fetching(ScatterContext& context, std::shared_ptr<const cluster::Topology> topology, Deadline deadline,
           std::function<void(Answer)> done)
      : context_(context), topology_(std::move(topology)), deadline_(deadline), done_(std::move(done)) {}

  // Sends the first requests.
  virtual void begin() = 0;
  // Whether open requests do not matter any more.
  virtual bool has_enough() const { return false; }
  bool is_over() const { return !done_; }

  // `left_out`: with the leaf that was asked first. `hedged`: another one was, too. Then what they found, or the last
  // failure.
  using Heard = std::function<void(const Leaves& left_out, bool hedged, Result<wire::FetchReply>)>;

  // `request` needs no generation; it is of `partitions`. Another replica of these, outside `left_out`, is asked as
  // well if the leaf is late (Hedging). What a failure says about a leaf is seen to.
  void ask(const cluster::LeafRef& leaf, wire::FetchRequest request, std::vector<std::uint32_t> partitions,
           Leaves left_out, Heard heard) {
    ++open_;
    request.generation = topology_->generation;
    request.content = topology_->content;
    left_out.push_back(leaf);
    auto asked = std::make_shared<Asked>(Asked{std::move(partitions), std::move(left_out), std::move(heard)});
    asked_.push_back(asked);
    context_.hedging.count_search();
    if (const auto late = hedge_after(context_, deadline_, asked->partitions, asked->left_out, *topology_,
                                      &cluster::LeafNode::fetches, kFirstHedge)) {
      asked->request = request;
      plan_hedge(asked, *late);
    }
    send(asked, leaf, std::move(request));
  }

  ScatterContext& context_;
  const std::shared_ptr<const cluster::Topology> topology_;
  const Deadline deadline_;
  Answer answer_;

 private:
  struct Asked {
    std::vector<std::uint32_t> partitions;
    Leaves left_out;  // with the first that was asked
    Heard heard;
    wire::FetchRequest request = {};               // for another replica
    std::vector<wire::FetchedDocument> held = {};  // of a reply without all of them
    Leaves tried = {};
    std::vector<std::pair<cluster::LeafRef, cluster::RequestId>> open = {};  // without a reply yet
    std::optional<cluster::TimerQueue::Id> hedge = {};
  };

  void send(const std::shared_ptr<Asked>& asked, const cluster::LeafRef& leaf, wire::FetchRequest request) {
    ++context_.counters.fetch_requests;
    asked->tried.push_back(leaf);
    const Instant sent = context_.timers.clock().now();
    const auto take = [self = this->shared_from_this(), asked, leaf, sent](Result<wire::FetchReply> reply) {
      self->take(asked, leaf, sent, std::move(reply));
    };
    asked->open.emplace_back(leaf, leaf->client->fetch(std::move(request), deadline_, take));
  }
  void take(const std::shared_ptr<Asked>& asked, const cluster::LeafRef& leaf, Instant sent,
            Result<wire::FetchReply> reply) {
    std::erase_if(asked->open, [&](const auto& one) { return one.first == leaf; });
    if (!reply) count_failure(leaf, reply.error());
    if (reply) leaf->silent = false;
    if (reply &&
        std::ranges::count_if(reply->documents, &wire::FetchedDocument::found) >= std::ssize(asked->request.ordinals)) {
      leaf->fetches.add(std::chrono::duration_cast<std::chrono::microseconds>(context_.timers.clock().now() - sent));
      if (leaf == asked->tried.back())
        for (const auto& [late, request] : asked->open) late->silent = true;
    } else if (!asked->open.empty()) {  // the other one may have what is missing
      if (reply) asked->held = std::move(reply->documents);
      return;
    }
    if (!reply && !asked->held.empty()) reply = wire::FetchReply{};
    if (reply) std::ranges::move(asked->held, std::back_inserter(reply->documents));
    cancel(*asked);
    std::erase(asked_, asked);
    asked->heard(asked->left_out, asked->tried.size() > 1, std::move(reply));
    close_one();
  }
  void plan_hedge(const std::shared_ptr<Asked>& asked, std::chrono::microseconds late, bool again = false) {
    asked->hedge = context_.timers.after(late, [self = this->shared_from_this(), asked, late, again] {
      asked->hedge.reset();
      const cluster::LeafRef other = one_for_all(*self->topology_, asked->partitions, asked->left_out);
      if (!other) return;
      if (self->context_.hedging.allow(*other, asked->tried.back()->silent, again))
        self->send(asked, other, asked->request);
      else
        self->plan_hedge(asked, 2 * late, true);
    });
  }
  void cancel(Asked& asked) {
    if (asked.hedge) context_.timers.cancel(*std::exchange(asked.hedge, {}));
    for (const auto& [leaf, request] : std::exchange(asked.open, {})) leaf->client->cancel(request);
  }
  void count_failure(const cluster::LeafRef& leaf, const Error& error) {
    ++context_.counters.fetch_failures;
    if (error.code() == Code::kUnavailable) context_.map.report_unavailable(leaf, error.message());
    if (error.code() == Code::kNotFound || error.code() == Code::kCorrupt) context_.map.refresh(leaf);
  }
  void close_one() {
    --open_;
    if (!done_ || (open_ > 0 && !has_enough())) return;
    const auto done = std::exchange(done_, nullptr);
    cancel_all();
    put_in_order(answer_.unsearched);
    done(std::move(answer_));
  }
  void cancel_all() {
    for (const auto& asked : std::exchange(asked_, {})) cancel(*asked);
  }

  std::function<void(Answer)> done_;  // null: it was called, or is not to be
  std::size_t open_ = 0;
  std::vector<std::shared_ptr<Asked>> asked_;  // without a reply yet
};

class Fetch final : public Fetching<FetchResult> {
 public:
  Fetch(ScatterContext& context, FetchPlan plan, Deadline deadline, std::function<void(FetchResult)> done)
      : Fetching(context, plan.topology, deadline, std::move(done)), plan_(std::move(plan)) {}

 private:
  void begin() override {
    const auto too_old = left_out_for(*topology_, features());
    for (auto& share : plan_.shares)
      if (!share.ordinals.empty()) send(share.leaf, std::move(share.ordinals), too_old, false);
  }
  // Not all leaves know columns.
  std::uint64_t features() const { return plan_.columns.empty() ? 0 : wire::kFeatureClauses; }
  void send(const cluster::LeafRef& leaf, std::vector<Ordinal> ordinals, Leaves left_out, bool again) {
    wire::FetchRequest request;
    request.terms = plan_.terms;
    request.ordinals = ordinals;
    request.fields = plan_.fields;
    request.columns = plan_.columns;
    request.explain = plan_.explain;
    std::vector<std::uint32_t> partitions;
    for (const Ordinal ordinal : ordinals)
      if (const auto one = topology_->partition_of(ordinal);
          one && std::ranges::find(partitions, *one) == partitions.end())
        partitions.push_back(*one);
    ask(leaf, std::move(request), std::move(partitions), std::move(left_out),
        [this, ordinals = std::move(ordinals), again](const auto& failed, bool hedged, auto reply) {
          heard(failed, ordinals, again || hedged, std::move(reply));
        });
  }
  void heard(const Leaves& left_out, const std::vector<Ordinal>& asked, bool again, Result<wire::FetchReply> reply) {
    const auto failed = reply ? wire::UnsearchedReason::kCorrupt : reason_of(reply.error().code());
    std::unordered_map<Ordinal, wire::UnsearchedReason> unfetched;
    for (const Ordinal ordinal : asked) unfetched.emplace(ordinal, failed);
    if (reply) {
      // Takes only documents that were asked for, each once.
      for (auto& document : reply->documents) {
        const auto wanted = unfetched.find(document.ordinal);
        if (wanted == unfetched.end()) continue;
        wanted->second = document.reason;
        if (!document.found) continue;
        unfetched.erase(wanted);
        answer_.documents.push_back(std::move(document));
      }
    }
    if (!unfetched.empty()) retry(left_out, unfetched, again);
  }
  struct Unfetched {
    std::vector<Ordinal> ordinals;
    wire::UnsearchedReason reason = wire::UnsearchedReason::kDeadline;  // another one, if a document has it
  };
  void retry(const Leaves& left_out, const std::unordered_map<Ordinal, wire::UnsearchedReason>& unfetched, bool again) {
    const bool late = deadline_.passed(context_.timers.clock());
    std::map<std::uint32_t, Unfetched> by_partition;
    for (const auto& [ordinal, reason] : unfetched) {
      // An ordinal outside all partitions is no document: the leaf sent a hit that does not exist.
      const auto partition = topology_->partition_of(ordinal);
      if (!partition) continue;
      by_partition[*partition].ordinals.push_back(ordinal);
      if (!late && reason != wire::UnsearchedReason::kDeadline) by_partition[*partition].reason = reason;
    }
    std::vector<std::uint32_t> partitions;  // to be asked of others
    for (const auto& [partition, lacking] : by_partition) {
      if (again || lacking.reason == wire::UnsearchedReason::kDeadline)
        answer_.unsearched.push_back({partition, lacking.reason});
      else
        partitions.push_back(partition);
    }
    const Assignment elsewhere = assign_now(context_, *topology_, partitions, left_out, features());
    for (const auto partition : elsewhere.unsearched)
      answer_.unsearched.push_back({partition, by_partition[partition].reason});
    for (const auto& share : elsewhere.shares) {
      std::vector<Ordinal> ordinals;
      for (const auto partition : share.partitions) {
        const std::vector<Ordinal>& lacking = by_partition[partition].ordinals;
        ordinals.insert(ordinals.end(), lacking.begin(), lacking.end());
      }
      ++context_.counters.failovers;
      send(share.leaf, std::move(ordinals), left_out, true);
    }
  }

  FetchPlan plan_;
};

class LookUp final : public Fetching<LookUpResult> {
 public:
  LookUp(ScatterContext& context, std::shared_ptr<const cluster::Topology> topology, std::string id,
         std::uint32_t body_bytes, Deadline deadline, std::function<void(LookUpResult)> done)
      : Fetching(context, std::move(topology), deadline, std::move(done)),
        id_(std::move(id)),
        body_bytes_(body_bytes) {}

 private:
  void begin() override {
    std::vector<std::uint32_t> all(topology_->partitions.size());
    std::iota(all.begin(), all.end(), 0u);
    send(all, left_out_for(*topology_, wire::kFeatureById), wire::UnsearchedReason::kUnavailable, false);
  }
  bool has_enough() const override { return answer_.document.has_value(); }

  // `reason`: of the partitions that no leaf is left for.
  void send(const std::vector<std::uint32_t>& partitions, const Leaves& left_out, wire::UnsearchedReason reason,
            bool again) {
    const Assignment to = assign_now(context_, *topology_, partitions, left_out, wire::kFeatureById);
    for (const auto partition : to.unsearched) answer_.unsearched.push_back({partition, reason});
    for (const LeafShare& share : to.shares) {
      if (is_over()) return;
      if (again) ++context_.counters.failovers;
      wire::FetchRequest request;
      request.id = id_;
      request.body_bytes = body_bytes_;
      ask(share.leaf, std::move(request), share.partitions, left_out,
          [this, partitions = share.partitions, again](const auto& failed, bool hedged, auto reply) {
            heard(partitions, failed, again || hedged, std::move(reply));
          });
    }
  }
  void heard(const std::vector<std::uint32_t>& asked, const Leaves& left_out, bool again,
             Result<wire::FetchReply> reply) {
    if (reply) {
      for (auto& document : reply->documents)
        if (document.found && document.id == id_ && !answer_.document) answer_.document = std::move(document);
      return;
    }
    const Code code = reply.error().code();
    if (again || code == Code::kDeadline || deadline_.passed(context_.timers.clock())) {
      for (const auto partition : asked) answer_.unsearched.push_back({partition, reason_of(code)});
      return;
    }
    send(asked, left_out, reason_of(code), true);
  }

  const std::string id_;
  const std::uint32_t body_bytes_;
};
}  // namespace

std::shared_ptr<Abandonable> fetch(ScatterContext& context, FetchPlan plan, Deadline deadline,
                                   std::function<void(FetchResult)> done) {
  auto started = std::make_shared<Fetch>(context, std::move(plan), deadline, std::move(done));
  started->start();
  return started;
}

std::shared_ptr<Abandonable> look_up(ScatterContext& context, std::shared_ptr<const cluster::Topology> topology,
                                     std::string id, std::uint32_t body_bytes, Deadline deadline,
                                     std::function<void(LookUpResult)> done) {
  auto started =
      std::make_shared<LookUp>(context, std::move(topology), std::move(id), body_bytes, deadline, std::move(done));
  started->start();
  return started;
}

}  // namespace frond::broker::scatter
