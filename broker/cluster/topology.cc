#include "broker/cluster/topology.h"

#include <algorithm>
#include <map>

namespace frond::broker {
namespace {

struct Candidate {
  std::shared_ptr<Topology> topology;
  bool current_somewhere = false;
};

void add(Candidate& candidate, const wire::ServedGeneration& served, const LeafRef& leaf) {
  if (!candidate.topology) {
    candidate.topology = std::make_shared<Topology>();
    candidate.topology->generation = served.generation;
    candidate.topology->analyzer = served.analyzer;
    candidate.topology->bm25 = served.bm25;
    candidate.topology->statistics = served.statistics;
    candidate.topology->partitions.resize(served.partitions_total);
  }
  Topology& topology = *candidate.topology;
  // A leaf that tells another story of the same generation is not believed about it: its repository was made anew,
  // perhaps, and scores of the two do not compare.
  const bool same = topology.partitions.size() == served.partitions_total && topology.analyzer == served.analyzer &&
                    topology.bm25 == served.bm25 && topology.statistics.documents == served.statistics.documents &&
                    topology.statistics.tokens == served.statistics.tokens;
  if (!same) return;
  for (const auto& partition : served.partitions) {
    if (partition.number >= topology.partitions.size() || partition.stride == 0) continue;
    auto& to = topology.partitions[partition.number];
    if (std::find(to.replicas.begin(), to.replicas.end(), leaf) != to.replicas.end()) continue;
    if (to.replicas.empty()) ++topology.covered;
    to.place = partition;
    to.replicas.push_back(leaf);
  }
}

// Whether `a` is to be served rather than `b`.
bool preferred(const Candidate& a, const Candidate& b, Generation serving) {
  const Topology &one = *a.topology, &other = *b.topology;
  if (one.whole() != other.whole()) return one.whole();
  if (one.whole()) {
    if (a.current_somewhere != b.current_somewhere) return a.current_somewhere;
    return one.generation > other.generation;
  }
  const auto mine = one.covered * other.partitions.size(), theirs = other.covered * one.partitions.size();
  if (mine != theirs) return mine > theirs;
  if ((one.generation == serving) != (other.generation == serving)) return one.generation == serving;
  return one.generation > other.generation;
}

}  // namespace

std::optional<std::uint32_t> Topology::partition_of(Ordinal ordinal) const {
  for (std::uint32_t i = 0; i < partitions.size(); ++i) {
    const auto& place = partitions[i].place;
    if (partitions[i].replicas.empty() || ordinal < place.base) continue;
    const Ordinal offset = ordinal - place.base;
    if (offset % place.stride == 0 && offset / place.stride < place.documents) return i;
  }
  return std::nullopt;
}

std::shared_ptr<const Topology> draw_topology(std::span<const LeafRef> leaves, Generation serving) {
  std::map<Generation, Candidate> candidates;
  for (const LeafRef& leaf : leaves) {
    if (!leaf->healthy || !leaf->said) continue;
    for (const auto& served : leaf->said->generations) {
      Candidate& candidate = candidates[served.generation];
      add(candidate, served, leaf);
      if (&served == &leaf->said->generations.back()) candidate.current_somewhere = true;
    }
  }
  const Candidate* best = nullptr;
  for (const auto& [generation, candidate] : candidates)
    if (best == nullptr || preferred(candidate, *best, serving)) best = &candidate;
  return best != nullptr ? best->topology : nullptr;
}

}  // namespace frond::broker
