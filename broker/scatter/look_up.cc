#include "broker/scatter/look_up.h"

#include <numeric>
#include <utility>

#include "broker/scatter/replica_choice.h"

namespace frond::broker::scatter {
namespace {

class LookUp final : public Abandonable, public std::enable_shared_from_this<LookUp> {
 public:
  LookUp(ScatterContext& context, std::shared_ptr<const cluster::Topology> topology, std::string id,
         std::uint32_t body_bytes, Deadline deadline, std::function<void(LookUpResult)> done)
      : context_(context),
        topology_(std::move(topology)),
        id_(std::move(id)),
        body_bytes_(body_bytes),
        deadline_(deadline),
        done_(std::move(done)) {}

  void start() {
    open_ = 1;  // held by this function, so that done() is called last
    std::vector<std::uint32_t> all(topology_->partitions.size());
    std::iota(all.begin(), all.end(), 0u);
    send(all, left_out_for(*topology_, wire::kFeatureById), wire::UnsearchedReason::kUnavailable, false);
    close_one();
  }
  void abandon() override {
    const auto self = shared_from_this();  // what is destroyed here may hold the last reference
    const auto done = std::exchange(done_, nullptr);
    cancel_all();
  }

 private:
  struct Asked {
    cluster::LeafRef leaf;
    cluster::RequestId request = 0;
    std::uint64_t number = 0;
  };
  // `reason`: of the partitions that no leaf is left for.
  void send(const std::vector<std::uint32_t>& partitions, const std::vector<cluster::LeafRef>& left_out,
            wire::UnsearchedReason reason, bool again) {
    Assignment to = assign(*topology_, partitions, left_out, context_.turn++);
    for (const auto partition : to.unsearched) result_.unsearched.push_back({partition, reason});
    for (LeafShare& share : to.shares) {
      if (!done_) return;
      if (again) ++context_.counters.failovers;
      ask(share.leaf, std::move(share.partitions), again);
    }
  }
  void ask(const cluster::LeafRef& leaf, std::vector<std::uint32_t> partitions, bool again) {
    ++open_;
    ++context_.counters.fetch_requests;
    wire::FetchRequest request;
    request.generation = topology_->generation;
    request.content = topology_->content;
    request.id = id_;
    request.body_bytes = body_bytes_;
    const std::uint64_t number = ++sent_;
    const cluster::RequestId asked =
        leaf->client->fetch(std::move(request), deadline_,
                            [self = shared_from_this(), leaf, number, partitions = std::move(partitions),
                             again](Result<wire::FetchReply> reply) {
                              std::erase_if(self->asked_, [&](const Asked& one) { return one.number == number; });
                              self->heard(leaf, partitions, again, std::move(reply));
                              self->close_one();
                            });
    asked_.push_back({leaf, asked, number});
  }
  void heard(const cluster::LeafRef& leaf, const std::vector<std::uint32_t>& partitions, bool again,
             Result<wire::FetchReply> reply) {
    if (reply) {
      for (auto& document : reply->documents)
        if (document.found && document.id == id_ && !result_.document) result_.document = std::move(document);
      return;
    }
    ++context_.counters.fetch_failures;
    const Code code = reply.error().code();
    if (code == Code::kUnavailable) context_.map.report_unavailable(leaf, reply.error().message());
    if (code == Code::kNotFound || code == Code::kCorrupt) context_.map.refresh(leaf);
    if (again || code == Code::kDeadline || deadline_.passed(context_.timers.clock())) {
      for (const auto partition : partitions) result_.unsearched.push_back({partition, reason_of(code)});
      return;
    }
    auto left_out = left_out_for(*topology_, wire::kFeatureById);
    left_out.push_back(leaf);
    send(partitions, left_out, reason_of(code), true);
  }
  void close_one() {
    --open_;
    if (!done_ || (open_ > 0 && !result_.document)) return;
    const auto done = std::exchange(done_, nullptr);
    cancel_all();
    done(std::move(result_));
  }
  void cancel_all() {
    for (const auto& one : std::exchange(asked_, {})) one.leaf->client->cancel(one.request);
  }

  ScatterContext& context_;
  const std::shared_ptr<const cluster::Topology> topology_;
  const std::string id_;
  const std::uint32_t body_bytes_;
  const Deadline deadline_;
  std::function<void(LookUpResult)> done_;  // null: it was called, or is not to be
  LookUpResult result_;
  std::size_t open_ = 0;
  std::uint64_t sent_ = 0;
  std::vector<Asked> asked_;  // without a reply yet
};
}  // namespace

std::shared_ptr<Abandonable> look_up(ScatterContext& context, std::shared_ptr<const cluster::Topology> topology,
                                     std::string id, std::uint32_t body_bytes, Deadline deadline,
                                     std::function<void(LookUpResult)> done) {
  auto started =
      std::make_shared<LookUp>(context, std::move(topology), std::move(id), body_bytes, deadline, std::move(done));
  started->start();
  return started;
}

}  // namespace frond::broker::scatter
