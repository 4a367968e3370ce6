#include "broker/cluster/cluster_map.h"

#include <algorithm>
#include <utility>

namespace frond::broker::cluster {
namespace {
bool same_partitions(const wire::HelloReply& a, const wire::HelloReply& b) {
  const auto same = [](const wire::ServedGeneration& x, const wire::ServedGeneration& y) {
    return x.id() == y.id() && x.partitions_total == y.partitions_total &&
           x.statistics.documents == y.statistics.documents && x.statistics.tokens == y.statistics.tokens &&
           std::equal(x.partitions.begin(), x.partitions.end(), y.partitions.begin(), y.partitions.end(),
                      [](const auto& p, const auto& q) { return p.number == q.number; });
  };
  return std::equal(a.generations.begin(), a.generations.end(), b.generations.begin(), b.generations.end(), same);
}

// The leaf's name as of its last hello.
std::string node_of(const LeafNode& leaf) { return leaf.said ? leaf.said->node : std::string(); }
}  // namespace

ClusterMap::ClusterMap(TimerQueue& timers, Logger& log, Config config, MakeClient make_client)
    : timers_(timers),
      log_(log),
      config_(std::move(config)),
      make_client_(std::move(make_client)),
      alive_(std::make_shared<ClusterMap*>(this)) {
  patience_ = timers_.after(config_.ready_without_all_after, [this] { settle(); });
}

ClusterMap::~ClusterMap() {
  *alive_ = nullptr;
  timers_.cancel(patience_);
  for (const auto& [leaf, timer] : scheduled_) timers_.cancel(timer);
}

Result<void> ClusterMap::set_leaves(const std::vector<std::string>& endpoints) {
  std::vector<LeafRef> next;
  Result<void> outcome;
  for (const auto& endpoint : endpoints) {
    const auto named = [&](const LeafRef& leaf) { return leaf->endpoint == endpoint; };
    if (std::any_of(next.begin(), next.end(), named)) continue;
    const auto known = std::find_if(leaves_.begin(), leaves_.end(), named);
    if (known != leaves_.end()) {
      (*known)->listed = true;
      next.push_back(*known);
      continue;
    }
    auto made = make(endpoint);
    if (made)
      next.push_back(*std::move(made));
    else
      outcome = std::move(made).error();
  }
  for (const auto& leaf : leaves_) {
    if (std::find(next.begin(), next.end(), leaf) != next.end()) continue;
    leaf->listed = false;
    if (answers(*leaf)) next.push_back(leaf);
  }
  std::swap(leaves_, next);
  for (const auto& leaf : next)  // removed leaves: queries in flight may still use them
    if (std::find(leaves_.begin(), leaves_.end(), leaf) == leaves_.end()) {
      leaf->healthy = false;
      log_.info("leaf left", {{"leaf", leaf->endpoint}, {"node", node_of(*leaf)}});
    }
  for (const auto& leaf : leaves_)
    if (std::find(next.begin(), next.end(), leaf) == next.end()) schedule(leaf, std::chrono::milliseconds(0));
  redraw();
  return outcome;
}

Result<LeafRef> ClusterMap::make(const std::string& endpoint) {
  auto leaf = std::make_shared<LeafNode>();
  leaf->endpoint = endpoint;
  leaf->last_error = "no hello yet";
  // The client keeps this callback: a strong reference would keep the leaf, and so the client, alive for ever.
  leaf->client =
      FROND_TRY(make_client_(endpoint, [map = alive_, held = std::weak_ptr<LeafNode>(leaf)](wire::HelloReply news) {
        const LeafRef from = held.lock();
        if (*map != nullptr && from) (*map)->heard_news(from, std::move(news));
      }));
  return leaf;
}

// Also true for a leaf that has answered recently.
bool ClusterMap::answers(const LeafNode& leaf) const {
  if (leaf.healthy) return true;
  return leaf.said && !leaf.said->draining && timers_.clock().now() < leaf.last_seen + config_.forget_unlisted;
}

void ClusterMap::schedule(const LeafRef& leaf, std::chrono::milliseconds after) {
  const auto mine = [&](const auto& entry) { return entry.first == leaf.get(); };
  const auto old = std::find_if(scheduled_.begin(), scheduled_.end(), mine);
  if (old != scheduled_.end()) {
    timers_.cancel(old->second);
    scheduled_.erase(old);
  }
  const auto timer = timers_.after(after, [this, leaf] {
    std::erase_if(scheduled_, [&](const auto& entry) { return entry.first == leaf.get(); });
    poll(leaf);
  });
  scheduled_.emplace_back(leaf.get(), timer);
}

wire::HelloRequest ClusterMap::hello_to(const LeafRef& leaf) const {
  wire::HelloRequest request;
  if (config_.instance == 0) return request;
  request.broker.instance = config_.instance;
  request.broker.name = config_.name;
  request.broker.collection = config_.collection;
  request.broker.hello_every = config_.poll;
  if (!topology_) return request;
  request.broker.serving = topology_->id();
  request.broker.needs_leaf = topology_->needs(leaf);
  return request;
}

void ClusterMap::poll(const LeafRef& leaf) {
  if (std::find(leaves_.begin(), leaves_.end(), leaf) == leaves_.end()) return;
  leaf->told = serving_id();
  leaf->client->hello(hello_to(leaf), Deadline::after(timers_.clock(), config_.hello_timeout),
                      // The client keeps this callback: a strong reference would be a cycle.
                      [map = alive_, held = std::weak_ptr<LeafNode>(leaf)](Result<wire::HelloReply> reply) {
                        const LeafRef heard_from = held.lock();
                        if (*map != nullptr && heard_from) (*map)->heard(heard_from, std::move(reply));
                      });
}

void ClusterMap::heard(const LeafRef& leaf, Result<wire::HelloReply> reply) {
  if (std::find(leaves_.begin(), leaves_.end(), leaf) == leaves_.end()) return;
  const bool other = reply && reply->collection != config_.collection;
  if (other && (config_.any_other || std::find(config_.other_collections.begin(), config_.other_collections.end(),
                                               reply->collection) != config_.other_collections.end()))
    return leave_elsewhere(leaf, reply->collection);
  const bool misplaced = other;
  if (misplaced)
    reply = Error(Code::kInvalid, "serves collection '" + reply->collection + "', not '" + config_.collection + "'");
  // It answers other requests, and this one waits behind them.
  if (!reply && reply.error().code() == Code::kOverloaded && leaf->healthy) return schedule(leaf, config_.poll);
  if (!reply) {
    ++leaf->failures;
    leaf->last_error = reply.error().message();
    if (std::exchange(leaf->misplaced, misplaced) || misplaced) note_misplaced();
    const bool late = reply.error().code() == Code::kDeadline;
    if (leaf->healthy && (!late || leaf->failures >= config_.timeouts_to_down)) mark_down(leaf, leaf->last_error);
    if (!leaf->listed && !answers(*leaf)) return remove(leaf);
    if (!leaf->healthy && !leaf->elsewhere) log_why_down(*leaf);
    return schedule(leaf, leaf->healthy ? config_.poll : config_.poll_down);
  }
  take(*leaf, *std::move(reply));
  if (std::exchange(leaf->misplaced, false)) note_misplaced();
  schedule(leaf, is_told(*leaf) ? config_.poll : std::chrono::milliseconds(0));
}

void ClusterMap::note_misplaced() {
  std::size_t others = 0;
  std::string first;
  for (const LeafRef& leaf : leaves_)
    if (leaf->misplaced && first.empty())
      first = "leaf " + leaf->endpoint + " " + leaf->last_error;
    else if (leaf->misplaced)
      ++others;
  if (others > 0) first += ", and " + std::to_string(others) + " more";
  const MutexLock lock(noting_);
  misplaced_ = std::move(first);
}

// The leaf serves another collection of this broker. It is asked on: it may be started again with this one.
void ClusterMap::leave_elsewhere(const LeafRef& leaf, const std::string& collection) {
  leaf->elsewhere = true;
  leaf->failures = 0;
  leaf->last_error = collection.empty() ? "does not serve this collection" : "serves collection '" + collection + "'";
  if (std::exchange(leaf->misplaced, false)) note_misplaced();
  if (leaf->healthy) mark_down(leaf, leaf->last_error);
  if (!leaf->listed) return remove(leaf);
  schedule(leaf, config_.any_other ? config_.poll_down : config_.poll);
}

// A hello that the leaf sends by itself: it begins to drain, or serves other generations. The hello sent back tells it
// what this broker serves from now, and whether the leaf is still needed.
void ClusterMap::heard_news(const LeafRef& leaf, wire::HelloReply news) {
  if (!leaf->healthy || news.collection != config_.collection ||
      std::find(leaves_.begin(), leaves_.end(), leaf) == leaves_.end())
    return;
  take(*leaf, std::move(news));
  refresh(leaf);
}

void ClusterMap::take(LeafNode& leaf, wire::HelloReply reply) {
  // A draining leaf lists no generations, so that older brokers stop using it; it still has them.
  if (reply.draining && leaf.said) reply.generations = leaf.said->generations;
  const bool drains = reply.draining && !leaf.draining();
  const bool changed =
      !leaf.healthy || !leaf.said || leaf.draining() != reply.draining || !same_partitions(*leaf.said, reply);
  if (!leaf.healthy) log_.info("leaf up", {{"leaf", leaf.endpoint}, {"node", reply.node}});
  if (drains) log_.info("leaf drains", {{"leaf", leaf.endpoint}, {"node", reply.node}});
  leaf.said = std::move(reply);
  leaf.healthy = true;
  leaf.elsewhere = false;
  leaf.failures = 0;
  leaf.silent = false;
  leaf.last_error.clear();
  leaf.logged_error.clear();
  leaf.last_seen = timers_.clock().now();
  if (changed) redraw();
}

void ClusterMap::remove(const LeafRef& leaf) {
  std::erase(leaves_, leaf);
  if (leaf->misplaced) note_misplaced();
  log_.info("leaf left", {{"leaf", leaf->endpoint}, {"node", node_of(*leaf)}});
}

void ClusterMap::report_unavailable(const LeafRef& leaf, const std::string& why) {
  if (!leaf->healthy) return;
  mark_down(leaf, why);
  refresh(leaf);
}

void ClusterMap::refresh(const LeafRef& leaf) {
  // If a hello is under way, its reply will do; else send one now.
  const auto mine = [&](const auto& entry) { return entry.first == leaf.get(); };
  if (std::any_of(scheduled_.begin(), scheduled_.end(), mine)) schedule(leaf, std::chrono::milliseconds(0));
}

void ClusterMap::refresh_unless(const GenerationId& id) {
  if (topology_ && topology_->id() == id) return;
  for (const LeafRef& leaf : leaves_)
    if (leaf->healthy) refresh(leaf);
}

void ClusterMap::mark_down(const LeafRef& leaf, const std::string& why) {
  leaf->healthy = false;
  leaf->last_error = why;
  leaf->failures = std::max(leaf->failures, 1u);
  leaf->logged_error = why;
  leaf->logged_at = timers_.clock().now();
  log_.warn("leaf down", {{"leaf", leaf->endpoint}, {"node", node_of(*leaf)}, {"error", why}});
  redraw();
}

void ClusterMap::log_why_down(LeafNode& leaf) {
  if (leaf.failures < config_.failures_to_log || leaf.last_error == leaf.logged_error) return;
  const Instant now = timers_.clock().now();
  if (!leaf.logged_error.empty() && now < leaf.logged_at + config_.log_interval) return;
  leaf.logged_error = leaf.last_error;
  leaf.logged_at = now;
  log_.warn("leaf still down", {{"leaf", leaf.endpoint}, {"node", node_of(leaf)}, {"error", leaf.last_error}});
}

std::shared_ptr<const Topology> ClusterMap::topology_of(const GenerationId& id) {
  if (topology_ && topology_->id() == id) return topology_;
  if (!whole_) whole_ = whole_topologies(leaves_);
  const auto found = std::find_if(whole_->begin(), whole_->end(), [&](const auto& one) { return one->id() == id; });
  return found != whole_->end() ? *found : nullptr;
}

bool ClusterMap::may_come(const GenerationId& id) const {
  const bool later = !topology_ || id.number > topology_->generation;
  return (later && !order_.is_superseded(id)) || may_be_whole_again(leaves_, id);
}

void ClusterMap::redraw() {
  whole_.reset();
  const GenerationId before = serving_id();
  auto drawn = draw_topology(leaves_, before, &order_);
  if (!drawn && topology_) {
    // No leaf serves anything: keep the generation, with no replica for its partitions.
    auto empty = std::make_shared<Topology>(*topology_);
    for (auto& partition : empty->partitions) partition.replicas.clear();
    empty->covered = 0;
    drawn = std::move(empty);
  }
  topology_ = std::move(drawn);
  if (!topology_) return;
  partitions_.store(topology_->partitions.size(), std::memory_order_relaxed);
  covered_.store(topology_->covered, std::memory_order_relaxed);
  if (topology_->whole()) settled_.store(true, std::memory_order_relaxed);
  ready_.store(settled() && topology_->covered > 0, std::memory_order_relaxed);
  serving_.store(topology_->generation, std::memory_order_relaxed);
  if (topology_->id() == before) return;
  log_.info("serving generation", {{"generation", std::to_string(topology_->generation)},
                                   {"content", to_hex(topology_->content)},
                                   {"partitions", std::to_string(topology_->partitions.size())},
                                   {"covered", std::to_string(topology_->covered)}});
  if (config_.on_generation) config_.on_generation(topology_->id());
  // Soon they would leave what this broker does not serve, as far as they know.
  for (const LeafRef& leaf : leaves_)
    if (leaf->healthy && !is_told(*leaf)) refresh(leaf);
}

// It was not whole in time.
void ClusterMap::settle() {
  if (settled()) return;
  settled_.store(true, std::memory_order_relaxed);
  if (!topology_ || topology_->covered == 0) return;
  ready_.store(true, std::memory_order_relaxed);
  log_.warn("ready without all partitions", {{"lacking", lacking()}});
}

std::string ClusterMap::lacking() const {
  const std::size_t partitions = partitions_.load(std::memory_order_relaxed);
  const std::size_t covered = covered_.load(std::memory_order_relaxed);
  std::string text;
  if (partitions == 0)
    text = "no leaf serves a generation";
  else if (covered < partitions)
    text = std::to_string(partitions - covered) + " of " + std::to_string(partitions) + " partitions have no leaf";
  const MutexLock lock(noting_);
  if (!misplaced_.empty()) text += (text.empty() ? "" : "; ") + misplaced_;
  return text;
}

}  // namespace frond::broker::cluster
