#include "common/query/json/clause_json.h"

#include <algorithm>
#include <iterator>

#include "common/query/json/clause_reader.h"
#include "common/schema/nearest_names.h"

namespace frond::query {
namespace {

using schema::Json;

Mode mode_of(ClauseMembers& members, Mode absent) {
  if (members.find("mode") == nullptr) return absent;
  const std::string name = members.text("mode");
  const auto* const found = std::ranges::find(kModeNames, name);
  if (found != std::end(kModeNames)) return static_cast<Mode>(found - std::begin(kModeNames));
  members.fail(members.path("mode"), "is " + schema::quote(name) + ", not and, or or auto");
  return absent;
}

// "path[3]".
std::string element(const std::string& path, std::size_t at) { return path + "[" + std::to_string(at) + "]"; }

class ClauseReader {
 public:
  explicit ClauseReader(Mode default_mode) : default_mode_(default_mode) {}

  Result<Clause> read(const Json& json, const std::string& path, std::size_t depth) const {
    if (depth > kMaxClauseDepth)
      return Error(Code::kInvalid, path + " is inside more than " + std::to_string(kMaxClauseDepth) + " clauses");
    const auto* const object = json.object();
    if (object == nullptr)
      return Error(Code::kInvalid, path + " is " + std::string(json.kind()) + ", not an object with one clause");
    if (object->size() != 1) {
      std::string names;
      for (std::size_t i = 0; i < object->size() && i < 3; ++i) names += (i == 0 ? ": " : ", ") + (*object)[i].name;
      return Error(Code::kInvalid,
                   path + " has " + std::to_string(object->size()) + " members, not one clause" + names);
    }
    const auto& [name, value] = object->front();
    const auto* const kind = std::ranges::find(kKinds, std::string_view(name), &Kind::name);
    if (kind != std::end(kKinds)) return (this->*kind->read)(value, schema::member_path(path, name), depth);
    std::vector<std::string_view> names;
    for (const Kind& one : kKinds) names.push_back(one.name);
    return Error(Code::kInvalid,
                 path + " has an unknown clause " + schema::quote(name) + schema::nearest_hint(name, names));
  }

 private:
  struct Kind {
    std::string_view name;
    Result<Clause> (ClauseReader::*read)(const Json&, const std::string& path, std::size_t depth) const;
  };
  static const Kind kKinds[16];

  template <class Node>
  static Result<Clause> finished(const ClauseMembers& members, Node node) {
    if (!members.ok()) return members.error();
    return Clause{std::move(node)};
  }
  // The member's clauses, one inside the clause of `depth`.
  std::vector<Clause> children(ClauseMembers& members, std::string_view name, bool required, std::size_t depth) const {
    std::vector<Clause> clauses;
    for (const Json& one : members.array(name, required)) {
      auto clause = read(one, element(members.path(name), clauses.size()), depth + 1);
      if (!clause) {
        members.fail(std::move(clause).error());
        break;
      }
      clauses.push_back(*std::move(clause));
    }
    return clauses;
  }
  std::vector<Clause> child(ClauseMembers& members, std::size_t depth) const {
    std::vector<Clause> one;
    const Json& json = members.member("of");
    if (!members.ok()) return one;
    auto clause = read(json, members.path("of"), depth + 1);
    if (clause)
      one.push_back(*std::move(clause));
    else
      members.fail(std::move(clause).error());
    return one;
  }

