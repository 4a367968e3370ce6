#include "leaf/clauses/resolve/resolver.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "common/query/asked.h"
#include "common/query/bind.h"
#include "common/text/field_term.h"
#include "common/text/word_sequence.h"
#include "leaf/clauses/resolve/wildcard.h"

namespace frond::leaf::clauses {
namespace {

// A phrase's weight is below what a Score can hold.
constexpr float kMaxWeight = 0x1p31f;

class Resolver {
 public:
  explicit Resolver(const ResolverSource& source) : source_(source) {
    query_.bm25 = source.bm25;
    query_.statistics = source.statistics;
    query_.norms[kAllText] = scoring::length_norm(source.bm25, source.statistics);
  }

  Result<Node> resolve(const query::Clause& clause) {
    return std::visit([this](const auto& node) { return node_of(node); }, clause.node);
  }
  text::Analyzer& analyzer(const std::string& name) const { return source_.analyzer(target_of(name).field); }
  ResolvedQuery take(Node root) {
    query_.root = std::move(root);
    return std::move(query_);
  }

 private:
  struct Target {
    const schema::Field* field = nullptr;  // null: all text
    std::uint32_t number = kAllText;
  };
  Target target_of(const std::string& name) const {
    if (name.empty()) return {};
    const schema::Field* const field = source_.schema.find(name);  // bind() has found it
    if (field->type == schema::FieldType::kWeights) return {};     // its tokens are the plain lists' terms
    return {field, static_cast<std::uint32_t>(field - source_.schema.fields.data())};
  }
  static std::string term_in(const Target& target, std::string_view word) {
    return target.field == nullptr ? std::string(word) : text::field_term(target.number, word);
  }
  static Result<Node> node(auto what) { return Node{std::move(what), {}}; }

  ListNumber add_list(std::string term, std::uint32_t field, std::uint64_t df) {
    const auto at = places_.lower_bound(term);
    if (at != places_.end() && at->first == term) return at->second;
    const auto number = static_cast<ListNumber>(query_.lists.size());
    places_.emplace_hint(at, term, number);
    query_.lists.push_back({std::move(term), field, df});
    if (!query_.norms.contains(field)) {
      const std::uint64_t tokens = field < source_.field_tokens.size() ? source_.field_tokens[field] : 0;
      query_.norms[field] = scoring::length_norm(source_.bm25, {source_.statistics.documents, tokens});
    }
    return number;
  }
  // Nothing: no document has the term.
  Result<std::optional<ListNumber>> list_of(const Target& target, std::string_view word) {
    std::string term = term_in(target, word);
    if (source_.is_over && source_.is_over()) return over();
    if (const auto known = places_.find(term); known != places_.end()) return std::optional(known->second);
    const std::uint64_t df = FROND_TRY(source_.df(term));
    if (df == 0) return std::optional<ListNumber>();
    return std::optional(add_list(std::move(term), target.number, df));
  }
  float weight_of(ListNumber list, std::uint32_t occurrences = 1) const {
    return scoring::term_weight(source_.bm25, source_.statistics, query_.lists[list].df, occurrences);
  }

  static Error over() { return {Code::kDeadline, "the deadline passed while terms were looked up"}; }

  Result<Node> node_of(const query::None&) { return node(NoneNode()); }
  Result<Node> node_of(const query::All&) { return node(AllNode()); }

  // Any of the terms (or all), each with how often it occurs in the query.
  Result<Node> terms_node(const Target& target, const std::vector<std::string>& words, bool all) {
    std::vector<std::pair<std::string_view, std::uint32_t>> distinct;
    std::unordered_map<std::string_view, std::size_t> places;
    if (words.size() == 1) distinct.emplace_back(words.front(), 1);
    for (const std::string& word : std::span(words).subspan(distinct.size())) {
      const auto [at, is_new] = places.try_emplace(word, distinct.size());
      if (is_new)
        distinct.emplace_back(word, 1);
      else
        ++distinct[at->second].second;
    }
    if (distinct.size() > scoring::kMaxQueryTerms)
      return Error(Code::kInvalid, "a text of " + std::to_string(distinct.size()) + " different terms, more than " +
                                       std::to_string(scoring::kMaxQueryTerms));
    BoolNode both;
    std::vector<Node>& terms = all ? both.must : both.should;
    for (const auto& [word, occurrences] : distinct) {
      const auto list = FROND_TRY(list_of(target, word));
      if (!list && all) return node(NoneNode());
      if (list) terms.push_back({TermNode{*list, weight_of(*list, occurrences)}, {}});
    }
    if (terms.empty()) return node(NoneNode());
    if (terms.size() == 1) return std::move(terms.front());
    both.minimum = all ? 0 : 1;
    return node(std::move(both));
  }
  Result<Node> node_of(const query::Words& words) {
    const Target target = target_of(words.field);
    const std::vector<std::string> terms = source_.analyzer(target.field).query_terms(words.text);
    return terms_node(target, terms, words.mode == query::Mode::kAnd);
  }

