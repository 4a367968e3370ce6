#include "leaf/clauses/evaluation.h"

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "common/text/field_term.h"
#include "common/topk/top_k.h"
#include "leaf/clauses/matchers/bits_matcher.h"
#include "leaf/clauses/matchers/column_bits.h"
#include "leaf/clauses/matchers/group_matchers.h"
#include "leaf/clauses/matchers/list_matcher.h"
#include "leaf/clauses/matchers/phrase_matcher.h"
#include "leaf/clauses/required/required_search.h"
#include "leaf/clauses/word_search.h"

namespace frond::leaf::clauses {
namespace {

Error time_is_over() { return Error(Code::kDeadline, "the deadline passed during evaluation"); }

// Makes the matchers of a query's nodes, and owns what they share.
class Evaluation {
 public:
  Evaluation(const ClausePlan& plan, const Clock& clock) : plan_(plan), clock_(clock) {}

  std::uint32_t documents() const { return static_cast<std::uint32_t>(plan_.plan.lengths.size()); }
  Result<MatcherPtr> matcher(const Node& node) {
    if (plan_.plan.deadline.passed(clock_)) return time_is_over();
    return std::visit([&](const auto& what) { return matcher_of(what, node.boost); }, node.what);
  }
  // What went wrong while matchers were at work. Both REQUIRE that the matchers still live.
  Result<void> status() const {
    for (const cpu::TermReader* const reader : readers_)
      if (reader->corrupt()) return reader->error();
    for (const PhraseMatcher* const phrase : phrases_)
      if (phrase->error()) return *phrase->error();
    return {};
  }
  std::uint64_t postings_decoded() const {
    std::uint64_t sum = decoded_;
    for (const cpu::TermReader* const reader : readers_) sum += reader->postings_decoded();
    return sum;
  }

 private:
  // Lengths and norm of a list's field.
  const engine::Plan& of_field(std::uint32_t field) {
    if (field == kAllText) return plan_.plan;
    const auto [at, is_new] = fields_.try_emplace(field);
    if (is_new) {
      at->second.lengths = plan_.partition->lengths_in(field);
      at->second.norm = plan_.query->norms.at(field);
    }
    return at->second;
  }
  bool has_list(ListNumber number) const {
    return plan_.lists[number] != nullptr && plan_.lists[number]->postings.count() != 0;
  }
  // There is one.
  Result<std::unique_ptr<ListMatcher>> list_matcher(ListNumber number, float weight, ListScoring scoring) {
    const QueryList& list = plan_.query->lists[number];
    scoring.has_bounds = list.field == kAllText;
    terms_.push_back({plan_.lists[number], weight,
                      scoring::BoundScale(weight, plan_.query->bm25, plan_.query->statistics, plan_.built)});
    auto made = std::make_unique<ListMatcher>(of_field(list.field), terms_.back(), scoring);
    if (made->reader().corrupt()) return made->reader().error();
    readers_.push_back(&made->reader());
    return made;
  }
  MatcherPtr every(std::uint32_t documents) const { return std::make_unique<EveryMatcher>(documents); }

