#include "broker/scatter/fetch.h"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "broker/scatter/replica_choice.h"

namespace frond::broker::scatter {
namespace {

class Fetch final : public Abandonable, public std::enable_shared_from_this<Fetch> {
 public:
  Fetch(ScatterContext& context, FetchPlan plan, Deadline deadline, std::function<void(FetchResult)> done)
      : context_(context), plan_(std::move(plan)), deadline_(deadline), done_(std::move(done)) {}

  void start() {
    open_ = 1;  // held by this loop, so that done() comes last
    for (auto& share : plan_.shares)
      if (!share.ordinals.empty()) send(share.leaf, std::move(share.ordinals), false);
    close_one();
  }
  void abandon() override {
    if (!done_) return;
    const auto self = shared_from_this();  // what is let go of may hold the last reference
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
    std::unordered_set<Ordinal> lacking(asked.begin(), asked.end());
    wire::Unsearched reason = wire::Unsearched::kCorrupt;
    if (reply) {
      // Only what was asked for, and each once.
      for (auto& document : reply->documents)
        if (document.found && lacking.erase(document.ordinal) > 0) result_.documents.push_back(std::move(document));
    } else {
      ++context_.counters.fetch_failures;
      reason = reason_of(reply.error().code());
      if (reply.error().code() == Code::kUnavailable) context_.map.report_unavailable(leaf, reply.error().message());
      if (reply.error().code() == Code::kNotFound || reply.error().code() == Code::kCorrupt) context_.map.refresh(leaf);
    }
    if (!lacking.empty()) retry(leaf, lacking, reason, again);
  }
  void retry(const cluster::LeafRef& failed, const std::unordered_set<Ordinal>& lacking, wire::Unsearched reason,
             bool again) {
    std::map<std::uint32_t, std::vector<Ordinal>> by_partition;
    for (const Ordinal ordinal : lacking) {
      // An ordinal of no partition was never a document: the leaf made it up.
      const auto partition = plan_.topology->partition_of(ordinal);
      if (partition) by_partition[*partition].push_back(ordinal);
    }
    const bool over = again || reason == wire::Unsearched::kDeadline || deadline_.passed(context_.timers.clock());
    std::vector<std::uint32_t> partitions;
    partitions.reserve(by_partition.size());
    for (const auto& [partition, ordinals] : by_partition) partitions.push_back(partition);
    Assignment elsewhere;
    if (over)
      elsewhere.nobody = partitions;
    else
      elsewhere = assign(*plan_.topology, partitions, {&failed, 1}, context_.turn++);
    for (const auto partition : elsewhere.nobody) result_.missing.push_back({partition, reason});
    for (const auto& share : elsewhere.shares) {
      std::vector<Ordinal> ordinals;
      for (const auto partition : share.partitions)
        ordinals.insert(ordinals.end(), by_partition[partition].begin(), by_partition[partition].end());
      ++context_.counters.failovers;
      send(share.leaf, std::move(ordinals), true);
    }
  }
  void close_one() {
    if (--open_ > 0 || !done_) return;
    auto& missing = result_.missing;
    std::stable_sort(missing.begin(), missing.end(),
                     [](const auto& a, const auto& b) { return a.partition < b.partition; });
    const auto same = [](const auto& a, const auto& b) { return a.partition == b.partition; };
    missing.erase(std::unique(missing.begin(), missing.end(), same), missing.end());
    std::exchange(done_, nullptr)(std::move(result_));
  }

  ScatterContext& context_;
  FetchPlan plan_;
  Deadline deadline_;
  std::function<void(FetchResult)> done_;
  FetchResult result_;
  std::size_t open_ = 0;
  std::uint64_t sent_ = 0;
  std::vector<Asked> asked_;  // and not answered
};
}  // namespace

std::shared_ptr<Abandonable> fetch(ScatterContext& context, FetchPlan plan, Deadline deadline,
                                   std::function<void(FetchResult)> done) {
  auto started = std::make_shared<Fetch>(context, std::move(plan), deadline, std::move(done));
  started->start();
  return started;
}

}  // namespace frond::broker::scatter