  struct Word {
    std::uint32_t number = 0;
    std::string term;
  };
  // The begin of a word at the end stays as it is, also if it looks like a stop word or has a stem.
  std::vector<Word> sequence_of(const Target& target, const query::Phrase& phrase) const {
    std::vector<Word> words;
    std::uint32_t number = 0;
    text::WordSequence().for_each(source_.analyzer(target.field), phrase.text, [&](std::string_view term) {
      if (!term.empty()) words.push_back({number, std::string(term)});
      ++number;
    });
    if (!phrase.prefix || number == 0) return words;
    std::string last;
    text::WordSequence().for_each(source_.plain_analyzer(target.field), phrase.text,
                                  [&](std::string_view term) { last = term; });
    if (!words.empty() && words.back().number == number - 1) words.pop_back();
    if (!last.empty()) words.push_back({number - 1, std::move(last)});
    return words;
  }
  Result<Node> node_of(const query::Phrase& phrase) {
    const Target target = target_of(phrase.field);
    std::vector<Word> words = sequence_of(target, phrase);
    constexpr std::size_t kMostSloppyWords = 64;
    const std::size_t most = phrase.slop == 0 ? scoring::kMaxQueryTerms : kMostSloppyWords;
    if (words.size() > most)
      return Error(Code::kInvalid, "a phrase of " + std::to_string(words.size()) + " words" +
                                       (phrase.slop == 0 ? "" : " with slop") + ", more than " + std::to_string(most));
    PhraseNode sequence{{}, phrase.slop, target.number, 0};
    for (const Word& word : words) {
      PhraseNode::Word& made = sequence.words.emplace_back();
      made.number = word.number - words.front().number;
      if (phrase.prefix && &word == &words.back()) {
        made.lists = FROND_TRY(expanded("phrase", phrase.text, target, WildcardPattern(escaped(word.term) + "*")));
      } else if (const auto list = FROND_TRY(list_of(target, word.term))) {
        made.lists.push_back(*list);
      }
      if (made.lists.empty()) return node(NoneNode());
      sequence.weight += weight_of(
          *std::ranges::max_element(made.lists, {}, [this](ListNumber list) { return query_.lists[list].df; }));
    }
    sequence.weight = std::min(sequence.weight, kMaxWeight);
    if (words.size() > 1) return node(std::move(sequence));
    std::vector<ListNumber>& lists = sequence.words.front().lists;
    if (phrase.prefix) return node(AnyTermNode{std::move(lists)});
    return node(TermNode{lists.front(), sequence.weight});
  }

  static std::string escaped(std::string_view text) {
    std::string pattern;
    for (const char c : text) {
      if (c == '*' || c == '?' || c == '\\') pattern += '\\';
      pattern += c;
    }
    return pattern;
  }
  // The lists of the terms that match.
  Result<std::vector<ListNumber>> expanded(std::string_view kind, std::string_view text, const Target& target,
                                           const WildcardPattern& pattern) {
    const std::string first = term_in(target, pattern.fixed());
    const std::size_t mark = target.field == nullptr ? 0 : text::kFieldTermPrefix;
    std::vector<ListNumber> lists;
    bool too_many = false, late = false, too_wide = false;
    std::size_t looked_at = 0;
    FROND_TRY(source_.for_each_from(first, [&](std::string_view term, std::uint64_t df) {
      constexpr std::size_t kBetweenGlances = 1024, kLooksPerExpansion = 1024;
      late = ++looked_at % kBetweenGlances == 0 && source_.is_over && source_.is_over();
      too_wide = looked_at > source_.max_expansions * kLooksPerExpansion;
      if (late || too_wide) return false;
      if (!term.starts_with(first)) return mark == 0 && first.empty();
      if (mark == 0 && text::is_field_term(term)) return true;
      if (df == 0 || !pattern.matches(term.substr(mark))) return true;
      too_many = lists.size() == source_.max_expansions;
      if (!too_many) lists.push_back(add_list(std::string(term), target.number, df));
      return !too_many;
    }));
    if (late) return over();
    if (too_wide)
      return Error(Code::kInvalid, "the " + std::string(kind) + " " + schema::quote(std::string(text)) +
                                       " needs a look at too many terms: give it a longer beginning");
    if (too_many)
      return Error(Code::kInvalid, "the " + std::string(kind) + " " + schema::quote(std::string(text)) +
                                       " stands for more terms than max_expansions (" +
                                       std::to_string(source_.max_expansions) + ")");
    return lists;
  }
  Result<Node> any_of(std::vector<ListNumber> lists) {
    if (lists.empty()) return node(NoneNode());
    return node(AnyTermNode{std::move(lists)});
  }
  // A part of a word as it is in terms, as far as that can be said of a part.
  std::string normal(const Target& target, std::string_view part) const {
    std::vector<std::string> terms = source_.plain_analyzer(target.field).query_terms(part);
    // An analyzer may take away what the part begins with, and with it the bound on how many terms begin so.
    const auto characters = [](std::string_view text) {
      return std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
    };
    const bool whole = terms.size() == 1 && characters(terms.front()) >= characters(part);
    return whole ? std::move(terms.front()) : std::string(part);
  }
  Result<Node> pattern_node(std::string_view kind, const query::Clause& leaf, const std::string& field,
                            const std::string& pattern, std::string_view written) {
    const Target target = target_of(field);
    if (target.field != nullptr && schema::is_column(target.field->type)) return node(ColumnNode{target.number, leaf});
    const WildcardPattern normal_pattern(pattern, [&](std::string_view part) { return normal(target, part); });
    return any_of(FROND_TRY(expanded(kind, written, target, normal_pattern)));
  }
  Result<Node> node_of(const query::Prefix& prefix) {
    return pattern_node("prefix", {prefix}, prefix.field, escaped(prefix.text) + "*", prefix.text);
  }
  Result<Node> node_of(const query::Wildcard& wildcard) {
    return pattern_node("wildcard", {wildcard}, wildcard.field, wildcard.pattern, wildcard.pattern);
  }