  Result<MatcherPtr> matcher_of(const NoneNode&, query::Factor) { return every(0); }
  Result<MatcherPtr> matcher_of(const AllNode&, query::Factor) { return every(documents()); }
  Result<MatcherPtr> matcher_of(const TermNode& node, query::Factor boost) {
    if (!has_list(node.list)) return every(0);
    return MatcherPtr(FROND_TRY(list_matcher(node.list, node.weight, {ListScoring::Kind::kBm25, boost})));
  }
  Result<MatcherPtr> matcher_of(const PhraseNode& node, query::Factor boost) {
    // Before lists are opened: status() asks all of them at the end.
    for (const PhraseNode::Word& word : node.words)
      if (std::ranges::none_of(word.lists, [this](ListNumber number) { return has_list(number); })) return every(0);
    std::vector<PhraseMatcher::List> lists;
    for (std::size_t i = 0; i < node.words.size(); ++i) {
      for (const ListNumber number : node.words[i].lists) {
        if (!has_list(number)) continue;
        const std::string_view term = plan_.query->lists[number].term;
        const std::string_view word = node.field == kAllText ? term : term.substr(text::kFieldTermPrefix);
        const float weight =
            scoring::term_weight(plan_.query->bm25, plan_.query->statistics, plan_.query->lists[number].df, 1);
        auto list = FROND_TRY(list_matcher(number, weight, {ListScoring::Kind::kBm25, {}}));
        lists.push_back({i, partition::term_hash(word), weight, std::move(list)});
      }
    }
    const engine::Plan& field = of_field(node.field);
    auto made =
        std::make_unique<PhraseMatcher>(node, std::move(lists), *plan_.partition, field.lengths, field.norm, boost);
    phrases_.push_back(made.get());
    return MatcherPtr(std::move(made));
  }
  Result<MatcherPtr> matcher_of(const AnyTermNode& node, query::Factor boost) {
    DocumentBits bits((std::size_t{documents()} + 63) / 64);
    for (const ListNumber number : node.lists) {
      if (plan_.plan.deadline.passed(clock_)) return time_is_over();
      if (has_list(number)) FROND_TRY(add_documents(plan_.lists[number]->postings, bits));
    }
    return bits_matcher(std::move(bits), times(scoring::kScoreScale, boost));
  }
  Result<void> add_documents(const postings::PostingList& list, DocumentBits& bits) {
    std::array<DocId, postings::kBlockLength> docids;
    for (std::uint32_t block = 0; block < list.blocks(); ++block) {
      FROND_TRY(list.decode_docids(block, docids));
      if (list.last_docid(block) >= documents())
        return Error(Code::kCorrupt, "docID " + std::to_string(list.last_docid(block)) + " is past the last document");
      for (std::uint32_t i = 0; i < list.block_size(block); ++i)
        bits[docids[i] / 64] |= std::uint64_t{1} << docids[i] % 64;
    }
    decoded_ += list.count();
    return {};
  }
  // All are held until the query's end.
  Result<MatcherPtr> bits_matcher(DocumentBits bits, Score score = 0) {
    constexpr std::size_t kMostHeldBytes = std::size_t{256} << 20;
    held_bytes_ += bits.size() * sizeof(bits[0]);
    if (held_bytes_ > kMostHeldBytes)
      return Error(Code::kOverloaded, "the query's clauses on columns, ids and prefixes take more than " +
                                          std::to_string(kMostHeldBytes >> 20) + " MiB of memory");
    return MatcherPtr(std::make_unique<BitsMatcher>(std::move(bits), score));
  }
  Result<MatcherPtr> matcher_of(const ColumnNode& node, query::Factor) {
    return bits_matcher(column_bits(node, *plan_.partition, documents()));
  }
  Result<MatcherPtr> matcher_of(const TextNode& node, query::Factor) {
    return bits_matcher(text_bits(node, *plan_.partition, documents()));
  }
  Result<MatcherPtr> matcher_of(const IdsNode& node, query::Factor) {
    return bits_matcher(FROND_TRY(id_bits(node, *plan_.partition, documents())));
  }
  Result<std::vector<MatcherPtr>> all_of(const std::vector<Node>& nodes) {
    std::vector<MatcherPtr> matchers;
    matchers.reserve(nodes.size());
    for (const Node& node : nodes) matchers.push_back(FROND_TRY(matcher(node)));
    return matchers;
  }
  Result<MatcherPtr> matcher_of(const BoolNode& node, query::Factor boost) {
    BoolMatcher::Parts parts;
    parts.must = FROND_TRY(all_of(node.must));
    parts.should = FROND_TRY(all_of(node.should));
    parts.must_not = FROND_TRY(all_of(node.must_not));
    parts.filter = FROND_TRY(all_of(node.filter));
    parts.minimum = node.minimum;
    return MatcherPtr(std::make_unique<BoolMatcher>(std::move(parts), boost, documents()));
  }
  Result<MatcherPtr> matcher_of(const MaxNode& node, query::Factor boost) {
    return MatcherPtr(std::make_unique<MaxMatcher>(FROND_TRY(all_of(node.of)), node.tie_breaker, boost));
  }
  Result<MatcherPtr> matcher_of(const ConstantNode& node, query::Factor boost) {
    return MatcherPtr(std::make_unique<ConstantMatcher>(FROND_TRY(matcher(node.of.front())), times(node.score, boost)));
  }

