#pragma once
// Whether one document matches a clause, by its words and values alone.
#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "common/query/clause.h"
#include "tests/unit/leaf/clauses/document_collection.h"

namespace frond::leaf::clauses {

class DocumentOracle {
 public:
  using Words = std::vector<std::string>;
  // `clause` is bound, `stops` are the stop words.
  DocumentOracle(const schema::Schema& schema, std::set<std::string> stops)
      : schema_(schema), stops_(std::move(stops)) {}

  bool matches(const query::Clause& clause, const TextDocument& document) const {
    return ask(clause, document).value_or(false);
  }

 private:
  using Answer = std::optional<bool>;  // empty: it asks for nothing

  Answer ask(const query::Clause& clause, const TextDocument& document) const {
    return std::visit([&](const auto& node) { return of(node, document); }, clause.node);
  }
  std::uint32_t place_of(const std::string& field) const {
    return static_cast<std::uint32_t>(schema_.find(field) - schema_.fields.data());
  }
  std::vector<Words> texts(const std::string& field, const TextDocument& document) const {
    return field.empty() ? document.texts : std::vector<Words>{document.texts[place_of(field)]};
  }
  static Words split(const std::string& text) {
    std::istringstream in(text);
    return {std::istream_iterator<std::string>(in), {}};
  }
  static bool like(std::string_view text, std::string_view pattern) {
    if (pattern.empty()) return text.empty();
    if (pattern[0] == '*') return like(text, pattern.substr(1)) || (!text.empty() && like(text.substr(1), pattern));
    return !text.empty() && (pattern[0] == '?' || pattern[0] == text[0]) && like(text.substr(1), pattern.substr(1));
  }
  bool any_word(const std::string& field, const TextDocument& document,
                const std::function<bool(const std::string&)>& wanted) const {
    return std::ranges::any_of(texts(field, document),
                               [&](const Words& words) { return std::ranges::any_of(words, wanted); });
  }
  bool any_value(const std::string& field, const TextDocument& document,
                 const std::function<bool(const schema::Value&)>& wanted) const {
    const auto at = document.values.find(place_of(field));
    return at != document.values.end() && std::ranges::any_of(at->second, wanted);
  }
  bool is_column(const std::string& field) const {
    return !field.empty() && schema::is_column(schema_.find(field)->type);
  }

