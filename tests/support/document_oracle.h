#pragma once
// Whether one document matches a clause, and its score, by its words and values alone.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "common/query/clause.h"
#include "common/schema/value.h"
#include "tests/support/oracle_collection.h"
#include "tests/support/oracle_text.h"

namespace frond::support {

// Of one query: remembers what is the same for all documents. One thread.
class DocumentOracle {
 public:
  struct Found {
    bool matched = false;
    scoring::Score score = 0;
  };
  // `clause` is as somebody wrote it, or bound. `mode`, kAnd or kOr: of what has Mode::kAuto where scores count.
  // `bm25`: to rank by. All but `mode` outlive this.
  DocumentOracle(const OracleCollection& collection, OracleAnalyzers& analyzers, scoring::Bm25Parameters bm25,
                 query::Mode mode)
      : collection_(collection), schema_(collection.schema()), analyzers_(analyzers), bm25_(bm25), mode_(mode) {}

  Found ask(const query::Clause& clause, const OracleDocument& document) {
    return ask(clause, document, {true, {}}).value_or(Found());
  }
  // What these terms of all text, of which some may be there twice, add to the document's score.
  scoring::Score score_of(const std::vector<std::string>& words, const OracleDocument& document) {
    return terms(kPlain, words, false, document, {true, {}})->score;
  }

 private:
  using Answer = std::optional<Found>;  // empty: it asks for nothing
  // Where a clause stands: whether its score counts, and the product of the boosts around it, which leaves have.
  struct Place {
    bool scored;
    query::Factor boost;
  };
  static constexpr Place kUnscored{false, {}};
  static constexpr std::uint32_t kPlain = OracleCollection::kPlain;

  Answer ask(const query::Clause& clause, const OracleDocument& document, Place place) {
    return std::visit([&](const auto& node) { return of(node, document, place); }, clause.node);
  }
  static std::uint64_t capped(std::uint64_t score) { return std::min<std::uint64_t>(score, scoring::kMaxScore); }
  static std::uint64_t times(std::uint64_t score, query::Factor by) {
    return capped(capped(score) * by.units / query::Factor::kOne);
  }
  static Answer found(bool matched, std::uint64_t score = 0, Place place = kUnscored) {
    return Found{matched, static_cast<scoring::Score>(matched && place.scored ? times(score, place.boost) : 0)};
  }

  std::uint32_t field_of(const std::string& name) const {
    const schema::Field* const field = schema_.find(name);
    const bool plain = field == nullptr || field->type == schema::FieldType::kWeights;
    return plain ? kPlain : static_cast<std::uint32_t>(field - schema_.fields.data());
  }
  bool is_column(const std::string& name) const {
    const schema::Field* const field = schema_.find(name);
    return field != nullptr && schema::is_column(field->type);
  }
  scoring::CollectionStatistics all() const { return collection_.statistics(kPlain); }
  float weight(std::uint64_t df, std::uint32_t occurrences = 1) const {
    return scoring::term_weight(bm25_, all(), df, occurrences);
  }
  std::uint64_t contribution(float weight, std::uint32_t frequency, std::uint32_t field,
                             const OracleDocument& document) const {
    const auto norm = scoring::length_norm(bm25_, {all().documents, collection_.statistics(field).tokens});
    return scoring::contribution(weight, frequency, OracleCollection::text(document, field).length, norm);
  }
  static std::uint32_t frequency(const OracleDocument& document, std::uint32_t field, const std::string& term) {
    const auto& counts = OracleCollection::text(document, field).counts;
    const auto at = counts.find(term);
    return at == counts.end() ? 0 : at->second;
  }
  bool any_value(const std::string& field, const OracleDocument& document,
                 const std::function<bool(const schema::Value&)>& wanted) const {
    const auto at = document.values.find(field_of(field));
    return at != document.values.end() && std::ranges::any_of(at->second, wanted);
  }
  schema::Interval interval(const std::string& field, const schema::Value& raw) const {
    return *schema::interval_of(schema_.find(field)->type, raw, schema::Reading::kLenient);
  }