  const ClausePlan& plan_;
  const Clock& clock_;
  std::deque<engine::PlanTerm> terms_;
  std::map<std::uint32_t, engine::Plan> fields_;
  std::vector<const cpu::TermReader*> readers_;
  std::vector<const PhraseMatcher*> phrases_;
  std::uint64_t decoded_ = 0;   // without the readers'
  std::size_t held_bytes_ = 0;  // of bits
};

// The documents of the window that are not hidden.
Bits searched_in(DocId first, std::uint32_t documents, const partition::HiddenDocuments* hidden) {
  Bits bits{};
  const std::uint32_t here = std::min(kWindow, documents - first);
  for (std::uint32_t i = 0; i < bits.size() && i * 64 < here; ++i) {
    bits[i] = here - i * 64 >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here % 64) - 1;
    if (hidden != nullptr) bits[i] &= ~hidden->word(first / 64 + i);
  }
  return bits;
}

// Calls take(first, documents, root) for each window with documents that match. narrow(first, documents) takes out
// those that are not wanted, and returns the score below which others may be left out.
template <class Narrow, class Take>
Result<std::uint64_t> for_each_window(Evaluation& evaluation, const ClausePlan& plan, const Clock& clock,
                                      const partition::HiddenDocuments* hidden, const Narrow& narrow,
                                      const Take& take) {
  const MatcherPtr root = FROND_TRY(evaluation.matcher(plan.query->root));
  const std::uint32_t documents = evaluation.documents();
  for (DocId from = 0; from < documents;) {
    if (plan.plan.deadline.passed(clock)) return time_is_over();
    const DocId next = root->next(from);
    if (next >= documents) break;
    const DocId first = next / kWindow * kWindow;
    Bits matching = searched_in(first, documents, hidden);
    const std::uint64_t least = narrow(first, matching);
    if (least != 0 && root->bound(first) < least) matching = {};
    if (!none(matching)) root->restrict_above(first, least, matching);
    if (!none(matching)) FROND_TRY(take(first, matching, *root));
    from = documents - first > kWindow ? first + kWindow : documents;
  }
  FROND_TRY(evaluation.status());
  return evaluation.postings_decoded();
}

// Keeps the best documents of windows.
class Best {
 public:
  explicit Best(const engine::Plan& plan) : plan_(plan), best_(plan.k), sums_(std::make_unique<Scores>()) {}

  // What the clauses must give a document of the window to be among the best.
  std::uint64_t least_in(DocId first) const {
    if (plan_.priors == nullptr) return least();
    const DocId last =
        static_cast<DocId>(std::min<std::size_t>(std::size_t{first} + kWindow, plan_.lengths.size()) - 1);
    const std::uint64_t prior = scoring::weighted(plan_.priors->max_in(first, last), plan_.prior_weight);
    return least() > prior ? least() - prior : 0;
  }
  // `all`: documents that cannot be among the best have not been left out.
  void take(DocId first, const Bits& documents, bool all, Matcher& root) {
    const std::uint64_t needed = least_in(first);
    if (plan_.k == 0 || root.bound(first) < needed) return;
    Bits candidates = documents;
    if (all && needed != 0) root.restrict_above(first, needed, candidates);
    Scores& sums = *sums_;
    for_each(candidates, [&](std::uint32_t place) { sums[place] = 0; });
    root.score(first, candidates, sums);
    Score entry = least();
    for_each(candidates, [&](std::uint32_t place) {
      const Score score = plan_.priors == nullptr
                              ? sums[place]
                              : scoring::with_prior(sums[place], engine::prior_score(plan_, first + place));
      if (score < entry) return;
      best_.offer({plan_.placement.ordinal(first + place), score});
      entry = least();
    });
    // Not above the k-th best: documents of other partitions may tie with it and have lower ordinals.
    if (plan_.floor != nullptr && best_.full()) plan_.floor->raise(best_.entry() - 1);
  }
  std::vector<topk::Hit> hits() { return best_.take(); }

