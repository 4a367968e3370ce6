// What holds for every clause and every text: forms can be changed into each other, and the normal form matches and
// scores as what it was made of, on documents that an obvious evaluator looks at one by one.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>

#include "common/query/asked.h"
#include "common/query/bind.h"
#include "common/query/clause_text.h"
#include "common/query/json/clause_json.h"
#include "common/query/language/query_parser.h"
#include "common/query/limits.h"
#include "common/query/normal_form.h"
#include "common/text/utf8.h"
#include "tests/support/query_schema.h"
#include "tests/support/random_clauses.h"

namespace frond::query {
namespace {

using support::RandomClauses;

struct Document {
  std::string id;
  std::vector<std::string> words, tags;  // all text fields have the same words
  std::vector<std::int64_t> years;
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text + " ") {
    if (c != ' ') {
      word += c;
      continue;
    }
    if (!word.empty()) words.push_back(word);
    word.clear();
  }
  return words;
}
bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}
bool like(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*') return like(text, pattern.substr(1)) || (!text.empty() && like(text.substr(1), pattern));
  return !text.empty() && (pattern[0] == '?' || pattern[0] == text[0]) && like(text.substr(1), pattern.substr(1));
}
std::uint64_t worth(const std::string& field, const std::string& term) {
  return 1 + std::hash<std::string>()(field + "/" + term) % 50;
}

// Scores are of 1/256 × 1/256. Empty: no match.
using Score = std::optional<std::uint64_t>;

struct Answer {
  Answer(Score its = {}, bool asks_for_something = true) : score(its), asks(asks_for_something) {}
  Score score;
  bool asks;  // false: a text without words, or parts that are nothing else
  bool operator==(const Answer&) const = default;
};

class Evaluator {
 public:
  explicit Evaluator(const Document& document) : document_(document) {}

  Answer of(const Clause& clause, Factor boost) const {
    return std::visit([&](const auto& node) { return Answer(node_of(node, boost)); }, clause.node);
  }

 private:
  static Score when(bool matches, std::uint64_t score = 0) { return matches ? Score(score) : std::nullopt; }
  static std::uint64_t scaled(std::uint64_t score, Factor boost) { return score * boost.units * Factor::kOne; }

