#include "broker/scatter/fetch.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "broker/scatter/replica_choice.h"

namespace frond::broker::scatter {
namespace {

class Fetch final : public Abandonable, public std::enable_shared_from_this<Fetch> {
 public:
  Fetch(ScatterContext& context, FetchPlan plan, Deadline deadline, std::function<void(FetchResult)> done)
      : context_(context), plan_(std::move(plan)), deadline_(deadline), done_(std::move(done)) {}

  void start() {
    open_ = 1;  // held by this function, so that done() is called last
    for (auto& share : plan_.shares)
      if (!share.ordinals.empty()) send(share.leaf, std::move(share.ordinals), false);
    close_one();
  }
  void abandon() override {
    if (!done_) return;
    const auto self = shared_from_this();  // what is destroyed here may hold the last reference
    const auto done = std::exchange(done_, nullptr);
    for (const auto& asked : std::exchange(asked_, {})) asked.leaf->client->cancel(asked.request);
  }

 private:
  struct Asked {
    cluster::LeafRef leaf;
    cluster::RequestId request = 0;
    std::uint64_t number = 0;
  };
  void send(const cluster::LeafRef& leaf, std::vector<Ordinal> ordinals, bool again) {
    ++open_;
    ++context_.counters.fetch_requests;
    wire::FetchRequest request;
    request.generation = plan_.topology->generation;
    request.content = plan_.topology->content;
    request.terms = plan_.terms;
    request.ordinals = ordinals;
    request.fields = plan_.fields;
    const std::uint64_t number = ++sent_;
    const cluster::RequestId id =
        leaf->client->fetch(std::move(request), deadline_,
                            [self = shared_from_this(), leaf, number, ordinals = std::move(ordinals),
                             again](Result<wire::FetchReply> reply) {
                              std::erase_if(self->asked_, [&](const Asked& asked) { return asked.number == number; });
                              self->heard(leaf, ordinals, again, std::move(reply));
                              self->close_one();
                            });
    asked_.push_back({leaf, id, number});
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
        result_.documents.push_back(std::move(document));
      }
    } else {
      ++context_.counters.fetch_failures;
      if (reply.error().code() == Code::kUnavailable) context_.map.report_unavailable(leaf, reply.error().message());
      if (reply.error().code() == Code::kNotFound || reply.error().code() == Code::kCorrupt) context_.map.refresh(leaf);
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
      const auto partition = plan_.topology->partition_of(ordinal);
      if (!partition) continue;
      by_partition[*partition].ordinals.push_back(ordinal);
      if (!late && reason != wire::UnsearchedReason::kDeadline) by_partition[*partition].reason = reason;
    }
    std::vector<std::uint32_t> partitions;  // to be asked of others
    for (const auto& [partition, lacking] : by_partition) {
      if (again || lacking.reason == wire::UnsearchedReason::kDeadline)
        result_.unsearched.push_back({partition, lacking.reason});
      else
        partitions.push_back(partition);
    }
    const Assignment elsewhere = assign(*plan_.topology, partitions, {&failed, 1}, context_.turn++);
    for (const auto partition : elsewhere.unsearched)
      result_.unsearched.push_back({partition, by_partition[partition].reason});
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
  void close_one() {
    if (--open_ > 0 || !done_) return;
    auto& unsearched = result_.unsearched;
    std::stable_sort(unsearched.begin(), unsearched.end(),
                     [](const auto& a, const auto& b) { return a.partition < b.partition; });
    const auto same = [](const auto& a, const auto& b) { return a.partition == b.partition; };
    unsearched.erase(std::unique(unsearched.begin(), unsearched.end(), same), unsearched.end());
    std::exchange(done_, nullptr)(std::move(result_));
  }

  ScatterContext& context_;
  FetchPlan plan_;
  Deadline deadline_;
  std::function<void(FetchResult)> done_;
  FetchResult result_;
  std::size_t open_ = 0;
  std::uint64_t sent_ = 0;
  std::vector<Asked> asked_;  // without a reply yet
};
}  // namespace

std::shared_ptr<Abandonable> fetch(ScatterContext& context, FetchPlan plan, Deadline deadline,
                                   std::function<void(FetchResult)> done) {
  auto started = std::make_shared<Fetch>(context, std::move(plan), deadline, std::move(done));
  started->start();
  return started;
}

}  // namespace frond::broker::scatter