 private:
  Score least() const { return std::max(best_.entry(), plan_.floor == nullptr ? 0 : plan_.floor->get()); }

  const engine::Plan& plan_;
  topk::TopK best_;
  const std::unique_ptr<Scores> sums_;
};

}  // namespace

Result<engine::Outcome> search(const ClausePlan& plan, const Clock& clock) {
  if (const auto words = words_plan(plan)) return search_words(*words, clock, nullptr, nullptr);
  if (plan.plan.ranked && plan.plan.k > 0)
    if (const auto required = required_query(plan.query->root); required && required->is_led())
      return search_required(plan, *required, clock);
  return search(plan, clock, nullptr, nullptr);
}

Result<engine::Outcome> search(const ClausePlan& plan, const Clock& clock, Collector* sorted, Collector* counted) {
  // Where few matches need be counted, an order passes over windows below.
  const bool counts_all = counted != nullptr || plan.plan.count_to == engine::Plan::kCountAll;
  if (counts_all && (sorted == nullptr || !sorted->needs_scores()))
    if (const auto words = words_plan(plan)) return search_words(*words, clock, sorted, counted);
  Evaluation evaluation(plan, clock);
  engine::Outcome outcome;
  Best best(plan.plan);
  const bool ranked = sorted == nullptr && plan.plan.ranked;
  bool all = true;
  const auto narrow = [&](DocId first, Bits& documents) -> std::uint64_t {
    if (counted != nullptr || outcome.matches < plan.plan.count_to) return 0;
    if (sorted == nullptr && (!ranked || plan.plan.k == 0)) return 0;
    const Bits before = documents;
    const std::uint64_t least = sorted != nullptr ? sorted->narrow(first, documents) : best.least_in(first);
    all = least == 0 && documents == before;
    outcome.exact = outcome.exact && all;
    return least;
  };
  const auto take = [&](DocId first, const Bits& documents, Matcher& root) -> Result<void> {
    outcome.matches += count(documents);
    if (counted != nullptr) FROND_TRY(counted->take(first, documents, root));
    if (sorted != nullptr) return sorted->take(first, documents, root);
    if (ranked) best.take(first, documents, all, root);
    if (ranked || outcome.hits.size() == plan.plan.k) return {};
    for_each(documents, [&](std::uint32_t place) {
      if (outcome.hits.size() < plan.plan.k) outcome.hits.push_back({plan.plan.placement.ordinal(first + place), 0});
    });
    return {};
  };
  outcome.postings_decoded = FROND_TRY(for_each_window(evaluation, plan, clock, plan.plan.hidden, narrow, take));
  if (ranked) outcome.hits = best.hits();
  return outcome;
}

Result<DocumentBits> matching(const ClausePlan& plan, const Clock& clock) {
  Evaluation evaluation(plan, clock);
  DocumentBits bits((std::size_t{evaluation.documents()} + 63) / 64);
  const auto all = [](DocId, Bits&) { return std::uint64_t{0}; };
  const auto take = [&](DocId first, const Bits& documents, Matcher&) -> Result<void> {
    for (std::size_t i = 0; i < documents.size() && first / 64 + i < bits.size(); ++i)
      bits[first / 64 + i] = documents[i];
    return {};
  };
  FROND_TRY(for_each_window(evaluation, plan, clock, nullptr, all, take));
  return bits;
}

}  // namespace frond::leaf::clauses