  Result<Node> node_of(const query::Terms& terms) {
    const Target target = target_of(terms.field);
    if (schema::is_column(target.field->type)) return node(ColumnNode{target.number, {terms}});
    std::vector<std::string> words;
    for (const query::Value& value : terms.values) words.push_back(std::get<std::string>(value));
    return terms_node(target, words, /*all=*/false);
  }
  Result<Node> node_of(const query::Weights& weights) {
    const Target target = target_of(weights.field);
    BoolNode any;
    for (const query::WeightedToken& token : weights.tokens) {
      if (token.weight.units == 0) continue;  // asks for nothing, as normal_form.h has it
      if (const auto list = FROND_TRY(list_of(target, token.token)))
        any.should.push_back({TermNode{*list, weight_of(*list)}, token.weight});
    }
    if (any.should.empty()) return node(NoneNode());
    any.minimum = 1;
    return node(std::move(any));
  }
  Result<Node> node_of(const query::Range& range) { return node(ColumnNode{target_of(range.field).number, {range}}); }
  Result<Node> node_of(const query::Exists& exists) {
    const Target target = target_of(exists.field);
    if (schema::is_column(target.field->type)) return node(ColumnNode{target.number, {exists}});
    return node(TextNode{target.number});
  }
  Result<Node> node_of(const query::Ids& ids) { return node(IdsNode{ids.ids}); }

  Result<std::vector<Node>> all_of(const std::vector<query::Clause>& clauses) {
    std::vector<Node> nodes;
    nodes.reserve(clauses.size());
    for (const query::Clause& clause : clauses) nodes.push_back(FROND_TRY(resolve(clause)));
    return nodes;
  }
  Result<Node> node_of(const query::Bool& both) {
    BoolNode made;
    made.must = FROND_TRY(all_of(both.must));
    made.filter = FROND_TRY(all_of(both.filter));
    made.should = FROND_TRY(all_of(both.should));
    made.must_not = FROND_TRY(all_of(both.must_not));
    const std::size_t usual = made.must.empty() && made.filter.empty() && !made.should.empty() ? 1 : 0;
    made.minimum = both.minimum ? query::matches_needed(*both.minimum, made.should.size()) : usual;
    if (made.minimum > made.should.size()) return node(NoneNode());
    return node(std::move(made));
  }
  Result<Node> node_of(const query::Max& max) {
    MaxNode made{FROND_TRY(all_of(max.of)), max.tie_breaker};
    if (made.of.empty()) return node(NoneNode());
    return node(std::move(made));
  }
  Result<Node> node_of(const query::Constant& constant) {
    ConstantNode made{{}, constant.score.units * (scoring::kScoreScale / query::Factor::kOne)};
    made.of.push_back(FROND_TRY(resolve(constant.of.front())));
    return node(std::move(made));
  }
  Result<Node> node_of(const query::Boost& boost) {
    Node inner = FROND_TRY(resolve(boost.of.front()));
    if (inner.boost == query::Factor()) {
      inner.boost = boost.by;
      return inner;
    }
    BoolNode outer;
    outer.must.push_back(std::move(inner));
    return Node{std::move(outer), boost.by};
  }

  const ResolverSource& source_;
  ResolvedQuery query_;
  std::map<std::string, ListNumber> places_;
};

}  // namespace

Result<ResolvedQuery> resolve(const query::Clause& clause, const ResolverSource& source) {
  Resolver resolver(source);
  const auto asked = query::asked(FROND_TRY(query::bind(clause, source.schema, "clause")),
                                  [&](const std::string& name) -> text::Analyzer& { return resolver.analyzer(name); });
  Node root = asked ? FROND_TRY(resolver.resolve(*asked)) : Node{NoneNode(), {}};
  return resolver.take(std::move(root));
}

}  // namespace frond::leaf::clauses
