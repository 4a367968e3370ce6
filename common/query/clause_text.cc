#include "common/query/clause_text.h"

#include <string_view>

namespace frond::query {
namespace {

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string shortest(Factor factor) {
  std::string text = schema::text_of(factor.value());
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::string in_quotes(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

// A value as one unit of the language: in quotes if it has anything but letters, digits and harmless signs.
std::string unit(std::string_view text) {
  bool plain = !text.empty();
  for (const char c : text)
    plain = plain && (static_cast<unsigned char>(c) >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                      (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '-' || c == ':');
  if (plain && text.front() != '-') return std::string(text);
  return in_quotes(text);
}

class TextWriter {
 public:
  explicit TextWriter(const schema::Schema& schema) : schema_(schema) {}

  // `nested`: in a place that takes one unit.
  std::string of(const Clause& clause, bool nested) const {
    return std::visit([&](const auto& node) { return node_of(node, nested); }, clause.node);
  }

 private:
  static std::string in_field(const std::string& field) { return field.empty() ? "" : field + ":"; }

  static std::string node_of(const None&, bool) { return "-*:*"; }
  static std::string node_of(const All&, bool) { return "*:*"; }
  static std::string node_of(const Words& words, bool nested) {
    std::string text, sign = words.mode == Mode::kAnd ? "+" : "";
    std::size_t count = 0;
    for (std::size_t at = 0; at < words.text.size();) {
      if (is_blank(words.text[at])) {
        ++at;
        continue;
      }
      std::size_t end = at;
      while (end < words.text.size() && !is_blank(words.text[end])) ++end;
      text += (count++ == 0 ? "" : " ") + sign + words.text.substr(at, end - at);
      at = end;
    }
    if (count == 1) return in_field(words.field) + text.substr(sign.size());
    return nested || !words.field.empty() ? in_field(words.field) + "(" + text + ")" : text;
  }
  static std::string node_of(const Phrase& phrase, bool) {
    return in_field(phrase.field) + in_quotes(phrase.text) + (phrase.prefix ? "*" : "") +
           (phrase.slop == 0 ? "" : "~" + std::to_string(phrase.slop));
  }
  static std::string node_of(const Prefix& prefix, bool) { return in_field(prefix.field) + prefix.text + "*"; }
  static std::string node_of(const Wildcard& wildcard, bool) { return in_field(wildcard.field) + wildcard.pattern; }
  std::string value(const std::string& field, const Value& value) const {
    const auto* const named = schema_.find(field);
    const auto type = named == nullptr ? schema::FieldType::kKeyword : named->type;
    return unit(schema::text_of(type, value));
  }
  std::string node_of(const Terms& terms, bool) const {
    if (terms.values.size() == 1) return terms.field + ":" + value(terms.field, terms.values.front());
    std::string text;
    for (const Value& one : terms.values) text += (text.empty() ? "" : " OR ") + value(terms.field, one);
    return terms.field + ":(" + text + ")";
  }
  static std::string node_of(const Weights& weights, bool) {
    std::string text;
    for (const auto& token : weights.tokens)
      text += (text.empty() ? "" : " ") + unit(token.token) + "^" + shortest(token.weight);
    return weights.field + ":{" + text + "}";
  }
  std::string node_of(const Range& range, bool) const {
    const std::string from = range.from ? value(range.field, range.from->value) : "*";
    const std::string to = range.to ? value(range.field, range.to->value) : "*";
    return range.field + ":" + (range.from && !range.from->inclusive ? "{" : "[") + from + " TO " + to +
           (range.to && !range.to->inclusive ? "}" : "]");
  }
  static std::string node_of(const Exists& exists, bool) { return exists.field + ":*"; }
  static std::string node_of(const Ids& ids, bool) {
    std::string text;
    for (const auto& id : ids.ids) text += (text.empty() ? "" : " OR ") + unit(id);
    return "ids:(" + text + ")";
  }
  std::string node_of(const Bool& both, bool nested) const {
    std::string text;
    const auto add = [&](const std::vector<Clause>& clauses, std::string_view sign) {
      for (const Clause& one : clauses) text += (text.empty() ? "" : " ") + std::string(sign) + of(one, true);
    };
    add(both.must, "+");
    add(both.should, "");
    add(both.must_not, "-");
    add(both.filter, "#");
    if (text.empty()) return "*:*";
    if (both.minimum && both.minimum->kind != MinimumMatch::Kind::kAllFirst)
      return "(" + text + ")~" + std::to_string(both.minimum->number) +
             (both.minimum->kind == MinimumMatch::Kind::kPercent ? "%" : "");
    return nested ? "(" + text + ")" : text;
  }
  std::string node_of(const Max& max, bool) const {
    std::string text;
    for (const Clause& one : max.of) text += (text.empty() ? "" : " | ") + of(one, true);
    return "(" + text + ")" + (max.tie_breaker.units == 0 ? "" : "~" + shortest(max.tie_breaker));
  }
  std::string node_of(const Constant& constant, bool) const {
    return of(constant.of.front(), true) + "^=" + shortest(constant.score);
  }
  std::string node_of(const Boost& boost, bool) const { return of(boost.of.front(), true) + "^" + shortest(boost.by); }

  const schema::Schema& schema_;
};

}  // namespace

std::string clause_text(const Clause& clause, const schema::Schema& schema) {
  return TextWriter(schema).of(clause, false);
}

}  // namespace frond::query
