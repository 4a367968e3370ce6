#include "broker/query/planned_query.h"

#include <algorithm>
#include <map>
#include <utility>

#include "common/query/bind.h"
#include "common/query/clause_text.h"
#include "common/query/normal_form.h"
#include "common/text/utf8.h"

namespace frond::broker::query {

using frond::query::Bool;
using frond::query::Clause;
using frond::query::Mode;
using frond::query::Words;

namespace {

constexpr std::size_t kCostlyPatterns = 4;
constexpr std::size_t kCostlyClauses = 64, kCostlyValues = 256;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// What plain text has anyway, and nobody meant as a sign: C++, a question mark at a word's end, 3*4, a dash, 12:30,
// example.com:443, std::vector. `note` has no other right form than the same as text.
bool is_usual_text(const frond::query::Note& note) {
  std::string as_text = note.nearest;
  std::erase(as_text, '\\');
  if (as_text != note.found || note.found == "AND" || note.found == "OR" || note.found == "NOT") return false;
  std::string_view text = note.found;
  while (text.ends_with('?')) text.remove_suffix(1);
  const auto colon = text.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view name = text.substr(0, colon), value = text.substr(colon + 1);
    const bool host = name == "localhost" || name.find('.') != std::string_view::npos;
    return !schema::is_field_name(name) || value.empty() || (host && is_digit(value[0])) || value[0] == ':' ||
           value[0] == '/';
  }
  if (text.find_first_of("\"()[]{}^~") != std::string_view::npos) return false;
  return text.find_first_of("*?") == std::string_view::npos ||
         std::ranges::all_of(text, [](char c) { return is_digit(c) || c == '*' || c == '.'; });
}

// Whether `minimum` of a bool's `should`, which has no `must`, is what `mode` means for words.
bool is_minimum_of(const Bool& both, Mode mode) {
  using Kind = frond::query::MinimumMatch::Kind;
  if (!both.minimum) return mode == Mode::kOr && both.filter.empty();
  if (both.minimum->kind == Kind::kAllFirst) return mode == Mode::kAuto;
  return mode == Mode::kOr && both.minimum->kind == Kind::kCount && both.minimum->number == 1;
}

// A normal form is smaller than what it is made of, which takes time for each level of all that is written.
frond::query::Limits before_normal(frond::query::Limits limits) {
  limits.max_clauses *= 4;
  limits.max_depth *= 2;
  limits.max_terms *= 4;
  limits.max_values *= 4;
  limits.max_patterns *= 4;
  return limits;
}

bool is_costly(const frond::query::Cost& cost) {
  return cost.terms > wire::kCostlyTerms || cost.patterns > kCostlyPatterns || cost.clauses > kCostlyClauses ||
         cost.values > kCostlyValues;
}

// The clauses of facets, as one.
Clause clauses_of(const std::vector<frond::query::Facet>& facets) {
  Bool all;
  for_each_facet(facets, [&](const frond::query::Facet& facet) {
    for (const auto& one : facet.queries) all.filter.push_back(one.clause);
  });
  return {std::move(all)};
}

// Facets as the schema has them, with clauses that are together within the limits.
Result<std::vector<frond::query::Facet>> bound_facets(std::vector<frond::query::Facet> facets,
                                                      const schema::Schema& schema,
                                                      const frond::query::AnalyzerOf& analyzer_of,
                                                      const frond::query::Limits& limits) {
  Result<void> named;
  for_each_facet(facets, [&](const frond::query::Facet& facet) {
    if (named && !facet.rules.empty())
      named = Error(Code::kInvalid, "facet " + schema::quote(facet.name) + " has a zone without a name");
  });
  FROND_TRY(std::move(named));
  const auto check = [&](frond::query::Limits within) {
    ++within.max_clauses;  // all are in one here
    ++within.max_depth;
    return frond::query::check_limits(clauses_of(facets), within);
  };
  FROND_TRY(check(before_normal(limits)));
  facets = FROND_TRY(frond::query::bind_facets(std::move(facets), schema, "facets", analyzer_of));
  FROND_TRY(check(limits));
  return facets;
}

class Planner {
 public:
  Planner(const schema::Schema& schema, QueryAnalyzer& analyzer, const text::AnalyzerConfig& config)
      : schema_(schema), analyzer_(analyzer), config_(config) {}

