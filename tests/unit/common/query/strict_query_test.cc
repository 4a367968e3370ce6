// What strict queries are refused for, and what the other ones tell about the same.
#include <gtest/gtest.h>

#include "common/query/bind.h"
#include "common/query/json/clause_json.h"
#include "common/query/language/query_parser.h"
#include "common/query/limits.h"
#include "tests/support/query_schema.h"

namespace frond::query {
namespace {

ParsedQuery strict(std::string_view q) {
  QueryOptions options;
  options.syntax = Syntax::kStrict;
  return parse_query(q, support::query_schema(), options);
}

struct StrictCase {
  std::string q;
  std::size_t byte;
  std::string message;
};

TEST(StrictQuery, SaysWhereWhatIsWrongAndWhatWouldBeRight) {
  const StrictCase cases[] = {
      {"\"open", 0,
       "at character 1: found '\"open', expected a pair of quotation marks around a phrase; try \"\\\"open\""},
      {"a AND", 2, "at character 3: found 'AND', expected something on both sides of AND; try \\AND"},
      {"OR a", 0, "at character 1: found 'OR', expected something on both sides of OR; try \\OR"},
      {"x (a", 2, "at character 3: found '(', expected a parenthesis that closes this one; try (a)"},
      {"a)", 1, "at character 2: found ')', expected a parenthesis that is open; try \\)"},
      {"year:[2010 TO", 0,
       "at character 1: found 'year:[2010', expected a range as in field:[1 TO 5]; try year:[* TO *]"},
      {"nosuch:x AND y", 0,
       "at character 1: found 'nosuch:x', expected a field of the schema before ':'; try nosuch\\:x"},
      {"\u00e9 yaer:2010", 3,
       "at character 3: found 'yaer:2010', expected a field of the schema before ':'; try year:2010"},
      {"title:", 0, "at character 1: found 'title:', expected a value behind ':'; try title:*"},
      {"body:x", 0,
       "at character 1: found 'body:x', expected another field: 'body' has no field_search, so plain words only can "
       "find "
       "it; try body\\:x"},
      {"C++", 0, "at character 1: found 'C++', expected a sign before a word; try C\\+\\+"},
      {"a - b", 2, "at character 3: found '-', expected a word behind or before the sign; try \\-"},
      {"a && b", 2, "at character 3: found '&&', expected AND, OR or words; try AND"},
      {"*a", 0, "at character 1: found '*a', expected at least 2 characters before the first * or ?; try \\*a"},
      {"why?", 0, "at character 1: found 'why?', expected * or ? inside of a word, or * at its end; try why\\?"},
      {"word~1", 0, "at character 1: found 'word~1', expected ~ behind a phrase only; try word\\~1"},
      {"a^200", 0,
       "at character 1: found 'a^200', expected a boost from 0 to 100 behind a word that is no number; try a\\^200"},
      {"\"a b\"~500", 0, "at character 1: found '\"a b\"~500', expected a slop of at most 100"},
      {"year:soon", 0,
       "at character 1: found 'year:soon', expected a value of the integer column 'year': 'soon' is not an integer of "
       "64 "
       "bits; try year\\:soon"},
      {"title:[a TO b]", 0,
       "at character 1: found 'title:[a TO b]', expected no range: field 'title' is text, weights or boolean, over "
       "which "
       "there are no ranges; try title\\:\\[a TO b\\]"},
      {"note:\"a b\"", 0,
       "at character 1: found 'note:\"a b\"', expected words, since field 'note' has no positions, which phrases need"},
      {"+a OR b", 0, "at character 1: found '+', expected no + beside OR"},
      {"a ()", 2, "at character 3: found '(', expected something between the parentheses"},
      {"a\\", 1, "at character 2: found '\\', expected a character behind \\; try \\\\"},
  };
  for (const auto& [q, byte, message] : cases) {
    const auto parsed = strict(q);
    EXPECT_TRUE(parsed.refused) << q;
    ASSERT_FALSE(parsed.notes.empty()) << q;
    EXPECT_EQ(message_of(parsed.notes.front()), message) << q;
    EXPECT_EQ(parsed.notes.front().byte, byte) << q;
  }
}

TEST(StrictQuery, TakesWhatMakesSense) {
  for (const std::string q :
       {"hard links", "+a -b", "hard-links e-mail it's node.js AT&T", "title:(a OR b)^2", "year:[2010 TO *} wor*",
        "\"a b\"~3^2", "C\\+\\+", "Hello, world!", "x@y.org", "a, b; c.", "(a) (b)", "", "Re: x", "*:*"})
    EXPECT_FALSE(strict(q).refused) << q << ": " << message_of(strict(q).notes.front());
}

TEST(StrictQuery, TellsWhatWasTakenAsTextInOtherSyntaxesToo) {
  const auto parsed = parse_query("C++ yaer:1", support::query_schema(), {});
  EXPECT_FALSE(parsed.refused);
  ASSERT_EQ(parsed.notes.size(), 2u);
  EXPECT_EQ(parsed.notes[0].found, "C++");
  EXPECT_EQ(parsed.notes[1].nearest, "year:1");
}

TEST(StrictQuery, KeepsTheFirstNotesOnly) {
  std::string q;
  for (int i = 0; i < 1000; ++i) q += "x:y ";
  const auto parsed = strict(q);
  ASSERT_EQ(parsed.notes.size(), kMaxNotes);
  EXPECT_EQ(parsed.notes.back().byte, 4 * (kMaxNotes - 1));
}

TEST(StrictQuery, TakesParenthesesThatAreTooDeepAsText) {
  const std::string q = std::string(100'000, '(') + "a" + std::string(100'000, ')');
  const auto parsed = strict(q);
  EXPECT_TRUE(parsed.refused);
  EXPECT_TRUE(bind(parsed.clause, support::query_schema(), "q").has_value());
}

// The deepest clauses that the language can make still fit, and come back from their JSON.
TEST(StrictQuery, NestsAsDeepAsItsParenthesesMay) {
  QueryOptions options;
  options.syntax = Syntax::kStrict;
  options.default_fields = {{"title", Factor{512}}, {"note", Factor()}};
  std::string q = "z";
  for (std::size_t i = 0; i < kMaxParentheses; ++i) q = "q x OR a AND NOT NOT (" + q + ")^2";
  const auto parsed = parse_query(q, support::query_schema(), options);
  EXPECT_FALSE(parsed.refused);
  EXPECT_LE(cost_of(parsed.clause).depth, kMaxClauseDepth);
  EXPECT_GT(cost_of(parsed.clause).depth, 5 * kMaxParentheses);
  EXPECT_EQ(parse_clause(clause_json(parsed.clause), "q"), parsed.clause);
}

}  // namespace
}  // namespace frond::query