  Result<Clause> words(const Json& json, const std::string& path, std::size_t) const {
    ClauseMembers members(json, path, {"text", "field", "mode"});
    Words words{members.optional_text("field"), members.text("text"), mode_of(members, default_mode_)};
    return finished(members, std::move(words));
  }
  Result<Clause> phrase(const Json& json, const std::string& path, std::size_t) const {
    ClauseMembers members(json, path, {"text", "field", "slop", "prefix"});
    Phrase phrase{members.optional_text("field"), members.text("text"), members.whole("slop"), members.flag("prefix")};
    return finished(members, std::move(phrase));
  }
  Result<Clause> prefix(const Json& json, const std::string& path, std::size_t) const {
    ClauseMembers members(json, path, {"value", "field"});
    Prefix prefix{members.optional_text("field"), members.text("value")};
    return finished(members, std::move(prefix));
  }
  Result<Clause> wildcard(const Json& json, const std::string& path, std::size_t) const {
    ClauseMembers members(json, path, {"value", "field"});
    Wildcard wildcard{members.optional_text("field"), members.text("value")};
    return finished(members, std::move(wildcard));
  }
  Result<Clause> term(const Json& json, const std::string& path, std::size_t) const {
    ClauseMembers members(json, path, {"field", "value"});
    Terms terms{members.text("field"), {}};
    (void)members.member("value");
    if (auto value = members.scalar("value")) terms.values.push_back(*std::move(value));
    return finished(members, std::move(terms));
  }
  Result<Clause> terms(const Json& json, const std::string& path, std::size_t) const {
    ClauseMembers members(json, path, {"field", "values"});
    Terms terms{members.text("field"), {}};
    for (const Json& one : members.array("values", true)) {
      if (const auto* value = one.scalar())
        terms.values.push_back(*value);
      else
        members.fail(element(members.path("values"), terms.values.size()),
                     "is " + std::string(one.kind()) + ", not a value");
    }
    return finished(members, std::move(terms));
  }
  Result<Clause> weights(const Json& json, const std::string& path, std::size_t) const {
    ClauseMembers members(json, path, {"field", "terms"});
    Weights weights{members.text("field"), {}};
    const Json& terms = members.member("terms");
    if (members.ok() && terms.object() == nullptr)
      members.fail(members.path("terms"), "is " + std::string(terms.kind()) + ", not an object of weights by token");
    if (!members.ok()) return members.error();
    for (const auto& [token, json_weight] : *terms.object()) {
      std::optional<Factor> weight;
      if (const auto* whole = json_weight.as<std::int64_t>())
        weight = factor_of(static_cast<double>(*whole), kMaxTokenWeight);
      if (const auto* real = json_weight.as<double>()) weight = factor_of(*real, kMaxTokenWeight);
      if (!weight) members.fail(schema::member_path(members.path("terms"), token), "is not a number from 0 to 65535");
      weights.tokens.push_back({token, weight.value_or(Factor())});
    }
    return finished(members, std::move(weights));
  }
  static std::optional<Bound> bound(ClauseMembers& members, const char* inclusive, const char* exclusive) {
    auto with = members.scalar(inclusive), without = members.scalar(exclusive);
    if (with && without) members.fail(members.path(exclusive), std::string("is there beside ") + inclusive);
    if (with) return Bound{*std::move(with), true};
    if (without) return Bound{*std::move(without), false};
    return {};
  }
  Result<Clause> range(const Json& json, const std::string& path, std::size_t) const {
    ClauseMembers members(json, path, {"field", "gte", "gt", "lte", "lt"});
    Range range{members.text("field"), bound(members, "gte", "gt"), bound(members, "lte", "lt")};
    return finished(members, std::move(range));
  }
  Result<Clause> exists(const Json& json, const std::string& path, std::size_t) const {
    ClauseMembers members(json, path, {"field"});
    return finished(members, Exists{members.text("field")});
  }
  Result<Clause> ids(const Json& json, const std::string& path, std::size_t) const {
    const auto* const array = json.array();
    if (array == nullptr) return Error(Code::kInvalid, path + " is " + std::string(json.kind()) + ", not an array");
    Ids ids;
    for (const Json& one : *array) {
      const auto* const id = one.as<std::string>();
      if (id == nullptr)
        return Error(Code::kInvalid,
                     element(path, ids.ids.size()) + " is " + std::string(one.kind()) + ", not a string");
      ids.ids.push_back(*id);
    }
    return Clause{std::move(ids)};
  }
  Result<Clause> all(const Json& json, const std::string& path, std::size_t) const {
    return finished(ClauseMembers(json, path, {}), All());
  }
  Result<Clause> none(const Json& json, const std::string& path, std::size_t) const {
    return finished(ClauseMembers(json, path, {}), None());
  }
  static std::optional<MinimumMatch> minimum(ClauseMembers& members) {
    constexpr const char* kName = "minimum_should_match";
    const Json* const json = members.find(kName);
    if (json == nullptr) return {};
    if (json->as<std::int64_t>() != nullptr) return MinimumMatch{MinimumMatch::Kind::kCount, members.whole(kName)};
    const auto* const text = json->as<std::string>();
    if (text != nullptr && *text == "auto") return MinimumMatch{MinimumMatch::Kind::kAllFirst, 0};
    auto minimum = text == nullptr ? std::nullopt : minimum_match_of(*text);
    if (!minimum) members.fail(members.path(kName), "is not a whole number, \"N%\" or \"auto\"");
    return minimum;
  }
  Result<Clause> boolean(const Json& json, const std::string& path, std::size_t depth) const {
    ClauseMembers members(json, path, {"must", "should", "must_not", "filter", "minimum_should_match"});
    Bool both;
    both.must = children(members, "must", false, depth);
    both.should = children(members, "should", false, depth);
    both.must_not = children(members, "must_not", false, depth);
    both.filter = children(members, "filter", false, depth);
    both.minimum = minimum(members);
    return finished(members, std::move(both));
  }
  Result<Clause> max(const Json& json, const std::string& path, std::size_t depth) const {
    ClauseMembers members(json, path, {"of", "tie_breaker"});
    Max max{children(members, "of", true, depth), members.factor("tie_breaker", 1, Factor{0})};
    return finished(members, std::move(max));
  }
  Result<Clause> constant(const Json& json, const std::string& path, std::size_t depth) const {
    ClauseMembers members(json, path, {"of", "score"});
    Constant constant{child(members, depth), members.factor("score", kMaxConstantScore, Factor())};
    return finished(members, std::move(constant));
  }
  Result<Clause> boost(const Json& json, const std::string& path, std::size_t depth) const {
    ClauseMembers members(json, path, {"of", "by"});
    (void)members.member("by");
    Boost boost{child(members, depth), members.factor("by", kMaxBoost, Factor())};
    return finished(members, std::move(boost));
  }

  const Mode default_mode_;
};

const ClauseReader::Kind ClauseReader::kKinds[16] = {
    {"words", &ClauseReader::words},       {"term", &ClauseReader::term},     {"terms", &ClauseReader::terms},
    {"weights", &ClauseReader::weights},   {"phrase", &ClauseReader::phrase}, {"prefix", &ClauseReader::prefix},
    {"wildcard", &ClauseReader::wildcard}, {"range", &ClauseReader::range},   {"exists", &ClauseReader::exists},
    {"ids", &ClauseReader::ids},           {"all", &ClauseReader::all},       {"none", &ClauseReader::none},
    {"bool", &ClauseReader::boolean},      {"max", &ClauseReader::max},       {"constant", &ClauseReader::constant},
    {"boost", &ClauseReader::boost},
};

}  // namespace

Result<Clause> read_clause(const Json& json, std::string_view path, Mode default_mode) {
  return ClauseReader(default_mode).read(json, std::string(path), 1);
}

Result<Clause> parse_clause(std::string_view text, std::string_view path, Mode default_mode) {
  return read_clause(FROND_TRY(schema::parse_json(text)), path, default_mode);
}

}  // namespace frond::query