  Result<PlannedQuery> plan(Clause normal, const WrittenQuery& written) const {
    const bool ordered = !written.sort.empty(), as_clause = ordered || !written.facets.empty();
    PlannedQuery planned;
    planned.understood = clause_text(normal, schema_);
    planned.matches_nothing = normal.as<frond::query::None>() != nullptr;
    if (as_clause) normal = one_text(std::move(normal));
    if (!written.scored || ordered) normal = frond::query::resolved(std::move(normal), Mode::kOr);
    planned.costly = is_costly(frond::query::cost_of(normal));
    auto* const both = normal.as<Bool>();
    const auto words = both != nullptr ? words_of(*both) : words_of(normal);
    if (words) planned.words = FROND_TRY(analyzer_.analyze_text(words->text, config_));
    const bool plain = words && (!planned.words.terms.empty() || both == nullptr);
    if (plain && (!as_clause || planned.words.terms.empty())) {
      planned.mode = wire_mode(words->mode);
      if (both != nullptr) planned.filter = filter_of(std::move(*both));
      return planned;
    }
    if (both != nullptr && both->should.empty() && both->must.size() == 1 &&
        both->must.front().as<frond::query::Weights>() != nullptr) {
      Clause weights = std::move(both->must.front());
      planned.filter = filter_of(std::move(*both));
      normal = std::move(weights);
    }
    planned.mode = frond::query::has_auto(normal) ? wire::Mode::kAuto : wire::Mode::kOr;
    std::string text;
    add_scoring_text(normal, text);
    planned.words = FROND_TRY(analyzer_.analyze_text(text, config_));
    planned.clause = frond::query::cache_key(normal);
    return planned;
  }

 private:
  // What scores, as words of all text fields; none: it is something else.
  std::optional<Words> words_of(const Clause& clause) const {
    if (const auto* words = clause.as<Words>()) return words->field.empty() ? std::optional(*words) : std::nullopt;
    const auto* const both = clause.as<Bool>();
    const bool scores_only = both != nullptr && both->filter.empty() && both->must_not.empty();
    return scores_only ? words_of(*both) : std::nullopt;
  }
  std::optional<Words> words_of(const Bool& both) const {
    if (both.must.empty() == both.should.empty()) return {};
    if (!both.must.empty()) return together(both.must, Mode::kAnd);
    for (const Mode mode : {Mode::kOr, Mode::kAuto})
      if (is_minimum_of(both, mode)) return together(both.should, mode);
    return {};
  }
  // A clause by itself is combined in its own mode; several, if each is so combined, or one term.
  std::optional<Words> together(const std::vector<Clause>& clauses, Mode mode) const {
    if (clauses.size() == 1) return words_of(clauses.front());
    Words all{"", "", mode};
    for (const Clause& one : clauses) {
      const auto words = words_of(one);
      if (!words || (words->mode != mode && !is_one_term(words->text))) return {};
      all.text += all.text.empty() ? "" : " ";
      all.text += words->text;
    }
    return all;
  }
  // Plain words as the one text that they are without an order and facets, so that they have the same scores.
  Clause one_text(Clause normal) const {
    auto* const both = normal.as<Bool>();
    auto words = both != nullptr ? words_of(*both) : words_of(normal);
    if (!words) return normal;
    if (both == nullptr || (both->filter.empty() && both->must_not.empty())) return {*std::move(words)};
    both->must.assign(1, {*std::move(words)});
    both->should.clear();
    both->minimum.reset();
    return normal;
  }
  bool is_one_term(const std::string& text) const {
    const auto analyzed = analyzer_.analyze_text(text, config_);
    return analyzed && analyzed->words == 1;
  }
  static std::string filter_of(Bool both) {
    if (both.filter.empty() && both.must_not.empty()) return "";
    both.must.clear();
    both.should.clear();
    both.minimum = {};
    if (both.filter.size() == 1 && both.must_not.empty()) {
      if (both.filter.front().as<frond::query::All>() != nullptr) return "";  // beside what asks for something
      return frond::query::cache_key(both.filter.front());
    }
    return frond::query::cache_key({std::move(both)});
  }

