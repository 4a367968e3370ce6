#include "leaf/clauses/flat_query.h"

#include <algorithm>

namespace frond::leaf::clauses {
namespace {

bool is_plain(const Node& node) { return node.boost.units == query::Factor::kOne; }

}  // namespace

std::optional<FlatQuery> flat_query(const ResolvedQuery& query) {
  FlatQuery flat;
  flat.weights.resize(query.lists.size());
  std::size_t terms = 0;
  const auto add = [&](const Node& node) {
    const auto* const term = std::get_if<TermNode>(&node.what);
    if (term == nullptr || !is_plain(node)) return false;
    flat.weights[term->list] = term->weight;
    ++terms;
    return true;
  };
  bool all = true;
  if (const auto* const both = std::get_if<BoolNode>(&query.root.what)) {
    if (!is_plain(query.root) || !both->must_not.empty() || !both->filter.empty()) return std::nullopt;
    if (both->must.empty() == both->should.empty()) return std::nullopt;
    if (both->must.empty() && both->minimum != 1 && both->minimum != both->should.size()) return std::nullopt;
    flat.mode = both->minimum == 1 ? engine::Mode::kOr : engine::Mode::kAnd;
    all = std::ranges::all_of(both->must.empty() ? both->should : both->must, add);
  } else {
    all = add(query.root);
  }
  // Each term is in the tree once: as many as there are lists.
  const bool of_all_text =
      std::ranges::all_of(query.lists, [](const QueryList& list) { return list.field == kAllText; });
  if (!all || !of_all_text || terms != query.lists.size()) return std::nullopt;
  return flat;
}

}  // namespace frond::leaf::clauses