  Score node_of(const All&, Factor) const { return 0; }
  Score node_of(const None&, Factor) const { return {}; }
  Answer node_of(const Words& words, Factor boost) const {
    std::size_t found = 0;
    std::uint64_t score = 0;
    const auto all = split(words.text);
    if (all.empty()) return {{}, false};
    for (const auto& word : all)
      if (has(document_.words, word)) ++found, score += worth(words.field, word);
    return {when(words.mode == Mode::kAnd ? found == all.size() : found > 0, scaled(score, boost))};
  }
  Score node_of(const Phrase& phrase, Factor boost) const {
    const std::uint64_t score = worth(phrase.field, phrase.text + document_.id);
    return when(score % 2 == 0, scaled(score, boost));
  }
  Score pattern(const std::string& field, const std::string& pattern, Factor boost) const {
    const bool tag = field == "tag";
    const auto& words = tag ? document_.tags : document_.words;
    const bool found = std::ranges::any_of(words, [&](const auto& word) { return like(word, pattern); });
    return when(found, tag ? 0 : scaled(7, boost));
  }
  Score node_of(const Prefix& prefix, Factor boost) const { return pattern(prefix.field, prefix.text + "*", boost); }
  Score node_of(const Wildcard& wildcard, Factor boost) const {
    return pattern(wildcard.field, wildcard.pattern, boost);
  }
  Score node_of(const Terms& terms, Factor boost) const {
    std::vector<Value> values = terms.values;  // a set
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    bool found = false;
    std::uint64_t score = 0;
    for (const Value& value : values) {
      if (terms.field == "year")
        found = found || std::ranges::find(document_.years, std::get<std::int64_t>(value)) != document_.years.end();
      if (terms.field == "tag") found = found || has(document_.tags, std::get<std::string>(value));
      if (terms.field == "title" && has(document_.words, std::get<std::string>(value)))
        found = true, score += worth("title", std::get<std::string>(value));
    }
    return when(found, scaled(score, boost));
  }
  Score node_of(const Weights&, Factor) const { return {}; }
  // Of the columns documents have years and tags.
  Score node_of(const Range& range, Factor) const {
    const auto is_in = [&](const auto& one) {
      const Value value(one);
      if (range.from && (value < range.from->value || (value == range.from->value && !range.from->inclusive)))
        return false;
      return !range.to || value < range.to->value || (value == range.to->value && range.to->inclusive);
    };
    if (range.field == "year") return when(std::ranges::any_of(document_.years, is_in));
    return when(range.field == "tag" && std::ranges::any_of(document_.tags, is_in));
  }
  Score node_of(const Exists& exists, Factor) const {
    if (exists.field == "year") return when(!document_.years.empty());
    return when(exists.field == "tag" && !document_.tags.empty());
  }
  Score node_of(const Ids& ids, Factor) const { return when(has(ids.ids, document_.id)); }
  // The answers of those that ask for something.
  std::vector<Score> all_of(const std::vector<Clause>& clauses, Factor boost) const {
    std::vector<Score> scores;
    for (const Clause& one : clauses)
      if (const Answer answer = of(one, boost); answer.asks) scores.push_back(answer.score);
    return scores;
  }
  static std::uint64_t sum(const std::vector<Score>& scores) {
    std::uint64_t sum = 0;
    for (const Score& one : scores) sum += one.value_or(0);
    return sum;
  }
  Answer node_of(const Bool& both, Factor boost) const {
    const auto must = all_of(both.must, boost), filter = all_of(both.filter, Factor());
    const auto should = all_of(both.should, boost), must_not = all_of(both.must_not, Factor());
    const bool required_left_out = must.size() + filter.size() < both.must.size() + both.filter.size();
    const bool optional_left_out = should.size() < both.should.size();
    const bool left_out = required_left_out || optional_left_out || must_not.size() < both.must_not.size();
    // So many of fewer are nothing, whatever is left out.
    if (both.minimum && both.minimum->kind == MinimumMatch::Kind::kCount && both.minimum->number > both.should.size())
      return {};
    if (left_out && must.empty() && filter.empty() && should.empty() && must_not.empty()) return {{}, false};
    const std::size_t usual = must.empty() && filter.empty() && !should.empty() ? 1 : 0;
    std::size_t needed = both.minimum ? matches_needed(*both.minimum, should.size()) : usual;
    if (optional_left_out) needed = std::min(needed, should.size());
    if (required_left_out && needed == 0) needed = usual;
    const auto is_match = [](const Score& one) { return one.has_value(); };
    const bool matches = std::ranges::all_of(must, is_match) && std::ranges::all_of(filter, is_match) &&
                         std::ranges::none_of(must_not, is_match);
    const auto optional = static_cast<std::size_t>(std::ranges::count_if(should, is_match));
    return {when(matches && optional >= needed, sum(must) + sum(should))};
  }
  Answer node_of(const Max& max, Factor boost) const {
    const auto scores = all_of(max.of, boost);
    if (scores.empty() && !max.of.empty()) return {{}, false};
    const auto best = std::ranges::max_element(scores);  // no match is the least
    if (best == scores.end() || !*best) return {};
    return {**best + (sum(scores) - **best) / Factor::kOne * max.tie_breaker.units};
  }
  Answer node_of(const Constant& constant, Factor boost) const {
    const Answer answer = of(constant.of.front(), Factor());
    const std::uint64_t score = scaled(1, product(constant.score, boost, kMaxConstantScore));
    return {when(answer.score.has_value(), score), answer.asks};
  }
  Answer node_of(const Boost& by, Factor boost) const { return of(by.of.front(), product(boost, by.by, kMaxBoost)); }

  const Document& document_;
};

std::vector<Document> some_documents(RandomClauses& random) {
  std::vector<Document> documents;
  const auto word = [&] {
    return std::string(1, static_cast<char>('a' + random.below(5))) + static_cast<char>('a' + random.below(3));
  };
  for (int i = 0; i < 12; ++i) {
    Document document{word(), {}, {}, {}};
    for (std::uint32_t n = random.below(7); n-- > 0;)
      document.words.push_back(word() + (random.below(2) == 0 ? "" : "x"));
    for (std::uint32_t n = random.below(3); n-- > 0;) document.tags.push_back(word());
    for (std::uint32_t n = random.below(3); n-- > 0;) document.years.push_back(2000 + random.below(6));
    documents.push_back(std::move(document));
  }
  return documents;
}

