#include "leaf/clauses/explanation.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "common/partition/values/token_codes.h"
#include "common/query/clause_text.h"
#include "common/schema/json.h"
#include "common/text/field_term.h"
#include "common/text/utf8.h"
#include "leaf/clauses/matchers/column_value.h"
#include "leaf/clauses/matchers/phrase_places.h"

namespace frond::leaf::clauses {
namespace {

constexpr std::size_t kMaxShownText = 80;  // bytes

std::string shown(std::string text) {
  if (text.size() <= kMaxShownText) return text;
  text.resize(text::utf8_boundary(text, kMaxShownText));
  return text + "…";
}

// The shortest text that reads back as the same number.
void append_digits(auto number, std::string& out) {
  std::array<char, 32> digits;
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}
std::string digits_of(auto number) {
  std::string digits;
  append_digits(number, digits);
  return digits;
}
void append_member(std::string_view name, auto number, std::string& out) {
  out.append(",\"").append(name).append("\":");
  append_digits(number, out);
}
double real(std::uint64_t score) { return static_cast<double>(score) / scoring::kScoreScale; }

// Sums, and products, end at kMaxScore.
void cap(Explanation& one) {
  if (one.score <= scoring::kMaxScore) return;
  one.score = scoring::kMaxScore;
  append_member("at_most", real(scoring::kMaxScore), one.numbers);
}

void write(const Explanation& one, std::size_t& left, std::string& out) {
  out += "{\"clause\":" + schema::json_string(one.clause);
  append_member("score", real(one.score), out);
  if (!one.how.empty()) out.append(",\"how\":\"").append(one.how).append("\"");
  out += one.numbers;
  const bool fits = one.of.size() <= left;
  if (one.of.empty() || (!fits && (one.how != "sum" || left == 0)))
    return void(out += one.of.empty() ? "}" : ",\"cut\":true}");
  const std::size_t count = fits ? one.of.size() : left - 1;
  left -= fits ? count : left;
  out += ",\"of\":[";
  for (std::size_t i = 0; i < count; ++i) {
    if (i != 0) out += ',';
    write(one.of[i], left, out);
  }
  if (!fits) {
    Explanation rest{std::to_string(one.of.size() - count) + " more clauses", 0, "rest"};
    for (std::size_t i = count; i < one.of.size(); ++i) rest.score += one.of[i].score;
    if (count != 0) out += ',';
    write(rest, left, out);
  }
  out += "]}";
}

}  // namespace

std::string explanation_json(const Explanation& explanation) {
  std::string json;
  std::size_t left = kMaxShownClauses - 1;
  write(explanation, left, json);
  return json;
}

Explainer::Explainer(const ClausePlan& plan, const schema::Schema& schema, const Clock& clock)
    : plan_(plan), schema_(schema), clock_(clock) {}

Result<std::optional<Explanation>> Explainer::explain(DocId docid) {
  Made made = FROND_TRY(of_node(plan_.query->root, docid));
  const scoring::Score prior = engine::prior_score(plan_.plan, docid);
  if (!made || prior == 0) return made;
  Explanation own{"prior", prior, "prior"};
  append_member("prior", real(plan_.plan.priors->of(docid)), own.numbers);
  append_member("weight", real(plan_.plan.prior_weight), own.numbers);
  Explanation sum{"query and prior", made->score + prior, "sum"};
  sum.of.push_back(*std::move(made));
  sum.of.push_back(std::move(own));
  cap(sum);
  return Made(std::move(sum));
}

Result<Explainer::Made> Explainer::of_node(const Node& node, DocId docid) {
  if (plan_.plan.deadline.passed(clock_)) return Error(Code::kDeadline, "the deadline passed during an explanation");
  Made made = FROND_TRY(std::visit([&](const auto& what) { return of(what, docid); }, node.what));
  if (!made || node.boost == query::Factor()) return made;
  Explanation outer{made->clause + "^" + digits_of(node.boost.value()),
                    made->score * node.boost.units / query::Factor::kOne, "times"};
  append_member("by", node.boost.value(), outer.numbers);
  outer.of.push_back(*std::move(made));
  cap(outer);
  return Made(std::move(outer));
}

Result<Frequency> Explainer::frequency_of(ListNumber number, DocId docid) const {
  if (plan_.lists[number] == nullptr) return Frequency{0};
  const postings::PostingList& list = plan_.lists[number]->postings;
  const std::uint32_t block = list.find_block(docid, 0);
  if (block >= list.blocks()) return Frequency{0};
  std::array<std::uint32_t, postings::kBlockLength> docids, frequencies;
  FROND_TRY(list.decode_docids(block, docids));
  const auto end = docids.begin() + list.block_size(block);
  const auto at = std::lower_bound(docids.begin(), end, docid);
  if (at == end || *at != docid) return Frequency{0};
  FROND_TRY(list.decode_frequencies(block, frequencies));
  return Frequency{frequencies[static_cast<std::size_t>(at - docids.begin())]};
}

std::string Explainer::in_field(std::uint32_t field, std::string_view text) const {
  return (field < schema_.fields.size() ? schema_.fields[field].name + ":" : "") + std::string(text);
}
std::string Explainer::name_of(ListNumber number) const {
  const QueryList& list = plan_.query->lists[number];
  const std::string_view term = list.term;
  return in_field(list.field, list.field == kAllText ? term : term.substr(text::kFieldTermPrefix));
}
double Explainer::idf_of(ListNumber list) const {
  const scoring::Bm25Parameters& bm25 = plan_.query->bm25;
  return scoring::term_weight(bm25, plan_.query->statistics, plan_.query->lists[list].df, 1) /
         (scoring::kScoreScale * (bm25.k1 + 1));
}

Explanation Explainer::bm25(std::string clause, std::uint32_t field, float weight, double idf, Frequency frequency,
                            DocId docid) const {
  const auto lengths = field == kAllText ? plan_.plan.lengths : plan_.partition->lengths_in(field);
  const std::uint32_t length = docid < lengths.size() ? lengths[docid] : 0;
  const scoring::LengthNorm norm = plan_.query->norms.at(field);
  Explanation made{shown(std::move(clause)), scoring::contribution(weight, frequency, length, norm), "bm25"};
  append_member("weight", weight / scoring::kScoreScale, made.numbers);
  append_member("idf", idf, made.numbers);
  append_member("frequency", frequency, made.numbers);
  append_member("length", length, made.numbers);
  const scoring::Bm25Parameters& bm25 = plan_.query->bm25;
  if (norm.slope > 0) append_member("average_length", static_cast<float>(bm25.k1 * bm25.b / norm.slope), made.numbers);
  append_member("norm", norm.constant + norm.slope * static_cast<float>(length), made.numbers);
  return made;
}

Result<Explainer::Made> Explainer::of(const TermNode& node, DocId docid) {
  const Frequency frequency = FROND_TRY(frequency_of(node.list, docid));
  if (frequency == 0) return Made();
  const QueryList& list = plan_.query->lists[node.list];
  if (scoring::are_impacts(plan_.query->bm25)) {
    const double weight = node.weight / double{scoring::impact_weight(query::Factor::kOne)};
    Explanation impact{shown(name_of(node.list)),
                       scoring::contribution(node.weight, frequency, 0, plan_.query->norms.at(kAllText)), "impact"};
    append_member("weight", weight, impact.numbers);
    append_member("impact", frequency, impact.numbers);
    return Made(std::move(impact));
  }
  Explanation made = bm25(name_of(node.list), list.field, node.weight, idf_of(node.list), frequency, docid);
  append_member("documents", list.df, made.numbers);
  return Made(std::move(made));
}

// 0: it is not there, or lacks a word.
Result<std::uint32_t> Explainer::places_of(const PhraseNode& node, DocId docid) const {
  std::vector<std::vector<std::uint64_t>> hashes(node.words.size());
  for (std::size_t i = 0; i < node.words.size(); ++i) {
    for (const ListNumber number : node.words[i].lists) {
      if (FROND_TRY(frequency_of(number, docid)) == 0) continue;
      const std::string_view term = plan_.query->lists[number].term;
      hashes[i].push_back(partition::term_hash(node.field == kAllText ? term : term.substr(text::kFieldTermPrefix)));
    }
    if (hashes[i].empty()) return 0u;
  }
  const ByteView record = plan_.partition->token_codes(docid);
  if (record.empty()) return 0u;
  const auto codes = FROND_TRY(partition::TokenCodes::open(record));
  PhrasePlaces places(numbers_of(node), node.slop);
  for (std::size_t i = 0; i < hashes.size(); ++i)
    for (const std::uint64_t hash : hashes[i]) places.words()[i].codes.push_back(codes.code(hash));
  std::uint32_t count = 0;
  codes.for_each_field([&](const partition::TokenCodes::Field& field) {
    if (node.field == kAllText || node.field == field.field) count += places.count(field, codes.width());
  });
  return count;
}

Result<Explainer::Made> Explainer::of(const PhraseNode& node, DocId docid) {
  const std::uint32_t places = FROND_TRY(places_of(node, docid));
  if (places == 0) return Made();
  std::string text;
  double idf = 0;
  std::uint32_t number = 0;
  for (const PhraseNode::Word& word : node.words) {
    for (; number < word.number; ++number) text += number + 1 == word.number ? " " : " _";
    // As the resolver weighs them: of the last word's terms by the most frequent.
    const ListNumber list =
        *std::ranges::max_element(word.lists, {}, [&](ListNumber one) { return plan_.query->lists[one].df; });
    const std::string_view term = plan_.query->lists[list].term;
    text += node.field == kAllText ? term : term.substr(text::kFieldTermPrefix);
    if (word.lists.size() > 1) text += "|…";
    idf += idf_of(list);
  }
  std::string clause = in_field(node.field, "\"" + text + "\"");
  if (node.slop != 0) clause += "~" + std::to_string(node.slop);
  return Made(bm25(std::move(clause), node.field, node.weight, idf, places, docid));
}

Result<Explainer::Made> Explainer::of(const AnyTermNode& node, DocId docid) {
  for (const ListNumber list : node.lists) {
    if (FROND_TRY(frequency_of(list, docid)) == 0) continue;
    const std::string others = node.lists.size() == 1 ? "" : ", one of " + std::to_string(node.lists.size()) + " terms";
    return Made(Explanation{shown(name_of(list)) + others, scoring::kScoreScale, "constant"});
  }
  return Made();
}

Result<Explainer::Made> Explainer::of(const ColumnNode& node, DocId docid) {
  const partition::ValueColumn* const column = plan_.partition->column(node.field);
  if (column == nullptr) return Made();
  const auto matches = [&](const schema::Value& value) { return has_value(node.leaf, value); };
  if (!std::ranges::any_of(column->values_of(docid), matches)) return Made();
  const auto [text, is_new] = texts_.try_emplace(&node);
  if (is_new) text->second = shown(query::clause_text(node.leaf, schema_));
  return Made(Explanation{text->second});
}

Result<Explainer::Made> Explainer::of(const TextNode& node, DocId docid) {
  const auto lengths = plan_.partition->lengths_in(node.field);
  if (docid >= lengths.size() || lengths[docid] == 0) return Made();
  return Made(Explanation{in_field(node.field, "*")});
}

Result<Explainer::Made> Explainer::of(const IdsNode& node, DocId docid) {
  const auto [known, is_new] = ids_.try_emplace(&node);
  for (std::size_t i = 0; is_new && i < node.ids.size(); ++i) {
    const auto found = plan_.partition->docid_of(node.ids[i]);
    if (!found && found.error().code() != Code::kNotFound) return found.error();
    if (found) known->second.insert(*found);
  }
  return known->second.contains(docid) ? Made(Explanation{"ids"}) : Made();
}

Result<Explainer::Made> Explainer::of(const BoolNode& node, DocId docid) {
  Explanation sum;
  for (const Node& one : node.must) {
    Made made = FROND_TRY(of_node(one, docid));
    if (!made) return Made();
    sum.of.push_back(*std::move(made));
  }
  for (const Node& one : node.should)
    if (Made made = FROND_TRY(of_node(one, docid))) sum.of.push_back(*std::move(made));
  const std::size_t optional = sum.of.size() - node.must.size();
  if (optional < node.minimum) return Made();
  for (const Explanation& one : sum.of) sum.score += one.score;
  for (const Node& one : node.filter) {
    const Made made = FROND_TRY(of_node(one, docid));
    if (!made) return Made();
    sum.of.push_back({"#" + made->clause});
  }
  for (const Node& one : node.must_not)
    if (FROND_TRY(of_node(one, docid))) return Made();
  if (sum.of.empty()) return Made(Explanation{"*:*"});
  sum.how = "sum";
  if (!node.must.empty()) sum.clause = "all of " + std::to_string(node.must.size());
  if (!node.should.empty())
    sum.clause += (sum.clause.empty() ? "" : ", and ") + std::to_string(optional) + " of " +
                  std::to_string(node.should.size()) + (node.must.empty() ? "" : " more");
  if (!node.filter.empty()) sum.clause += sum.clause.empty() ? "filtered" : ", filtered";
  cap(sum);
  return Made(std::move(sum));
}

Result<Explainer::Made> Explainer::of(const MaxNode& node, DocId docid) {
  Explanation best{"the best of " + std::to_string(node.of.size()), 0, "max"};
  std::uint64_t all = 0;
  for (const Node& one : node.of)
    if (Made made = FROND_TRY(of_node(one, docid))) {
      all += made->score;
      best.score = std::max(best.score, made->score);
      best.of.push_back(*std::move(made));
    }
  if (best.of.empty()) return Made();
  best.score += (all - best.score) * node.tie_breaker.units / query::Factor::kOne;
  append_member("tie_breaker", node.tie_breaker.value(), best.numbers);
  cap(best);
  return Made(std::move(best));
}

Result<Explainer::Made> Explainer::of(const ConstantNode& node, DocId docid) {
  const Made inner = FROND_TRY(of_node(node.of.front(), docid));
  if (!inner) return Made();
  return Made(Explanation{inner->clause + "^=" + digits_of(real(node.score)), node.score, "constant"});
}

}  // namespace frond::leaf::clauses
