#include "common/query/bind.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/schema/json.h"

namespace frond::query {
namespace {

using schema::Field;
using schema::FieldType;
using schema::Reading;

bool is_whole(FieldType type) { return type == FieldType::kInteger || type == FieldType::kDate; }

// Where a clause is, for an error: written out only for one, since each search binds its clause.
struct Path {
  const Path* outer = nullptr;
  std::string_view member;
  std::optional<std::size_t> number{};  // of an array

  std::string text() const {
    const std::string before = outer == nullptr ? std::string() : outer->text();
    return number ? before + "[" + std::to_string(*number) + "]" : schema::member_path(before, member);
  }
};

class Binder {
 public:
  explicit Binder(const schema::Schema& schema) : schema_(schema) {}

  Result<Clause> bind(const Clause& clause, const Path& path, std::size_t depth) const {
    if (depth > kMaxClauseDepth)
      return invalid(path.text(), "is inside more than " + std::to_string(kMaxClauseDepth) + " clauses");
    const Path here{&path, name_of(clause)};
    return std::visit([&](const auto& node) { return node_of(node, here, depth); }, clause.node);
  }

 private:
  static Error invalid(const std::string& path, const std::string& what) { return {Code::kInvalid, path + " " + what}; }

  // A field for a use; null: all text fields, which the empty name stands for.
  Result<const Field*> field_for(const std::string& name, Use use, const Path& path) const {
    if (name.empty() && use == Use::kPhrase && !schema_.has_positions())
      return invalid(path.text(), "is a phrase, and no text field of the schema has positions");
    if (name.empty() && (use == Use::kWords || use == Use::kPattern) && schema_.scorer == schema::Scorer::kImpact)
      return invalid(path.text(),
                     "searches words, and this collection has weights, which only a weights clause can search");
    if (name.empty() && (use == Use::kWords || use == Use::kPhrase || use == Use::kPattern)) return nullptr;
    const Field* const field = schema_.find(name);
    if (field == nullptr) return unknown_field(schema_, name).within(path.text());
    const auto problem = problem_of(*field, use);
    if (!problem.empty()) return Error(Code::kInvalid, path.text() + ": field '" + name + "' " + std::string(problem));
    return field;
  }
  static Result<schema::Interval> interval(const Field& field, const Value& raw, const Path& path) {
    auto found = interval_of(field.type, raw, Reading::kLenient);
    if (!found) return std::move(found).error().within(path.text() + ": field '" + field.name + "'");
    return found;
  }
  static Result<Clause> leaf(auto node) { return Clause{std::move(node)}; }

  Result<Clause> node_of(const None& none, const Path&, std::size_t) const { return leaf(none); }
  Result<Clause> node_of(const All& all, const Path&, std::size_t) const { return leaf(all); }
  Result<Clause> node_of(const Words& words, const Path& path, std::size_t) const {
    const Field* const named = words.field.empty() ? nullptr : schema_.find(words.field);
    if (named != nullptr && schema::is_column(named->type))
      return values(Terms{words.field, {words.text}}, *named, path);
    FROND_TRY(field_for(words.field, Use::kWords, path));
    return leaf(words);
  }
  Result<Clause> node_of(const Phrase& phrase, const Path& path, std::size_t) const {
    FROND_TRY(field_for(phrase.field, Use::kPhrase, path));
    return leaf(phrase);
  }
  Result<Clause> node_of(const Prefix& prefix, const Path& path, std::size_t) const {
    FROND_TRY(field_for(prefix.field, Use::kPattern, path));
    return leaf(prefix);
  }
  Result<Clause> node_of(const Wildcard& wildcard, const Path& path, std::size_t) const {
    FROND_TRY(field_for(wildcard.field, Use::kPattern, path));
    return leaf(wildcard);
  }
  Result<Clause> node_of(const Terms& terms, const Path& path, std::size_t) const {
    const Field* const field = FROND_TRY(field_for(terms.field, Use::kValues, path));
    if (schema::is_column(field->type)) return values(terms, *field, path);
    for (const Value& value : terms.values)
      if (!std::holds_alternative<std::string>(value))
        return invalid(path.text() + ": field '" + field->name + "':",
                       schema::quote(value) + " is not a term, which is a string");
    return leaf(terms);
  }
  // Values of a column. Those that stand for many become ranges.
  static Result<Clause> values(const Terms& terms, const Field& field, const Path& path) {
    Terms single{terms.field, {}};
    Bool any;
    for (const Value& value : terms.values) {
      auto one = FROND_TRY(interval(field, value, path));
      if (one.first == one.last)
        single.values.push_back(std::move(one.first));
      else
        any.should.push_back({Range{terms.field, Bound{std::move(one.first)}, Bound{std::move(one.last)}}});
    }
    if (any.should.empty()) return leaf(std::move(single));
    if (!single.values.empty()) any.should.push_back({std::move(single)});
    if (any.should.size() == 1) return std::move(any.should.front());
    return leaf(std::move(any));
  }
  Result<Clause> node_of(const Weights& weights, const Path& path, std::size_t) const {
    const Field* const field = schema_.find(weights.field);
    if (field == nullptr) return unknown_field(schema_, weights.field).within(path.text());
    const bool text = field->type == FieldType::kText;
    if (field->type != FieldType::kWeights && !(text && field->field_search))
      return invalid(path.text() + ": field '" + field->name + "'",
                     text ? "has no field_search, which weights of its terms need"
                          : "is " + std::string(name_of(field->type)) + ", not weights or text");
    return leaf(weights);
  }
  Result<Clause> node_of(const Range& range, const Path& path, std::size_t) const {
    const Field* const field = FROND_TRY(field_for(range.field, Use::kRange, path));
    if (!range.from && !range.to) return leaf(Exists{range.field});
    Range bound{range.field, {}, {}};
    if (range.from) {
      auto value = FROND_TRY(interval(*field, range.from->value, path));
      bound.from = Bound{range.from->inclusive ? std::move(value.first) : std::move(value.last), range.from->inclusive};
      if (!step_inside(*field, *bound.from, 1)) return leaf(None());
    }
    if (range.to) {
      auto value = FROND_TRY(interval(*field, range.to->value, path));
      bound.to = Bound{range.to->inclusive ? std::move(value.last) : std::move(value.first), range.to->inclusive};
      if (!step_inside(*field, *bound.to, -1)) return leaf(None());
    }
    if (!bound.from || !bound.to || bound.from->value < bound.to->value) return leaf(std::move(bound));
    const bool single = bound.from->value == bound.to->value && bound.from->inclusive && bound.to->inclusive;
    return single ? leaf(Terms{range.field, {bound.from->value}}) : leaf(None());
  }
  // An exclusive bound of whole numbers as an inclusive one. False: there is nothing inside it.
  static bool step_inside(const Field& field, Bound& bound, std::int64_t step) {
    if (bound.inclusive || !is_whole(field.type)) return true;
    auto& value = std::get<std::int64_t>(bound.value);
    using Limits64 = std::numeric_limits<std::int64_t>;
    if (value == (step > 0 ? Limits64::max() : Limits64::min())) return false;
    value += step;
    bound.inclusive = true;
    return true;
  }
  Result<Clause> node_of(const Exists& exists, const Path& path, std::size_t) const {
    FROND_TRY(field_for(exists.field, Use::kExists, path));
    return leaf(exists);
  }
  Result<Clause> node_of(const Ids& ids, const Path&, std::size_t) const { return leaf(ids); }