  void add_scoring_text(const Clause& clause, std::string& text) const {
    const auto add = [&](const std::string& more) { text.append(text.empty() ? "" : " ").append(more); };
    if (const auto* words = clause.as<Words>()) add(words->text);
    if (const auto* phrase = clause.as<frond::query::Phrase>()) add(phrase->text);
    if (const auto* both = clause.as<Bool>()) {
      for (const auto* part : {&both->must, &both->should})
        for (const Clause& one : *part) add_scoring_text(one, text);
    } else {
      frond::query::for_each_child(clause, [&](const Clause& child) { add_scoring_text(child, text); });
    }
  }

  const schema::Schema& schema_;
  QueryAnalyzer& analyzer_;
  const text::AnalyzerConfig& config_;
};

using Planned = std::variant<PlannedQuery, Refusal>;

}  // namespace

namespace {

// What q asks a collection of impacts for.
Clause weights_of(std::string_view q, const schema::Schema& schema, wire::Mode mode) {
  constexpr std::string_view kSpaces = " \t\r\n\f\v";
  std::map<std::string_view, std::uint32_t> tokens;
  for (std::size_t at = q.find_first_not_of(kSpaces); at != q.npos;) {
    const std::size_t end = std::min(q.find_first_of(kSpaces, at), q.size());
    tokens[q.substr(at, end - at)] += frond::query::Factor::kOne;
    at = q.find_first_not_of(kSpaces, end);
  }
  const auto field = std::ranges::find(schema.fields, schema::FieldType::kWeights, &schema::Field::type);
  frond::query::Weights all{field->name, {}};
  Bool each;
  for (const auto& [token, units] : tokens) {
    all.tokens.push_back({std::string(token), {units}});
    each.must.push_back({frond::query::Weights{field->name, {all.tokens.back()}}});
  }
  if (mode != wire::Mode::kAnd || tokens.empty()) return {std::move(all)};
  return {std::move(each)};
}

// Of what is optional beside something required, each word that matches adds its score, whatever else does.
void settle_optional(Clause& clause) {
  const auto settle_all = [](std::vector<Clause>& clauses) {
    for (Clause& one : clauses) settle_optional(one);
  };
  if (auto* const both = clause.as<Bool>()) {
    if (!both->minimum && (!both->must.empty() || !both->filter.empty()))
      for (Clause& one : both->should) one = frond::query::resolved(std::move(one), Mode::kOr);
    for (auto* const clauses : {&both->must, &both->should, &both->must_not, &both->filter}) settle_all(*clauses);
  } else if (auto* const max = clause.as<frond::query::Max>()) {
    settle_all(max->of);
  } else if (auto* const constant = clause.as<frond::query::Constant>()) {
    settle_all(constant->of);
  } else if (auto* const boost = clause.as<frond::query::Boost>()) {
    settle_all(boost->of);
  }
}

}  // namespace

Mode clause_mode(wire::Mode mode) {
  return mode == wire::Mode::kAnd ? Mode::kAnd : mode == wire::Mode::kOr ? Mode::kOr : Mode::kAuto;
}
wire::Mode wire_mode(Mode mode) {
  return mode == Mode::kAnd ? wire::Mode::kAnd : mode == Mode::kOr ? wire::Mode::kOr : wire::Mode::kAuto;
}

bool is_plain(const WrittenQuery& written) {
  return written.clause == nullptr && written.filter.empty() && written.filter_clause == nullptr && !written.minimum &&
         written.sort.empty() && written.facets.empty() &&
         (written.syntax == frond::query::Syntax::kPlain || !frond::query::may_have_signs(written.q));
}