TEST(EveryClause, ComesBackFromItsJson) {
  for (std::uint32_t seed = 1; seed <= 3000; ++seed) {
    const Clause clause = RandomClauses(seed).clause(5);
    const auto again = parse_clause(clause_json(clause), "query");
    ASSERT_TRUE(again) << "seed " << seed << ": " << again.error().message();
    ASSERT_EQ(*again, clause) << "seed " << seed << ": " << clause_json(clause);
  }
}

TEST(EveryClause, HasANormalFormThatIsItsOwnNormalForm) {
  const auto schema = support::query_schema();
  for (std::uint32_t seed = 1; seed <= 20'000; ++seed) {
    const auto bound = bind(RandomClauses(seed).clause(5), schema, "query");
    ASSERT_TRUE(bound) << "seed " << seed << ": " << bound.error().message();
    const Clause normal = normal_form(*bound, schema);
    ASSERT_EQ(cache_key(normal_form(normal, schema)), cache_key(normal))
        << "seed " << seed << ": " << clause_json(*bound);
    const auto rebound = bind(normal, schema, "query");
    ASSERT_TRUE(rebound) << "seed " << seed;
    ASSERT_EQ(cache_key(*rebound), cache_key(normal)) << "seed " << seed;
    ASSERT_LE(cost_of(normal).clauses, 2 * cost_of(*bound).clauses + 1)
        << "seed " << seed << ": " << clause_json(*bound);
    ASSERT_FALSE(clause_text(normal, schema).empty());
  }
}

TEST(EveryClause, MatchesAndScoresAsItsNormalForm) {
  const auto schema = support::query_schema();
  for (std::uint32_t seed = 1; seed <= 8000; ++seed) {
    RandomClauses random(seed);
    const auto bound = bind(random.clause(1 + seed % 5), schema, "query");
    ASSERT_TRUE(bound);
    const Clause normal = normal_form(*bound, schema);
    for (const Document& document : some_documents(random))
      for (const Mode mode : {Mode::kAnd, Mode::kOr})
        ASSERT_EQ(Evaluator(document).of(resolved(normal, mode), Factor()),
                  Evaluator(document).of(resolved(*bound, mode), Factor()))
            << "seed " << seed << ": " << clause_json(*bound) << " became " << clause_json(normal);
  }
}

// All and nothing, words and columns, and texts without words, which are left out only when a collection is asked.
Clause few_kinds(RandomClauses& random, std::uint32_t depth) {
  const auto some = [&](std::uint32_t most) {
    std::vector<Clause> clauses(random.below(most + 1));
    for (Clause& one : clauses) one = few_kinds(random, depth - 1);
    return clauses;
  };
  const std::uint32_t kind = depth <= 1 ? random.below(5) : random.below(12);
  if (kind == 0) return {None()};
  if (kind == 1) return {All()};
  if (kind == 2) return {Words{"title", "", Mode::kOr}};
  if (kind == 3) return {Words{"title", "ab", Mode::kOr}};
  if (kind == 4) return {Terms{"tag", {"aa"}}};
  if (kind == 5) return {Max{some(3), {random.below(2) * 64}}};
  if (kind == 6) return {Constant{{few_kinds(random, depth - 1)}, {256}}};
  if (kind == 7) return {Boost{{few_kinds(random, depth - 1)}, {random.below(3) * 256}}};
  Bool both{some(2),
            some(3),
            random.below(2) == 0 ? some(2) : std::vector<Clause>(),
            random.below(2) == 0 ? some(2) : std::vector<Clause>(),
            {}};
  if (random.below(2) == 0) both.must.clear();
  if (random.below(2) == 0) both.minimum = MinimumMatch{MinimumMatch::Kind::kCount, random.below(4)};
  if (random.below(6) == 0) both.minimum = MinimumMatch{MinimumMatch::Kind::kPercent, random.below(5) * 25};
  if (random.below(6) == 0) both.minimum = MinimumMatch{MinimumMatch::Kind::kAllFirst, 0};
  return {std::move(both)};
}