  Result<std::vector<Clause>> children(const std::vector<Clause>& all, const Path& path, std::size_t depth) const {
    std::vector<Clause> bound;
    bound.reserve(all.size());
    for (const Clause& one : all) bound.push_back(FROND_TRY(bind(one, Path{&path, {}, bound.size()}, depth + 1)));
    return bound;
  }
  Result<std::vector<Clause>> child(const std::vector<Clause>& one, const Path& path, std::size_t depth) const {
    FROND_CHECK(one.size() == 1);
    std::vector<Clause> bound;
    bound.push_back(FROND_TRY(bind(one.front(), Path{&path, "of"}, depth + 1)));
    return bound;
  }
  Result<Clause> node_of(const Bool& both, const Path& path, std::size_t depth) const {
    Bool bound;
    bound.must = FROND_TRY(children(both.must, Path{&path, "must"}, depth));
    bound.should = FROND_TRY(children(both.should, Path{&path, "should"}, depth));
    bound.must_not = FROND_TRY(children(both.must_not, Path{&path, "must_not"}, depth));
    bound.filter = FROND_TRY(children(both.filter, Path{&path, "filter"}, depth));
    bound.minimum = both.minimum;
    return leaf(std::move(bound));
  }
  Result<Clause> node_of(const Max& max, const Path& path, std::size_t depth) const {
    Max bound{FROND_TRY(children(max.of, Path{&path, "of"}, depth)), max.tie_breaker};
    return leaf(std::move(bound));
  }
  Result<Clause> node_of(const Constant& constant, const Path& path, std::size_t depth) const {
    Constant bound{FROND_TRY(child(constant.of, path, depth)), constant.score};
    return leaf(std::move(bound));
  }
  Result<Clause> node_of(const Boost& boost, const Path& path, std::size_t depth) const {
    Boost bound{FROND_TRY(child(boost.of, path, depth)), boost.by};
    return leaf(std::move(bound));
  }

  const schema::Schema& schema_;
};

}  // namespace

std::string_view problem_of(const Field& field, Use use) {
  const bool column = schema::is_column(field.type);
  if (use == Use::kExists) {
    if (column) return "";
    return field.type == FieldType::kText && field.field_search ? "" : "has no field_search, so exists cannot find it";
  }
  if (use == Use::kRange) {
    const bool ordered = column && field.type != FieldType::kBoolean;
    return ordered ? "" : "is text, weights or boolean, over which there are no ranges";
  }
  if (field.type == FieldType::kWeights) return "has weights, which only a weights clause can search";
  if (use == Use::kPattern && column && field.type != FieldType::kKeyword)
    return "is no keyword, and prefixes and wildcards are of strings";
  if (use == Use::kPhrase && column) return "is no text field, so it has no phrases";
  if (column) return "";
  if (!field.field_search) return "has no field_search, so plain words only can find it";
  return use == Use::kPhrase && !field.positions ? "has no positions, which phrases need" : "";
}

bool is_scoring(const Clause& clause, const schema::Schema& schema) {
  if (const std::string* field = field_of(clause)) {
    if (clause.as<Range>() != nullptr || clause.as<Exists>() != nullptr) return false;
    const Field* const named = schema.find(*field);
    return named == nullptr || !schema::is_column(named->type);
  }
  const auto any = [&](const std::vector<Clause>& clauses) {
    return std::ranges::any_of(clauses, [&](const Clause& one) { return is_scoring(one, schema); });
  };
  if (const auto* both = clause.as<Bool>()) return any(both->must) || any(both->should);
  if (const auto* max = clause.as<Max>()) return any(max->of);
  if (const auto* boost = clause.as<Boost>()) return boost->by.units != 0 && any(boost->of);
  const auto* const constant = clause.as<Constant>();
  return constant != nullptr && constant->score.units != 0;
}

Result<Clause> bind(const Clause& clause, const schema::Schema& schema, std::string_view path) {
  return Binder(schema).bind(clause, Path{nullptr, path}, 1);
}

}  // namespace frond::query
