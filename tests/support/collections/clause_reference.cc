#include "tests/support/collections/clause_reference.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/partition/values/token_codes.h"
#include "common/text/field_term.h"
#include "leaf/clauses/matchers/column_value.h"

namespace frond::leaf::clauses {
namespace {

// Documents that match, with their scores.
using Matches = std::map<DocId, std::uint64_t>;

std::uint64_t at_most_max(std::uint64_t score) { return std::min<std::uint64_t>(score, scoring::kMaxScore); }
std::uint64_t scaled(std::uint64_t score, query::Factor by) {
  return at_most_max(at_most_max(score) * by.units / query::Factor::kOne);
}

class Reference {
 public:
  Reference(const ClausePlan& plan, const Clock& clock) : plan_(plan), clock_(clock) {}

  Result<Matches> matches(const Node& node) {
    if (plan_.plan.deadline.passed(clock_)) return Error(Code::kDeadline, "the deadline passed during evaluation");
    Matches all = FROND_TRY(std::visit([this](const auto& what) { return of(what); }, node.what));
    for (auto& [docid, score] : all) score = scaled(score, node.boost);
    return all;
  }
  std::uint64_t postings() const { return postings_; }

 private:
  DocId documents() const { return static_cast<DocId>(plan_.plan.lengths.size()); }

  // The frequencies of a list.
  Result<std::map<DocId, Frequency>> postings_of(ListNumber number) {
    std::map<DocId, Frequency> found;
    if (plan_.lists[number] == nullptr) return found;
    const postings::PostingList& list = plan_.lists[number]->postings;
    std::array<std::uint32_t, postings::kBlockLength> docids{}, frequencies{};
    for (std::uint32_t block = 0; block < list.blocks(); ++block) {
      FROND_TRY(list.decode_docids(block, docids));
      FROND_TRY(list.decode_frequencies(block, frequencies));
      for (std::uint32_t i = 0; i < list.block_size(block); ++i) {
        if (docids[i] >= documents())
          return Error(Code::kCorrupt, "docID " + std::to_string(docids[i]) + " is past the last document");
        found[docids[i]] = frequencies[i];
      }
    }
    postings_ += list.count();
    return found;
  }
  std::uint32_t length_of(DocId docid, std::uint32_t field) const {
    return field == kAllText ? plan_.plan.lengths[docid] : plan_.partition->lengths_in(field)[docid];
  }
  scoring::LengthNorm norm_of(std::uint32_t field) const { return plan_.query->norms.at(field); }
  Matches all_documents() const {
    Matches all;
    for (DocId docid = 0; docid < documents(); ++docid) all[docid] = 0;
    return all;
  }

  Result<Matches> of(const NoneNode&) { return Matches(); }
  Result<Matches> of(const AllNode&) { return all_documents(); }
  Result<Matches> of(const TermNode& node) {
    Matches found;
    const std::uint32_t field = plan_.query->lists[node.list].field;
    for (const auto& [docid, frequency] : FROND_TRY(postings_of(node.list)))
      found[docid] = scoring::contribution(node.weight, frequency, length_of(docid, field), norm_of(field));
    return found;
  }

