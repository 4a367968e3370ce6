#include <string>

#include "common/query/json/clause_json.h"

namespace frond::query {
namespace {

using schema::json_scalar;
using schema::json_string;

class ClauseWriter {
 public:
  std::string take() { return std::move(out_); }

  void write(const Clause& clause) {
    out_ += "{\"" + std::string(name_of(clause)) + "\":";
    std::visit([this](const auto& node) { node_of(node); }, clause.node);
    out_ += "}";
  }

 private:
  // A member and its comma; `value` is JSON.
  void member(std::string_view name, std::string_view value) {
    if (out_.back() != '{') out_ += ',';
    out_ += '"';
    out_ += name;
    out_ += "\":";
    out_ += value;
  }
  void field(const std::string& name) {
    if (!name.empty()) member("field", json_string(name));
  }
  void clauses(std::string_view name, const std::vector<Clause>& all) {
    member(name, "[");
    for (const Clause& one : all) {
      if (&one != &all.front()) out_ += ',';
      write(one);
    }
    out_ += ']';
  }
  void optional_clauses(std::string_view name, const std::vector<Clause>& all) {
    if (!all.empty()) clauses(name, all);
  }
  void child(const std::vector<Clause>& one) {
    member("of", "");
    write(one.front());
  }
  static std::string number(Factor factor) { return schema::text_of(factor.value()); }

  void node_of(const None&) { out_ += "{}"; }
  void node_of(const All&) { out_ += "{}"; }
  void node_of(const Words& words) {
    out_ += '{';
    field(words.field);
    member("text", json_string(words.text));
    member("mode", json_string(kModeNames[static_cast<std::size_t>(words.mode)]));
    out_ += '}';
  }
  void node_of(const Phrase& phrase) {
    out_ += '{';
    field(phrase.field);
    member("text", json_string(phrase.text));
    if (phrase.slop != 0) member("slop", std::to_string(phrase.slop));
    if (phrase.prefix) member("prefix", "true");
    out_ += '}';
  }
  void node_of(const Prefix& prefix) {
    out_ += '{';
    field(prefix.field);
    member("value", json_string(prefix.text));
    out_ += '}';
  }
  void node_of(const Wildcard& wildcard) {
    out_ += '{';
    field(wildcard.field);
    member("value", json_string(wildcard.pattern));
    out_ += '}';
  }
  void node_of(const Terms& terms) {
    out_ += '{';
    member("field", json_string(terms.field));
    if (terms.values.size() == 1) {
      member("value", json_scalar(terms.values.front()));
    } else {
      member("values", "[");
      for (const Value& value : terms.values) out_ += (&value == &terms.values.front() ? "" : ",") + json_scalar(value);
      out_ += ']';
    }
    out_ += '}';
  }
  void node_of(const Weights& weights) {
    out_ += '{';
    member("field", json_string(weights.field));
    member("terms", "{");
    for (const auto& token : weights.tokens) {
      if (out_.back() != '{') out_ += ',';
      out_ += json_string(token.token) + ":" + number(token.weight);
    }
    out_ += "}}";
  }
  void node_of(const Range& range) {
    out_ += '{';
    member("field", json_string(range.field));
    if (range.from) member(range.from->inclusive ? "gte" : "gt", json_scalar(range.from->value));
    if (range.to) member(range.to->inclusive ? "lte" : "lt", json_scalar(range.to->value));
    out_ += '}';
  }
  void node_of(const Exists& exists) {
    out_ += '{';
    member("field", json_string(exists.field));
    out_ += '}';
  }
  void node_of(const Ids& ids) {
    out_ += '[';
    for (const auto& id : ids.ids) out_ += (&id == &ids.ids.front() ? "" : ",") + json_string(id);
    out_ += ']';
  }
  void node_of(const Bool& both) {
    out_ += '{';
    optional_clauses("must", both.must);
    optional_clauses("should", both.should);
    optional_clauses("must_not", both.must_not);
    optional_clauses("filter", both.filter);
    if (both.minimum) member("minimum_should_match", minimum(*both.minimum));
    out_ += '}';
  }
  static std::string minimum(const MinimumMatch& minimum) {
    if (minimum.kind == MinimumMatch::Kind::kAllFirst) return "\"auto\"";
    if (minimum.kind == MinimumMatch::Kind::kCount) return std::to_string(minimum.number);
    return "\"" + std::to_string(minimum.number) + "%\"";
  }
  void node_of(const Max& max) {
    out_ += '{';
    clauses("of", max.of);
    if (max.tie_breaker.units != 0) member("tie_breaker", number(max.tie_breaker));
    out_ += '}';
  }
  void node_of(const Constant& constant) {
    out_ += '{';
    child(constant.of);
    member("score", number(constant.score));
    out_ += '}';
  }
  void node_of(const Boost& boost) {
    out_ += '{';
    child(boost.of);
    member("by", number(boost.by));
    out_ += '}';
  }

  std::string out_;
};

}  // namespace

std::string clause_json(const Clause& clause) {
  ClauseWriter writer;
  writer.write(clause);
  return writer.take();
}

}  // namespace frond::query