Planned plan(const WrittenQuery& written, const schema::Schema& schema, QueryAnalyzer& analyzer,
             const text::AnalyzerConfig& config, const frond::query::Limits& limits) {
  std::vector<ParameterNote> notes;
  const auto parsed = [&](std::string_view text, std::string_view parameter, const Clause* clause, Clause& to) {
    std::optional<Refusal> refusal;
    if (clause != nullptr) {
      to = *clause;
      settle_optional(to);
    } else if (parameter == "q" && schema.scorer == schema::Scorer::kImpact) {
      if (!text::is_utf8(text)) return std::optional(Refusal{"q", "q is not valid UTF-8"});
      to = weights_of(text, schema, written.mode);
    } else {
      // A filter is of the query language whatever `q` is, and narrows: all of its words count unless `mode` says "or".
      const bool filter = parameter == "filter";
      frond::query::QueryOptions options{.syntax = written.syntax, .mode = clause_mode(written.mode)};
      if (filter && options.mode == Mode::kAuto) options.mode = Mode::kAnd;
      if (filter && options.syntax == frond::query::Syntax::kPlain) options.syntax = frond::query::Syntax::kQuery;
      if (parameter == "q") options.minimum = written.minimum;
      options.min_prefix = limits.min_prefix;
      options.max_slop = limits.max_slop;
      auto understood = frond::query::parse_query(text, schema, options);
      if (understood.refused)
        return std::optional(Refusal{std::string(parameter),
                                     std::string(parameter) + ": " + message_of(understood.notes.front()),
                                     understood.notes.front().code_point});
      for (auto& note : understood.notes)
        if (!is_usual_text(note)) notes.push_back({parameter, std::move(note)});
      to = std::move(understood.clause);
    }
    auto bound = frond::query::bind(to, schema, parameter);
    if (!bound) return std::optional(Refusal{std::string(parameter), bound.error().message()});
    to = *std::move(bound);
    return refusal;
  };
  if (auto sorts = frond::query::check_sort({written.sort.begin(), written.sort.end()}, schema); !sorts)
    return Refusal{"sort", std::move(sorts).error().within("sort").message()};
  const frond::query::AnalyzerOf analyzer_of = [&](const std::string& name) -> text::Analyzer& {
    const schema::Field* const field = schema.find(name);
    return analyzer.analyzer_for(
        field == nullptr || field->analyzer.empty() ? config : text::field_analyzer(config, field->analyzer));
  };
  auto facets = bound_facets({written.facets.begin(), written.facets.end()}, schema, analyzer_of, limits);
  if (!facets) return Refusal{"facets", facets.error().message()};
  const std::string_view name = written.clause != nullptr ? "query" : "q";
  Clause asked;
  if (auto refusal = parsed(written.q, name, written.clause, asked)) return *std::move(refusal);
  if (written.filter_clause != nullptr || !written.filter.empty()) {
    Clause filter;
    if (auto refusal = parsed(written.filter, "filter", written.filter_clause, filter)) return *std::move(refusal);
    Bool both;
    both.must.push_back(std::move(asked));
    both.filter.push_back(std::move(filter));
    asked = {std::move(both)};
  }
  if (auto within = frond::query::check_limits(asked, before_normal(limits)); !within)
    return Refusal{std::string(name), within.error().message()};
  const auto left = frond::query::asked(asked, analyzer_of);
  Clause normal = left ? frond::query::normal_form(*left, schema) : std::move(asked);
  if (auto within = frond::query::check_limits(normal, limits); !within)
    return Refusal{std::string(name), within.error().message()};
  auto planned = Planner(schema, analyzer, config).plan(std::move(normal), written);
  if (!planned) return Refusal{std::string(name), planned.error().message()};
  planned->notes = std::move(notes);
  planned->facets = *std::move(facets);
  planned->costly = planned->costly || is_costly(frond::query::cost_of(clauses_of(planned->facets)));
  if (planned->clause.size() > wire::kMaxClauseBytes || planned->filter.size() > wire::kMaxClauseBytes)
    return Refusal{std::string(name), "the query has more than " + std::to_string(wire::kMaxClauseBytes) + " bytes"};
  return *std::move(planned);
}

}  // namespace frond::broker::query