  // The words of a document in a field: each place has the numbers of the phrase's words that it can be.
  using Places = std::vector<std::vector<std::size_t>>;
  static std::uint32_t phrases_in(const Places& text, const PhraseNode& phrase) {
    std::vector<std::int64_t> taken;
    const std::function<bool(std::size_t, std::int64_t, std::int64_t)> others = [&](std::size_t word, std::int64_t low,
                                                                                    std::int64_t high) {
      if (high - low > phrase.slop) return false;
      if (word == phrase.words.size()) return true;
      for (std::size_t place = 0; place < text.size(); ++place) {
        const auto at = static_cast<std::int64_t>(place);
        if (std::ranges::find(text[place], word) == text[place].end()) continue;
        if (std::ranges::find(taken, at) != taken.end()) continue;
        const std::int64_t offset = at - phrase.words[word].number;
        taken.push_back(at);
        const bool fits = others(word + 1, std::min(low, offset), std::max(high, offset));
        taken.pop_back();
        if (fits) return true;
      }
      return false;
    };
    std::uint32_t count = 0;
    for (std::size_t place = 0; place < text.size(); ++place) {
      const auto at = static_cast<std::int64_t>(place);
      if (std::ranges::find(text[place], 0u) == text[place].end()) continue;
      taken.assign(1, at);
      count += others(1, at, at) ? 1 : 0;
    }
    return count;
  }
  Result<Matches> of(const PhraseNode& node) {
    struct Candidate {
      std::size_t words = 0;
      std::vector<std::pair<std::size_t, ListNumber>> lists;  // word, and its lists that the document has
    };
    std::map<DocId, Candidate> candidates;
    for (std::size_t word = 0; word < node.words.size(); ++word)
      for (const ListNumber list : node.words[word].lists)
        for (const auto& [docid, frequency] : FROND_TRY(postings_of(list))) {
          Candidate& one = candidates[docid];
          one.words += one.lists.empty() || one.lists.back().first != word ? 1 : 0;
          one.lists.emplace_back(word, list);
        }
    Matches found;
    for (const auto& [docid, candidate] : candidates) {
      const ByteView record = plan_.partition->token_codes(docid);
      if (candidate.words < node.words.size() || record.empty()) continue;
      const auto codes = FROND_TRY(partition::TokenCodes::open(record));
      const auto& lists = candidate.lists;  // a lambda takes no name of a binding
      std::uint32_t count = 0;
      codes.for_each_field([&](const partition::TokenCodes::Field& field) {
        if (node.field != kAllText && node.field != field.field) return;
        Places places(field.words);
        for (std::size_t place = 0; place < places.size(); ++place) {
          std::uint32_t code = 0;
          for (std::uint32_t byte = 0; byte < codes.width(); ++byte)
            code |= static_cast<std::uint32_t>(field.codes[place * codes.width() + byte]) << 8 * byte;
          for (const auto& [word, list] : lists) {
            const std::string& term = plan_.query->lists[list].term;
            const std::uint64_t hash =
                partition::term_hash(node.field == kAllText ? term : term.substr(text::kFieldTermPrefix));
            if (codes.code(hash) == code) places[place].push_back(word);
          }
        }
        count += phrases_in(places, node);
      });
      if (count != 0)
        found[docid] = scoring::contribution(node.weight, count, length_of(docid, node.field), norm_of(node.field));
    }
    return found;
  }
  Result<Matches> of(const AnyTermNode& node) {
    Matches found;
    for (const ListNumber list : node.lists)
      for (const auto& [docid, frequency] : FROND_TRY(postings_of(list))) found[docid] = scoring::kScoreScale;
    return found;
  }
  Result<Matches> of(const ColumnNode& node) {
    Matches found;
    const partition::ValueColumn* const column = plan_.partition->column(node.field);
    for (DocId docid = 0; column != nullptr && docid < documents(); ++docid)
      if (std::ranges::any_of(column->values_of(docid),
                              [&](const schema::Value& value) { return has_value(node.leaf, value); }))
        found[docid] = 0;
    return found;
  }
  Result<Matches> of(const TextNode& node) {
    Matches found;
    const auto lengths = plan_.partition->lengths_in(node.field);
    for (DocId docid = 0; docid < lengths.size(); ++docid)
      if (lengths[docid] != 0) found[docid] = 0;
    return found;
  }
  Result<Matches> of(const IdsNode& node) {
    Matches found;
    for (const std::string& id : node.ids) {
      const auto docid = plan_.partition->docid_of(id);
      if (!docid && docid.error().code() != Code::kNotFound) return docid.error();
      if (docid) found[*docid] = 0;
    }
    return found;
  }
  Result<Matches> of(const BoolNode& node) {
    Matches found = all_documents();
    const auto restrict_to = [&](const Matches& others, bool wanted) {
      std::erase_if(found, [&](const auto& one) { return others.contains(one.first) != wanted; });
    };
    std::map<DocId, std::size_t> matched;
    std::vector<Matches> scores;
    for (const Node& one : node.must) {
      scores.push_back(FROND_TRY(matches(one)));
      restrict_to(scores.back(), true);
    }
    for (const Node& one : node.filter) restrict_to(FROND_TRY(matches(one)), true);
    for (const Node& one : node.must_not) restrict_to(FROND_TRY(matches(one)), false);
    for (const Node& one : node.should) {
      scores.push_back(FROND_TRY(matches(one)));
      for (const auto& [docid, score] : scores.back()) ++matched[docid];
    }
    std::erase_if(found, [&](const auto& one) { return matched[one.first] < node.minimum; });
    for (auto& [docid, sum] : found)
      for (const Matches& one : scores)
        if (const auto at = one.find(docid); at != one.end()) sum += at->second;
    return found;
  }
  Result<Matches> of(const MaxNode& node) {
    std::map<DocId, std::vector<std::uint64_t>> scores;
    for (const Node& one : node.of)
      for (const auto& [docid, score] : FROND_TRY(matches(one))) scores[docid].push_back(score);
    Matches found;
    for (auto& [docid, all] : scores) {
      const auto best = std::ranges::max_element(all);
      const std::uint64_t top = *best;
      all.erase(best);
      std::uint64_t others = 0;
      for (const std::uint64_t score : all) others += score;
      found[docid] = top + others * node.tie_breaker.units / query::Factor::kOne;
    }
    return found;
  }
  Result<Matches> of(const ConstantNode& node) {
    Matches found = FROND_TRY(matches(node.of.front()));
    for (auto& [docid, score] : found) score = node.score;
    return found;
  }

  const ClausePlan& plan_;
  const Clock& clock_;
  std::uint64_t postings_ = 0;
};

}  // namespace

Result<engine::Outcome> search_exhaustively(const ClausePlan& clauses, const Clock& clock) {
  const engine::Plan& plan = clauses.plan;
  Reference reference(clauses, clock);
  engine::Outcome outcome;
  for (const auto& [docid, score] : FROND_TRY(reference.matches(clauses.query->root))) {
    if (plan.hidden != nullptr && plan.hidden->contains(docid)) continue;
    const auto sum = static_cast<scoring::Score>(score);
    outcome.hits.push_back(
        {plan.placement.ordinal(docid), plan.ranked ? scoring::with_prior(sum, engine::prior_score(plan, docid)) : 0});
  }
  outcome.matches = outcome.hits.size();
  outcome.postings_decoded = reference.postings();
  std::sort(outcome.hits.begin(), outcome.hits.end(), topk::better);
  if (outcome.hits.size() > plan.k) outcome.hits.resize(plan.k);
  return outcome;
}

}  // namespace frond::leaf::clauses
