#include "broker/scatter/fetch.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "broker/scatter/scatter_context.h"

namespace frond::broker::scatter {
namespace {

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

  // `request` needs no generation. `heard` gets the reply; what a failure says about the leaf is seen to.
  void ask(const cluster::LeafRef& leaf, wire::FetchRequest request,
           std::function<void(Result<wire::FetchReply>)> heard) {
    ++open_;
    ++context_.counters.fetch_requests;
    request.generation = topology_->generation;
    request.content = topology_->content;
    const std::uint64_t number = ++sent_;
    const auto take = [self = this->shared_from_this(), leaf, number,
                       heard = std::move(heard)](Result<wire::FetchReply> reply) {
      self->asked_.erase(number);
      if (!reply) self->count_failure(leaf, reply.error());
      heard(std::move(reply));
      self->close_one();
    };
    const cluster::RequestId id = leaf->client->fetch(std::move(request), deadline_, take);
    asked_.emplace(number, std::pair(leaf, id));
  }

  ScatterContext& context_;
  const std::shared_ptr<const cluster::Topology> topology_;
  const Deadline deadline_;
  Answer answer_;

 private:
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
    for (const auto& [number, asked] : std::exchange(asked_, {})) asked.first->client->cancel(asked.second);
  }

  std::function<void(Answer)> done_;  // null: it was called, or is not to be
  std::size_t open_ = 0;
  std::uint64_t sent_ = 0;
  std::map<std::uint64_t, std::pair<cluster::LeafRef, cluster::RequestId>> asked_;  // without a reply yet
};

class Fetch final : public Fetching<FetchResult> {
 public:
  Fetch(ScatterContext& context, FetchPlan plan, Deadline deadline, std::function<void(FetchResult)> done)
      : Fetching(context, plan.topology, deadline, std::move(done)), plan_(std::move(plan)) {}

 private:
  void begin() override {
    for (auto& share : plan_.shares)
      if (!share.ordinals.empty()) send(share.leaf, std::move(share.ordinals), false);
  }
  void send(const cluster::LeafRef& leaf, std::vector<Ordinal> ordinals, bool again) {
    wire::FetchRequest request;
    request.terms = plan_.terms;
    request.ordinals = ordinals;
    request.fields = plan_.fields;
    request.columns = plan_.columns;
    request.explain = plan_.explain;
    ask(leaf, std::move(request), [this, leaf, ordinals = std::move(ordinals), again](Result<wire::FetchReply> reply) {
      heard(leaf, ordinals, again, std::move(reply));
    });
  }
  void heard(const cluster::LeafRef& leaf, const std::vector<Ordinal>& asked, bool again,
             Result<wire::FetchReply> reply) {
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
    if (!unfetched.empty()) retry(leaf, unfetched, again);
  }
  struct Unfetched {
    std::vector<Ordinal> ordinals;
    wire::UnsearchedReason reason = wire::UnsearchedReason::kDeadline;  // another one, if a document has it
  };
  void retry(const cluster::LeafRef& failed, const std::unordered_map<Ordinal, wire::UnsearchedReason>& unfetched,
             bool again) {
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
    auto left_out = left_out_for(*topology_, plan_.columns.empty() ? 0 : wire::kFeatureClauses);
    left_out.push_back(failed);
    const Assignment elsewhere = assign(*topology_, partitions, left_out, context_.turn++);
    for (const auto partition : elsewhere.unsearched)
      answer_.unsearched.push_back({partition, by_partition[partition].reason});
    for (const auto& share : elsewhere.shares) {
      std::vector<Ordinal> ordinals;
      for (const auto partition : share.partitions) {
        const std::vector<Ordinal>& lacking = by_partition[partition].ordinals;
        ordinals.insert(ordinals.end(), lacking.begin(), lacking.end());
      }
      ++context_.counters.failovers;
      send(share.leaf, std::move(ordinals), true);
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
  void send(const std::vector<std::uint32_t>& partitions, const std::vector<cluster::LeafRef>& left_out,
            wire::UnsearchedReason reason, bool again) {
    const Assignment to = assign(*topology_, partitions, left_out, context_.turn++);
    for (const auto partition : to.unsearched) answer_.unsearched.push_back({partition, reason});
    for (const LeafShare& share : to.shares) {
      if (is_over()) return;
      if (again) ++context_.counters.failovers;
      wire::FetchRequest request;
      request.id = id_;
      request.body_bytes = body_bytes_;
      ask(share.leaf, std::move(request),
          [this, share, again](Result<wire::FetchReply> reply) { heard(share, again, std::move(reply)); });
    }
  }
  void heard(const LeafShare& asked, bool again, Result<wire::FetchReply> reply) {
    if (reply) {
      for (auto& document : reply->documents)
        if (document.found && document.id == id_ && !answer_.document) answer_.document = std::move(document);
      return;
    }
    const Code code = reply.error().code();
    if (again || code == Code::kDeadline || deadline_.passed(context_.timers.clock())) {
      for (const auto partition : asked.partitions) answer_.unsearched.push_back({partition, reason_of(code)});
      return;
    }
    auto left_out = left_out_for(*topology_, wire::kFeatureById);
    left_out.push_back(asked.leaf);
    send(asked.partitions, left_out, reason_of(code), true);
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
