#include "broker/cluster/topology.h"

#include <map>
#include <set>
#include <utility>

#include "common/schema/schema_json.h"

namespace frond::broker::cluster {
namespace {

// Leaves send it with each hello; it is read once.
void take_schema(const std::string& text, Topology& topology) {
  topology.schema_text = text;
  auto read = schema::parse_schema(text);
  if (read)
    topology.schema = std::make_shared<const schema::Schema>(*std::move(read));
  else
    topology.schema_problem = read.error().message();
}

struct Candidate {
  std::shared_ptr<Topology> topology;
  std::size_t current = 0;  // leaves that list it last
  bool ends_soon = false;   // of a partition only draining leaves have it, and what is served needs none of them
};

bool is_healthy(const LeafNode& leaf) { return leaf.healthy && leaf.said; }
bool is_known(const LeafNode& leaf) { return leaf.said && leaf.belongs(); }

// The generations that leaves list, those of which `counts` is true. A missing content id is filled in where the other
// leaves leave no doubt.
class ListedGenerations {
 public:
  explicit ListedGenerations(std::span<const LeafRef> leaves, bool (*counts)(const LeafNode&) = is_healthy) {
    std::map<Generation, std::set<ContentId>> contents;
    for (const LeafRef& leaf : leaves)
      if (counts(*leaf))
        for (const auto& served : leaf->said->generations)
          if (served.content != 0) contents[served.generation].insert(served.content);
    const auto known = [&](const wire::ServedGeneration& served) {
      const auto found = contents.find(served.generation);
      const bool only_one = served.content == 0 && found != contents.end() && found->second.size() == 1;
      return GenerationId{served.generation, only_one ? *found->second.begin() : served.content};
    };
    // Leaves with a content id come first: they define the generation. Draining leaves come last.
    for (const bool draining : {false, true})
      for (const bool has_content : {true, false})
        for (const LeafRef& leaf : leaves)
          if (counts(*leaf) && leaf->draining() == draining)
            for (const auto& served : leaf->said->generations)
              if ((served.content != 0) == has_content) add(known(served), served, leaf);
    for (const LeafRef& leaf : leaves) {
      if (!counts(*leaf) || leaf->draining()) continue;
      auto& list = lists_.emplace_back();
      for (const auto& served : leaf->said->generations) list.push_back(known(served));
      if (!list.empty()) ++candidates_[list.back()].current;
    }
  }

  std::shared_ptr<const Topology> best(const GenerationId& serving, const GenerationOrder& order) {
    const auto served = candidates_.find(serving);
    const bool may_wait = served != candidates_.end() && served->second.topology->stays();
    for (auto& [id, candidate] : candidates_) candidate.ends_soon = may_wait && !candidate.topology->stays();
    const Candidate* best = nullptr;
    for (const auto& [id, candidate] : candidates_)
      if (best == nullptr || preferred(candidate, *best, serving, order)) best = &candidate;
    return best != nullptr ? best->topology : nullptr;
  }
  std::vector<std::shared_ptr<const Topology>> whole() const {
    std::vector<std::shared_ptr<const Topology>> all;
    for (const auto& [id, candidate] : candidates_)
      if (candidate.topology->whole()) all.push_back(candidate.topology);
    return all;
  }
  void teach(GenerationOrder& order) const {
    for (const auto& [id, candidate] : candidates_) {
      const auto is_after = [&, &one = id](const auto& other) { return later(other.first, one) > 0; };
      const auto is_before = [&, &one = id](const auto& other) { return later(other.first, one) < 0; };
      if (std::any_of(candidates_.begin(), candidates_.end(), is_after))
        order.set_superseded(id, true);
      else if (std::any_of(candidates_.begin(), candidates_.end(), is_before))
        order.set_superseded(id, false);
    }
  }