TEST(EveryClause, LeavesOutTextsWithoutWordsAsItsNormalForm) {
  const auto schema = support::query_schema();
  text::Analyzer analyzer{text::AnalyzerConfig()};
  const std::vector<Document> documents = {
      {"1", {}, {}, {}}, {"2", {"ab"}, {}, {}}, {"3", {}, {"aa"}, {}}, {"4", {"ab"}, {"aa"}, {}}};
  for (std::uint32_t seed = 1; seed <= 200'000; ++seed) {
    RandomClauses random(seed);
    const Mode mode = seed % 8 < 4 ? Mode::kAnd : Mode::kOr;
    const Clause clause = few_kinds(random, 1 + seed % 4);
    const auto left = asked(clause, [&](const std::string&) -> text::Analyzer& { return analyzer; });
    ASSERT_EQ(left.has_value(), Evaluator(documents.front()).of(clause, Factor()).asks) << clause_json(clause);
    if (!left) continue;
    const Clause normal = normal_form(*left, schema);
    ASSERT_EQ(cache_key(normal_form(normal, schema)), cache_key(normal))
        << "seed " << seed << ": " << clause_json(clause);
    for (const Document& document : documents)
      ASSERT_EQ(Evaluator(document).of(resolved(normal, mode), Factor()).score,
                Evaluator(document).of(resolved(clause, mode), Factor()).score)
          << "seed " << seed << ", document " << document.id << ": " << clause_json(clause) << " became "
          << clause_json(normal);
  }
}

TEST(EveryText, IsAQueryThatBindsAndComesBackFromItsJson) {
  const auto schema = support::query_schema();
  for (std::uint32_t seed = 1; seed <= 20'000; ++seed) {
    RandomClauses random(seed);
    QueryOptions options;
    options.mode = static_cast<Mode>(random.below(3));
    options.syntax = static_cast<Syntax>(random.below(3));
    if (random.below(4) == 0) options.minimum = MinimumMatch{MinimumMatch::Kind::kCount, random.below(3)};
    if (random.below(4) == 0) options.default_fields = {{"title", Factor()}, {"note", Factor{512}}};
    const std::string q = random.text();
    const auto parsed = parse_query(q, schema, options);
    if (text::is_utf8(q) && !may_have_signs(q) && !options.minimum && options.default_fields.empty()) {
      ASSERT_EQ(parsed.clause, (Clause{Words{"", q, options.mode}})) << "seed " << seed << ": " << q;
      ASSERT_TRUE(parsed.notes.empty()) << q;
    }
    const auto bound = bind(parsed.clause, schema, "q");
    ASSERT_TRUE(bound) << "seed " << seed << ": " << q << ": " << bound.error().message();
    ASSERT_LE(cost_of(parsed.clause).depth, kMaxClauseDepth) << q;
    ASSERT_EQ(parse_clause(clause_json(parsed.clause), "q"), parsed.clause) << "seed " << seed << ": " << q;
    const Clause normal = normal_form(*bound, schema);
    ASSERT_EQ(cache_key(normal_form(normal, schema)), cache_key(normal)) << "seed " << seed << ": " << q;
    ASSERT_EQ(parsed.refused, options.syntax == Syntax::kStrict && !parsed.notes.empty());
    ASSERT_TRUE(options.syntax != Syntax::kPlain || parsed.notes.empty()) << q;
  }
}

// Texts that make a careless parser look at the same characters again and again, or nest its calls too deep.
TEST(EveryText, IsReadInTimeProportionalToItsLength) {
  const auto schema = support::query_schema();
  const auto time_of = [&](const std::string& piece, std::size_t bytes) {
    std::string q;
    while (q.size() < bytes) q += piece;
    const auto begin = std::chrono::steady_clock::now();
    const auto parsed = parse_query(q, schema, {});
    const auto taken = std::chrono::steady_clock::now() - begin;
    EXPECT_TRUE(bind(parsed.clause, schema, "q").has_value()) << piece;
    return taken;
  };
  for (const std::string piece :
       {"(",     ")",     "\"",     "\u201c", "a\" ", "[",  "year:[", "year:[1 TO ", "year:[\"1\" ", "title:(",
        "NOT ",  "a OR ", "a AND ", "+(",     "-\"",  "a^", "a~",     "wo*",         "\\",           "x:y ",
        "((a) ", "\"\" ", ">",      "title:", "AND ", "^1", "+",      "wo*^2 ",      "a@",           "-a"}) {
    const auto once = time_of(piece, 40'000);
    // Eight times as much; the square would be 64.
    EXPECT_LT(time_of(piece, 320'000), 20 * once + std::chrono::seconds(2)) << piece;
  }
}

}  // namespace
}  // namespace frond::query