  Answer of(const query::None&, const TextDocument&) const { return false; }
  Answer of(const query::All&, const TextDocument&) const { return true; }
  Answer of(const query::Words& node, const TextDocument& document) const {
    std::size_t asked = 0, found = 0;
    for (const std::string& word : split(node.text)) {
      if (stops_.contains(word)) continue;
      ++asked;
      found += any_word(node.field, document, [&](const std::string& one) { return one == word; }) ? 1 : 0;
    }
    if (asked == 0) return {};
    return node.mode == query::Mode::kAnd ? found == asked : found != 0;
  }
  Answer of(const query::Phrase& node, const TextDocument& document) const {
    const Words all = split(node.text);
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!stops_.contains(all[i]) || (node.prefix && i + 1 == all.size())) numbers.push_back(i);
    if (numbers.empty()) return {};
    for (std::size_t field = 0; field < document.texts.size(); ++field) {
      const schema::Field& of = schema_.fields[field];
      // A single word needs no positions.
      if ((!of.positions && numbers.size() > 1) || (!node.field.empty() && of.name != node.field)) continue;
      const Words& words = document.texts[field];
      std::vector<std::size_t> taken;
      const std::function<bool(long, long)> fits = [&](long low, long high) {
        if (!taken.empty() && high - low > static_cast<long>(node.slop)) return false;
        if (taken.size() == numbers.size()) return true;
        const std::size_t number = numbers[taken.size()];
        const bool begins = node.prefix && taken.size() + 1 == numbers.size();
        for (std::size_t place = 0; place < words.size(); ++place) {
          if (begins ? !words[place].starts_with(all[number]) : words[place] != all[number]) continue;
          if (std::ranges::find(taken, place) != taken.end()) continue;
          const long offset = static_cast<long>(place) - static_cast<long>(number);
          const bool first = taken.empty();
          taken.push_back(place);
          const bool fit = fits(first ? offset : std::min(low, offset), first ? offset : std::max(high, offset));
          taken.pop_back();
          if (fit) return true;
        }
        return false;
      };
      if (fits(0, 0)) return true;
    }
    return false;
  }
  Answer of(const query::Prefix& node, const TextDocument& document) const {
    if (!is_column(node.field))
      return any_word(node.field, document, [&](const std::string& word) { return word.starts_with(node.text); });
    return any_value(node.field, document,
                     [&](const schema::Value& value) { return std::get<std::string>(value).starts_with(node.text); });
  }
  Answer of(const query::Wildcard& node, const TextDocument& document) const {
    if (!is_column(node.field))
      return any_word(node.field, document, [&](const std::string& word) { return like(word, node.pattern); });
    return any_value(node.field, document,
                     [&](const schema::Value& value) { return like(std::get<std::string>(value), node.pattern); });
  }
  Answer of(const query::Terms& node, const TextDocument& document) const {
    const auto wanted = [&](const schema::Value& value) {
      return std::ranges::find(node.values, value) != node.values.end();
    };
    return is_column(node.field) ? any_value(node.field, document, wanted) : any_word(node.field, document, wanted);
  }
  Answer of(const query::Weights& node, const TextDocument& document) const {
    return any_word(node.field, document, [&](const std::string& word) {
      return std::ranges::find(node.tokens, word, &query::WeightedToken::token) != node.tokens.end();
    });
  }
  Answer of(const query::Range& node, const TextDocument& document) const {
    return any_value(node.field, document, [&](const schema::Value& value) {
      const bool above = !node.from || value > node.from->value || (node.from->inclusive && value == node.from->value);
      return above && (!node.to || value < node.to->value || (node.to->inclusive && value == node.to->value));
    });
  }
  Answer of(const query::Exists& node, const TextDocument& document) const {
    return is_column(node.field) ? any_value(node.field, document, [](const auto&) { return true; })
                                 : any_word(node.field, document, [](const auto&) { return true; });
  }
  Answer of(const query::Ids& node, const TextDocument& document) const {
    return std::ranges::find(node.ids, document.id) != node.ids.end();
  }
  Answer of(const query::Bool& node, const TextDocument& document) const {
    bool left_out = false, fits = true;
    const auto ask_all = [&](const std::vector<query::Clause>& clauses, const std::function<void(bool)>& take) {
      std::size_t asked = 0;
      for (const query::Clause& one : clauses) {
        const Answer answer = ask(one, document);
        left_out = left_out || !answer;
        if (answer) take(*answer);
        asked += answer ? 1 : 0;
      }
      return asked;
    };
    std::size_t found = 0;
    const auto need = [&](bool matched) { fits = fits && matched; };
    const std::size_t required = ask_all(node.must, need) + ask_all(node.filter, need);
    const std::size_t optional = ask_all(node.should, [&](bool matched) { found += matched ? 1 : 0; });
    const std::size_t excluded = ask_all(node.must_not, [&](bool matched) { fits = fits && !matched; });
    if (left_out && required + optional + excluded == 0) return {};
    const std::size_t usual = required == 0 && optional != 0 ? 1 : 0;
    std::size_t minimum = node.minimum ? query::matches_needed(*node.minimum, optional) : usual;
    if (left_out) minimum = std::min(std::max(minimum, usual), optional);
    return fits && found >= minimum;
  }
  Answer of(const query::Max& node, const TextDocument& document) const {
    Answer any;
    for (const query::Clause& one : node.of)
      if (const Answer answer = ask(one, document)) any = any.value_or(false) || *answer;
    return node.of.empty() ? Answer(false) : any;
  }
  Answer of(const query::Constant& node, const TextDocument& document) const { return ask(node.of.front(), document); }
  Answer of(const query::Boost& node, const TextDocument& document) const { return ask(node.of.front(), document); }

  const schema::Schema& schema_;
  const std::set<std::string> stops_;
};

}  // namespace frond::leaf::clauses