  Answer of(const query::None&, const OracleDocument&, Place) { return found(false); }
  Answer of(const query::All&, const OracleDocument&, Place) { return found(true); }

  Answer terms(std::uint32_t field, const std::vector<std::string>& words, bool every, const OracleDocument& document,
               Place place) {
    std::map<std::string, std::uint32_t> occurrences;
    for (const std::string& word : words) ++occurrences[word];
    std::uint64_t score = 0;
    std::size_t matched = 0;
    for (const auto& [word, count] : occurrences) {
      const std::uint32_t times = frequency(document, field, word);
      if (times == 0) continue;
      ++matched;
      score += contribution(weight(collection_.df(field, word), count), times, field, document);
    }
    return found(every ? matched == occurrences.size() : matched != 0, score, place);
  }
  Answer of(const query::Words& node, const OracleDocument& document, Place place) {
    if (is_column(node.field)) return of(query::Terms{node.field, {node.text}}, document, place);
    const auto& words = analyzers_.of_query(node.field, node.text);
    if (words.empty()) return {};
    const query::Mode mode = node.mode != query::Mode::kAuto ? node.mode : place.scored ? mode_ : query::Mode::kOr;
    return terms(field_of(node.field), words, mode == query::Mode::kAnd, document, place);
  }
  Answer of(const query::Terms& node, const OracleDocument& document, Place place) {
    if (is_column(node.field)) {
      const auto is_one = [&](const schema::Value& value) {
        return std::ranges::any_of(node.values, [&](const schema::Value& raw) {
          const schema::Interval wanted = interval(node.field, raw);
          return wanted.first <= value && value <= wanted.last;
        });
      };
      return found(any_value(node.field, document, is_one));
    }
    std::vector<std::string> words;
    for (const schema::Value& value : node.values)  // a value is wanted once, however often it is written
      if (std::ranges::find(words, std::get<std::string>(value)) == words.end())
        words.push_back(std::get<std::string>(value));
    return terms(field_of(node.field), words, false, document, place);
  }
  Answer of(const query::Weights& node, const OracleDocument& document, Place place) {
    const std::uint32_t field = field_of(node.field);
    std::uint64_t score = 0;
    bool any = false;
    for (const query::WeightedToken& token : node.tokens) {
      const std::uint32_t count = frequency(document, field, token.token);
      if (count == 0 || token.weight.units == 0) continue;
      any = true;
      score += times(contribution(weight(collection_.df(field, token.token)), count, field, document), token.weight);
    }
    return found(any, score, place);
  }

  using Word = PhraseWord;
  std::vector<Word> words_of(const query::Phrase& node) {
    std::vector<Word> words;
    const auto& sequence = analyzers_.sequence(node.field, node.text);
    for (std::size_t i = 0; i < sequence.size(); ++i)
      if (!sequence[i].empty()) words.push_back({i, sequence[i], false});
    if (!node.prefix || sequence.empty()) return words;
    if (!words.empty() && words.back().number + 1 == sequence.size()) words.pop_back();
    const std::string& last = analyzers_.plain_sequence(node.field, node.text).back();
    if (!last.empty()) words.push_back({sequence.size() - 1, last, true});
    return words;
  }
  // Of a phrase's words; 0: no document can have it.
  float weight_of(const std::vector<Word>& words, std::uint32_t field) {
    float sum = 0;
    for (const Word& word : words) {
      std::uint64_t df = collection_.df(field, word.term);
      if (word.begins) {
        df = 0;
        collection_.for_each_term(field, [&](const std::string& term, std::uint64_t of) {
          if (term.starts_with(word.term)) df = std::max(df, of);
        });
      }
      if (df == 0) return 0;
      sum += weight(df);
    }
    return std::min(sum, 0x1p31f);
  }
  Answer of(const query::Phrase& node, const OracleDocument& document, Place place) {
    const std::vector<Word> words = words_of(node);
    if (words.empty()) return {};
    const std::uint32_t field = field_of(node.field);
    if (words.size() == 1) {  // it needs no positions
      const std::string& term = words.front().term;
      if (words.front().begins)
        return any_term(field, document, place, [&](const std::string& one) { return one.starts_with(term); });
      return terms(field, {term}, true, document, place);
    }
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < schema_.fields.size(); ++i)
      if (schema_.fields[i].positions && (field == kPlain || field == i))
        count += phrases_in(document.texts[i].places, words, node.slop);
    const float of_words = count == 0 ? 0 : weight_of(words, field);
    return found(count != 0, count == 0 ? 0 : contribution(of_words, count, field, document), place);
  }