 private:
  void add(const GenerationId& id, const wire::ServedGeneration& served, const LeafRef& leaf) {
    Candidate& candidate = candidates_[id];
    if (!candidate.topology) {
      candidate.topology = std::make_shared<Topology>();
      candidate.topology->generation = id.number;
      candidate.topology->content = id.content;
      candidate.topology->analyzer = served.analyzer;
      candidate.topology->bm25 = served.bm25;
      candidate.topology->statistics = served.statistics;
      candidate.topology->partitions.resize(served.partitions_total);
    }
    Topology& topology = *candidate.topology;
    // Ignores a leaf that describes the same generation differently: it sends no content id, and its scores cannot be
    // compared with those of the others.
    const bool same = topology.partitions.size() == served.partitions_total && topology.analyzer == served.analyzer &&
                      topology.bm25 == served.bm25 && topology.statistics.documents == served.statistics.documents &&
                      topology.statistics.tokens == served.statistics.tokens;
    if (!same) return;
    if (topology.schema_text.empty() && !served.schema.empty()) take_schema(served.schema, topology);
    for (const auto& partition : served.partitions) {
      if (partition.number >= topology.partitions.size() || partition.placement.stride == 0) continue;
      auto& to = topology.partitions[partition.number];
      if (std::find(to.replicas.begin(), to.replicas.end(), leaf) != to.replicas.end()) continue;
      if (leaf->draining() && !to.replicas.empty() && !to.replicas.front()->draining()) continue;
      if (to.replicas.empty()) ++topology.covered;
      to.placement = partition.placement;
      to.hidden = partition.hidden;
      to.replicas.push_back(leaf);
    }
  }
  // More than 0: `a` became current after `b` on all leaves that list both; less: before; 0: the leaves disagree, or
  // none lists both.
  int later(const GenerationId& a, const GenerationId& b) const {
    if (a == b) return 0;
    bool after = false, before = false;
    for (const auto& list : lists_) {
      const auto of_a = std::find(list.begin(), list.end(), a), of_b = std::find(list.begin(), list.end(), b);
      if (of_a == list.end() || of_b == list.end()) continue;
      (of_a > of_b ? after : before) = true;
    }
    return static_cast<int>(after) - static_cast<int>(before);
  }
  // Whether `a` is served rather than `b`.
  bool preferred(const Candidate& a, const Candidate& b, const GenerationId& serving,
                 const GenerationOrder& order) const {
    const Topology &one = *a.topology, &other = *b.topology;
    const GenerationId mine = one.id(), theirs = other.id();
    if (one.whole() != other.whole()) return one.whole();
    if (one.whole()) {
      if (a.ends_soon != b.ends_soon) return b.ends_soon;
      if (const int order_of_leaves = later(mine, theirs); order_of_leaves != 0) return order_of_leaves > 0;
      if (order.is_superseded(mine) != order.is_superseded(theirs)) return order.is_superseded(theirs);
      if ((a.current > 0) != (b.current > 0)) return a.current > 0;
      if (mine.number != theirs.number) return mine.number > theirs.number;
      if (a.current != b.current) return a.current > b.current;
      if ((mine == serving) != (theirs == serving)) return mine == serving;
      return mine.content > theirs.content;
    }
    const auto share = one.covered * other.partitions.size(), their_share = other.covered * one.partitions.size();
    if (share != their_share) return share > their_share;
    if ((mine == serving) != (theirs == serving)) return mine == serving;
    return mine > theirs;
  }

  std::map<GenerationId, Candidate> candidates_;
  std::vector<std::vector<GenerationId>> lists_;  // of each leaf, the current one last
};
}  // namespace

std::optional<std::uint32_t> Topology::partition_of(Ordinal ordinal) const {
  for (std::uint32_t i = 0; i < partitions.size(); ++i) {
    if (!partitions[i].replicas.empty() && partitions[i].placement.docid(ordinal)) return i;
  }
  return std::nullopt;
}

std::shared_ptr<const schema::Schema> Topology::without_fields() {
  static const auto empty = std::make_shared<const schema::Schema>();
  return empty;
}

bool Topology::stays() const {
  const auto has = [](const LeafRef& leaf) { return !leaf->draining(); };
  return std::ranges::all_of(partitions, [&](const Partition& one) { return std::ranges::any_of(one.replicas, has); });
}

bool Topology::needs(const LeafRef& leaf) const {
  const auto stays = [&](const LeafRef& other) { return other != leaf && other->healthy && !other->draining(); };
  return std::any_of(partitions.begin(), partitions.end(), [&](const Partition& partition) {
    const auto& replicas = partition.replicas;
    return std::find(replicas.begin(), replicas.end(), leaf) != replicas.end() &&
           std::none_of(replicas.begin(), replicas.end(), stays);
  });
}

void GenerationOrder::set_superseded(const GenerationId& id, bool superseded) {
  std::erase(superseded_, id);
  if (superseded) superseded_.push_back(id);
  if (superseded_.size() > kMaxKnown) superseded_.erase(superseded_.begin());
}

bool GenerationOrder::is_superseded(const GenerationId& id) const {
  return std::find(superseded_.begin(), superseded_.end(), id) != superseded_.end();
}

std::shared_ptr<const Topology> draw_topology(std::span<const LeafRef> leaves, const GenerationId& serving,
                                              GenerationOrder* order) {
  ListedGenerations told(leaves);
  if (order != nullptr) told.teach(*order);
  return told.best(serving, order != nullptr ? *order : GenerationOrder());
}

std::vector<std::shared_ptr<const Topology>> whole_topologies(std::span<const LeafRef> leaves) {
  return ListedGenerations(leaves).whole();
}

bool is_on_one_that_is_down(std::span<const LeafRef> leaves, const GenerationId& id) {
  const auto is_it = [&](const wire::ServedGeneration& served) {
    return served.id() == id || (served.content == 0 && served.generation == id.number);
  };
  return std::any_of(leaves.begin(), leaves.end(), [&](const LeafRef& leaf) {
    if (leaf->healthy || !leaf->belongs()) return false;
    return !leaf->said || std::any_of(leaf->said->generations.begin(), leaf->said->generations.end(), is_it);
  });
}

bool may_be_whole_again(std::span<const LeafRef> leaves, const GenerationId& id) {
  const auto unheard = [](const LeafRef& leaf) { return !leaf->said && leaf->belongs(); };
  if (std::any_of(leaves.begin(), leaves.end(), unheard)) return true;
  const auto whole = ListedGenerations(leaves, is_known).whole();
  return std::any_of(whole.begin(), whole.end(), [&](const auto& one) { return one->id() == id; });
}

}  // namespace frond::broker::cluster