  Answer any_term(std::uint32_t field, const OracleDocument& document, Place place,
                  const std::function<bool(const std::string&)>& wanted) {
    const auto& counts = OracleCollection::text(document, field).counts;
    const bool any = std::ranges::any_of(counts, [&](const auto& one) { return wanted(one.first); });
    return found(any, scoring::kScoreScale, place);
  }
  // A part of a word as it is in terms, if all of it is.
  std::string normal(const std::string& field, const std::string& part) {
    const auto& terms = analyzers_.plain_terms(field, part);
    return terms.size() == 1 && characters(terms[0]) >= characters(part) ? terms[0] : part;
  }
  Answer of(const query::Prefix& node, const OracleDocument& document, Place place) {
    if (is_column(node.field))
      return found(any_value(node.field, document, [&](const schema::Value& value) {
        return std::get<std::string>(value).starts_with(node.text);
      }));
    const std::string begun = normal(node.field, node.text);
    return any_term(field_of(node.field), document, place,
                    [&](const std::string& term) { return term.starts_with(begun); });
  }
  Answer of(const query::Wildcard& node, const OracleDocument& document, Place place) {
    if (is_column(node.field))
      return found(any_value(node.field, document, [&](const schema::Value& value) {
        return like(std::get<std::string>(value), node.pattern);
      }));
    std::string pattern, stretch;
    const auto end_stretch = [&] {
      for (const char c : stretch.empty() ? stretch : normal(node.field, stretch)) (pattern += '\\') += c;
      stretch.clear();
    };
    for (std::size_t i = 0; i < node.pattern.size(); ++i) {
      const char c = node.pattern[i];
      if (c == '*' || c == '?') {
        end_stretch();
        pattern += c;
      } else {
        stretch += c == '\\' && i + 1 < node.pattern.size() ? node.pattern[++i] : c;
      }
    }
    end_stretch();
    return any_term(field_of(node.field), document, place,
                    [&](const std::string& term) { return like(term, pattern); });
  }
  Answer of(const query::Range& node, const OracleDocument& document, Place) {
    return found(any_value(node.field, document, [&](const schema::Value& value) {
      if (node.from) {
        const schema::Interval from = interval(node.field, node.from->value);
        if (node.from->inclusive ? value < from.first : value <= from.last) return false;
      }
      if (!node.to) return true;
      const schema::Interval to = interval(node.field, node.to->value);
      return node.to->inclusive ? value <= to.last : value < to.first;
    }));
  }
  Answer of(const query::Exists& node, const OracleDocument& document, Place) {
    if (is_column(node.field)) return found(any_value(node.field, document, [](const auto&) { return true; }));
    return found(OracleCollection::text(document, field_of(node.field)).length != 0);
  }
  Answer of(const query::Ids& node, const OracleDocument& document, Place) {
    return found(std::ranges::find(node.ids, document.id) != node.ids.end());
  }

  // Calls take() with the answer of each that asks for something; returns how many do.
  std::size_t ask_all(const std::vector<query::Clause>& clauses, const OracleDocument& document, Place place,
                      bool& left_out, const std::function<void(const Found&)>& take) {
    std::size_t asked = 0;
    for (const query::Clause& one : clauses) {
      const Answer answer = ask(one, document, place);
      left_out = left_out || !answer;
      if (answer) take(*answer);
      asked += answer ? 1 : 0;
    }
    return asked;
  }
  Answer of(const query::Bool& node, const OracleDocument& document, Place place) {
    bool required_left_out = false, optional_left_out = false, excluded_left_out = false, fits = true;
    std::size_t matched = 0;
    std::uint64_t score = 0;
    const auto need = [&](const Found& one) {
      fits = fits && one.matched;
      score += one.score;
    };
    const auto count = [&](const Found& one) {
      matched += one.matched ? 1 : 0;
      score += one.score;
    };
    const auto never = [&](const Found& one) { fits = fits && !one.matched; };
    std::size_t required = ask_all(node.must, document, place, required_left_out, need);
    required += ask_all(node.filter, document, kUnscored, required_left_out, need);
    const std::size_t optional = ask_all(node.should, document, place, optional_left_out, count);
    const std::size_t excluded = ask_all(node.must_not, document, kUnscored, excluded_left_out, never);
    const bool left_out = required_left_out || optional_left_out || excluded_left_out;
    // Nothing matches so many of fewer, whatever is left out of the others.
    const bool too_many = node.minimum && node.minimum->kind == query::MinimumMatch::Kind::kCount &&
                          node.minimum->number > node.should.size();
    if (too_many) return Found{false, 0};
    if (left_out && required + optional + excluded == 0) return {};
    const std::size_t usual = required == 0 && optional != 0 ? 1 : 0;
    std::size_t minimum = usual;
    if (node.minimum && node.minimum->kind == query::MinimumMatch::Kind::kAllFirst) {
      minimum = std::min<std::size_t>(optional, 1);
      if (place.scored && mode_ == query::Mode::kAnd) minimum = optional;
    } else if (node.minimum) {
      minimum = query::matches_needed(*node.minimum, optional);
    }
    if (optional_left_out) minimum = std::min(minimum, optional);
    if (required_left_out && minimum == 0) minimum = usual;
    fits = fits && matched >= minimum;
    return Found{fits, static_cast<scoring::Score>(fits ? capped(score) : 0)};
  }
  Answer of(const query::Max& node, const OracleDocument& document, Place place) {
    bool left_out = false, any = false;
    std::uint64_t best = 0, sum = 0;
    const std::size_t asked = ask_all(node.of, document, place, left_out, [&](const Found& one) {
      any = any || one.matched;
      best = std::max<std::uint64_t>(best, one.score);
      sum += one.score;
    });
    if (left_out && asked == 0) return {};
    const std::uint64_t score = capped(best + (sum - best) * node.tie_breaker.units / query::Factor::kOne);
    return Found{any, static_cast<scoring::Score>(any ? score : 0)};
  }
  Answer of(const query::Constant& node, const OracleDocument& document, Place place) {
    const Answer inner = ask(node.of.front(), document, kUnscored);
    if (!inner) return {};
    const query::Factor score = query::product(node.score, place.boost, query::kMaxConstantScore);
    const std::uint64_t fixed = std::uint64_t{score.units} * (scoring::kScoreScale / query::Factor::kOne);
    return Found{inner->matched, static_cast<scoring::Score>(inner->matched && place.scored ? fixed : 0)};
  }
  Answer of(const query::Boost& node, const OracleDocument& document, Place place) {
    if (place.scored) place.boost = query::product(place.boost, node.by, query::kMaxBoost);
    if (place.boost.units == 0) place = kUnscored;
    return ask(node.of.front(), document, place);
  }

  const OracleCollection& collection_;
  const schema::Schema& schema_;
  OracleAnalyzers& analyzers_;
  const scoring::Bm25Parameters bm25_;
  const query::Mode mode_;
};

}  // namespace frond::support
