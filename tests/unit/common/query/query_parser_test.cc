// The query language: what is written, and the JSON of what it means.
#include "common/query/language/query_parser.h"

#include <gtest/gtest.h>

#include "common/query/bind.h"
#include "common/query/json/clause_json.h"
#include "tests/support/query_schema.h"

namespace frond::query {
namespace {

struct ParserCase {
  std::string q, json;
};

QueryOptions with(Mode mode) {
  QueryOptions options;
  options.mode = mode;
  return options;
}
std::string json_of(std::string_view q, const QueryOptions& options = with(Mode::kOr)) {
  return clause_json(parse_query(q, support::query_schema(), options).clause);
}
// Words that are combined by `or`, and those that are all needed.
std::string any(const std::string& text) { return R"({"words":{"text":")" + text + R"(","mode":"or"}})"; }
std::string all(const std::string& text) { return R"({"words":{"text":")" + text + R"(","mode":"and"}})"; }
std::string title(const std::string& text, const std::string& mode = "and") {
  return R"({"words":{"field":"title","text":")" + text + R"(","mode":")" + mode + "\"}}";
}
std::string clauses(const std::vector<std::string>& all) {
  std::string text;
  for (const auto& one : all) text += (text.empty() ? "" : ",") + one;
  return "[" + text + "]";
}
std::string both(const std::string& members) { return R"({"bool":{)" + members + "}}"; }
std::string must(const std::vector<std::string>& all) { return "\"must\":" + clauses(all); }
std::string should(const std::vector<std::string>& all) { return "\"should\":" + clauses(all); }
std::string must_not(const std::vector<std::string>& all) { return "\"must_not\":" + clauses(all); }
std::string tag(const std::string& value) { return R"({"term":{"field":"tag","value":")" + value + "\"}}"; }
std::string boost(const std::string& of, const std::string& by) {
  return R"({"boost":{"of":)" + of + R"(,"by":)" + by + "}}";
}

void expect(const std::vector<ParserCase>& cases) {
  for (const auto& [q, json] : cases) {
    EXPECT_EQ(json_of(q), json) << q;
    // What is understood without a note is understood by strict queries in the same way.
    QueryOptions strict = with(Mode::kOr);
    strict.syntax = Syntax::kStrict;
    const auto parsed = parse_query(q, support::query_schema(), strict);
    EXPECT_EQ(parsed.refused, !parsed.notes.empty()) << q;
    EXPECT_EQ(clause_json(parsed.clause), json) << q;
  }
}

TEST(QueryLanguage, LeavesPlainWordsAsTheyWereTyped) {
  for (const std::string q : {"hard links",
                              "  hard  links ",
                              "",
                              "-",
                              "it's e-mail",
                              "C++ & C#",
                              "a:b",
                              "http://a.b/c?d=e*f&g=h",
                              "(draft",
                              "a) b",
                              "hard (links)",
                              "((a) b)",
                              "()",
                              "what is this?",
                              "3*4 2^10",
                              "12:30",
                              "std::vector<int>",
                              "node.js AT&T",
                              "and or not",
                              "x@y.org",
                              "-- - + ++",
                              "a AND",
                              "OR b",
                              "NOT",
                              "\u30c6\u30b9\u30c8 \u691c\u7d22",
                              "[draft]",
                              "5\" disk",
                              "~user",
                              "! x",
                              "C:\\temp\\new",
                              "**bold**",
                              "a* b",
                              "title:",
                              "body:x"})
    EXPECT_EQ(json_of(q), clause_json({Words{"", q, Mode::kOr}})) << q;
}

TEST(QueryLanguage, HasTheModeOfTheRequestForPlainWords) {
  EXPECT_EQ(json_of("a b", with(Mode::kAnd)), all("a b"));
  EXPECT_EQ(json_of("a b", with(Mode::kAuto)), R"({"words":{"text":"a b","mode":"auto"}})");
}

TEST(QueryLanguage, HasPhrases) {
  expect({
      {R"("hard links")", R"({"phrase":{"text":"hard links"}})"},
      {R"("hard links"~2)", R"({"phrase":{"text":"hard links","slop":2}})"},
      {R"("a b"~2^0.5)", boost(R"({"phrase":{"text":"a b","slop":2}})", "0.5")},
      {R"(title:"a phrase")", R"({"phrase":{"field":"title","text":"a phrase"}})"},
      {R"(tag:"Blue Sky")", tag("Blue Sky")},
      {"\u201ca b\u201d", R"({"phrase":{"text":"a b"}})"},
      {"\u201ea b\u201c", R"({"phrase":{"text":"a b"}})"},
      {"\u00aba b\u00bb", R"({"phrase":{"text":"a b"}})"},
      {"\uff02a b\uff02\uff5e2", R"({"phrase":{"text":"a b","slop":2}})"},
      {R"("say \"x\"")", R"({"phrase":{"text":"say \"x\""}})"},
      {R"(x "a b" y z)", both(should({any("x"), R"({"phrase":{"text":"a b"}})", any("y z")}))},
      // No phrase: one quotation mark, nothing inside, a field without positions.
      {R"("open)", R"({"words":{"text":"\"open","mode":"or"}})"},
      {R"(+x "" y)", both(must({all("x")}) + "," + should({any("y")}))},
      {R"(note:"a b" +x)", both(must({all("x")}) + "," + should({R"({"words":{"text":"note:\"a b\"","mode":"or"}})"}))},
  });
}

TEST(QueryLanguage, HasRequiredAndExcludedWords) {
  expect({
      {"+must -not other", both(must({all("must")}) + "," + should({any("other")}) + "," + must_not({all("not")}))},
      {"+a +b", both(must({all("a"), all("b")}))},
      {"-a", both(must_not({all("a")}))},
      {"a -b", both(must({any("a")}) + "," + must_not({all("b")}))},
      {"hard links -soft", both(must({any("hard links")}) + "," + must_not({all("soft")}))},
      {"-e-mail x", both(must({any("x")}) + "," + must_not({all("e-mail")}))},
      {"\uff0ba \uff0db", both(must({all("a")}) + "," + must_not({all("b")}))},
      {R"(-"a b" x)", both(must({any("x")}) + "," + must_not({R"({"phrase":{"text":"a b"}})"}))},
      {"-(a b) x", both(must({any("x")}) + "," + must_not({any("a b")}))},
      {"+a - b", both(must({all("a")}) + "," + should({any("b")}))},
      {"a+b -c", both(must({any("a+b")}) + "," + must_not({all("c")}))},
      {"+a -- b -c++ d", both(must({all("a")}) + "," + should({any("b"), any("d")}) + "," + must_not({all("c++")}))},
  });
}

TEST(QueryLanguage, CombinesOptionalPartsByMode) {
  const std::string q = R"(a b "c d" -e)";
  const std::string phrase = R"({"phrase":{"text":"c d"}})";
  EXPECT_EQ(json_of(q, with(Mode::kAnd)), both(must({all("a b"), phrase}) + "," + must_not({all("e")})));
  EXPECT_EQ(json_of(q, with(Mode::kOr)), both(should({any("a b"), phrase}) + "," + must_not({all("e")})));
  EXPECT_EQ(json_of(q, with(Mode::kAuto)), both(should({R"({"words":{"text":"a b","mode":"auto"}})", phrase}) + "," +
                                                must_not({all("e")}) + R"(,"minimum_should_match":"auto")"));
  // Beside what is required, the others only add to the score.
  EXPECT_EQ(json_of("+x a b", with(Mode::kAnd)), both(must({all("x")}) + "," + should({any("a b")})));
}

TEST(QueryLanguage, BindsAndTighterThanOr) {
  expect({
      {"a AND b", both(must({all("a"), all("b")}))},
      {"a OR b", both(should({all("a"), all("b")}))},
      {"NOT a", both(must_not({all("a")}))},
      {"a AND NOT b", both(must({all("a")}) + "," + must_not({all("b")}))},
      {"a OR NOT b", both(should({all("a"), both(must_not({all("b")}))}))},
      {"a OR b AND c", both(should({all("a"), both(must({all("b"), all("c")}))}))},
      {"a AND b OR c", both(should({both(must({all("a"), all("b")})), all("c")}))},
      {"(a OR b) AND c", both(must({both(should({all("a"), all("b")})), all("c")}))},
      {"a OR b c", both(should({both(should({all("a"), all("b")})), any("c")}))},
      {"c a OR b", both(should({any("c"), both(should({all("a"), all("b")}))}))},
      {"a b AND c d", both(should({any("a"), both(must({all("b"), all("c")})), any("d")}))},
      {"NOT a b", both(must({any("b")}) + "," + must_not({all("a")}))},
      {"NOT (a b)", both(must_not({any("a b")}))},
      {"NOT NOT a", R"({"bool":{"filter":[)" + all("a") + "]}}"},
      {"-NOT a", both(must({any("a")}) + "," + must_not({all("NOT")}))},
      {"+a AND b", both(must({both(must({all("a"), all("b")}))}))},
      {"+a AND b c", both(must({both(must({all("a"), all("b")}))}) + "," + should({any("c")}))},
      {"a AND -b", both(must({all("a")}) + "," + must_not({all("b")}))},
      {"(a b) OR c", both(should({any("a b"), all("c")}))},
      {"a , OR . b", both(should({all("a"), all("b")}))},
      // No neighbour: text.
      {"a AND b AND", both(should({both(must({all("a"), all("b")})), any("AND")}))},
      {"a OR OR b", both(should({any("a"), both(should({all("OR"), all("b")}))}))},
      {"NOT AND b", both(must({all("NOT"), all("b")}))},
      {"+a OR b", both(should({all("a"), all("b")}))},
  });
  EXPECT_EQ(json_of("a OR b c", with(Mode::kAnd)), both(must({both(should({all("a"), all("b")})), all("c")})));
}

TEST(QueryLanguage, KnowsTheFieldsOfTheSchemaOnly) {
  expect({
      {"title:word", title("word")},
      {"title:hard-links", title("hard-links")},
      {"title:(a b)", title("a b", "or")},
      {"title:(a AND -b)", both(must({title("a")}) + "," + must_not({title("b")}))},
      {R"(title:("a b" c*))",
       both(R"("should":[{"phrase":{"field":"title","text":"a b"}},)" + title("c*", "or") + "]")},
      {"title:(a tag:x)", both(should({title("a", "or"), tag("x")}))},
      {"+title:a +nosuch:b", both(must({title("a"), all("nosuch:b")}))},
      {"nosuch:x AND y", both(must({all("nosuch:x"), all("y")}))},
      {"title\uff1aa", title("a")},
      {"title:a^2", boost(title("a"), "2.0")},
      {"title:(a b)^2", boost(title("a b", "or"), "2.0")},
      {"title\\:a -b", both(must({any("title:a")}) + "," + must_not({all("b")}))},
      {"title:* tag:*", both(R"("should":[{"exists":{"field":"title"}},{"exists":{"field":"tag"}}])")},
  });
}

TEST(QueryLanguage, HasValuesOfColumns) {
  const auto range = [](const std::string& members) { return R"({"range":{"field":"year",)" + members + "}}"; };
  expect({
      {"year:2010", R"({"term":{"field":"year","value":"2010"}})"},
      {"year:-5", R"({"term":{"field":"year","value":"-5"}})"},
      {"year:[2010 TO 2020]", range(R"("gte":"2010","lte":"2020")")},
      {"year:{2010 TO *}", range(R"("gt":"2010")")},
      {"year:[* TO 2020}", range(R"("lt":"2020")")},
      {"year:[ 1  TO 2 ]", range(R"("gte":"1","lte":"2")")},
      {"year:>=2010", range(R"("gte":"2010")")},
      {"year:>2010", range(R"("gt":"2010")")},
      {"year:<=2010", range(R"("lte":"2010")")},
      {"year:<2010", range(R"("lt":"2010")")},
      {"year:(>=1 AND <5)", both(must({range(R"("gte":"1")"), range(R"("lt":"5")")}))},
      {"year:([1 TO 2] OR 7)",
       both(should({range(R"("gte":"1","lte":"2")"), R"({"term":{"field":"year","value":"7"}})"}))},
      {"year:[* TO *]", R"({"exists":{"field":"year"}})"},
      {"tag:(red OR caf\u00e9)", both(should({tag("red"), tag("caf\u00e9")}))},
      {"tag:*", R"({"exists":{"field":"tag"}})"},
      {"tag:re*", R"({"prefix":{"field":"tag","value":"re"}})"},
      {"tag:x/y", tag("x/y")},
      {R"(tag:Blue\ Sky)", tag("Blue Sky")},
      {R"(tag:["a b" TO c])", R"({"range":{"field":"tag","gte":"a b","lte":"c"}})"},
      {"open:true", R"({"term":{"field":"open","value":"true"}})"},
      {"published:2020-01-01T10:00:00Z", R"({"term":{"field":"published","value":"2020-01-01T10:00:00Z"}})"},
      {"published:[2020-01 TO 2021]", R"({"range":{"field":"published","gte":"2020-01","lte":"2021"}})"},
      // Not values of the column, or no range there.
      {"year:soon -x", both(must({any("year:soon")}) + "," + must_not({all("x")}))},
      {"year:[2010 TO -x", both(must({any("year:[2010 TO")}) + "," + must_not({all("x")}))},
      {"open:>false -x", both(must({any("open:>false")}) + "," + must_not({all("x")}))},
      {"title:[a TO b] -x", both(must({any("title:[a TO b]")}) + "," + must_not({all("x")}))},
  });
}

TEST(QueryLanguage, HasPatterns) {
  expect({
      {"wor*", R"({"prefix":{"value":"wor"}})"},
      {"wo?d", R"({"wildcard":{"value":"wo?d"}})"},
      {"wo*d", R"({"wildcard":{"value":"wo*d"}})"},
      {"wor*^2", boost(R"({"prefix":{"value":"wor"}})", "2.0")},
      {"title:wo?", R"({"wildcard":{"field":"title","value":"wo?"}})"},
      {"wor\uff0a", R"({"prefix":{"value":"wor"}})"},
      {R"(wo\*r*)", R"({"prefix":{"value":"wo*r"}})"},
      {R"(wo\*r)", any("wo*r")},
      {"\u65e5\u672c*", R"({"prefix":{"value":"日本"}})"},
      {"w?rd", any("w?rd")},  // one character before the ?
      {"*:*", R"({"all":{}})"},
      {" * ", R"({"all":{}})"},
      {"*:* -x", both(must({R"({"all":{}})"}) + "," + must_not({all("x")}))},
      {"+x a?b=c/d wo**", both(must({all("x")}) + "," + should({any("a?b=c/d wo**")}))},
  });
}

TEST(QueryLanguage, HasBoosts) {
  expect({
      {"word^2.5", boost(all("word"), "2.5")},
      {"(a b)^2 c", both(should({boost(any("a b"), "2.0"), any("c")}))},
      {"word^0", boost(all("word"), "0.0")},
      {"word^100", boost(all("word"), "100.0")},
      {"word^0.3", boost(all("word"), "0.30078125")},
      {"word^101 -x", both(must({any("word^101")}) + "," + must_not({all("x")}))},
      {"word^ -x", both(must({any("word^")}) + "," + must_not({all("x")}))},
      {"word^2e1 -x", both(must({any("word^2e1")}) + "," + must_not({all("x")}))},
      {"2^10 -x", both(must({any("2^10")}) + "," + must_not({all("x")}))},
      {"word\uff3e2", boost(all("word"), "2.0")},
  });
}

TEST(QueryLanguage, TakesAnEscapedSignAsText) {
  expect({
      {R"(C\+\+)", any("C++")},
      {R"(\-a b)", any("-a b")},
      {R"(a \AND b)", R"({"words":{"text":"a \\AND b","mode":"or"}})"},
      {R"(\(a\))", any("(a)")},
      {R"(a\\b)", R"({"words":{"text":"a\\b","mode":"or"}})"},
      {R"(\"a b\" +x)", both(must({all("x")}) + "," + should({R"({"words":{"text":"\"a b\"","mode":"or"}})"}))},
  });
}

TEST(QueryLanguage, MayHaveADefaultField) {
  QueryOptions options = with(Mode::kAnd);
  options.default_fields = {{"title", Factor()}};
  EXPECT_EQ(json_of("a b", options), title("a b"));
  EXPECT_EQ(json_of("a -wo*", options),
            both(must({title("a")}) + "," + must_not({R"({"prefix":{"field":"title","value":"wo"}})"})));
  options.default_fields = {{"title", Factor{512}}, {"note", Factor()}};
  const auto best = [](const std::string& word) {
    return R"({"max":{"of":[)" + boost(title(word), "2.0") + R"(,{"words":{"field":"note","text":")" + word +
           R"(","mode":"and"}}]}})";
  };
  EXPECT_EQ(json_of("a b", options), both(must({best("a"), best("b")})));
  EXPECT_EQ(json_of(" - ", options), best(" - "));  // nothing, and not everything
}

TEST(QueryLanguage, CountsOptionalPartsForAMinimum) {
  QueryOptions options = with(Mode::kAuto);
  options.minimum = minimum_match_of("2");
  const std::string two = R"(,"minimum_should_match":2)";
  EXPECT_EQ(json_of("a b c", options), both(should({all("a"), all("b"), all("c")}) + two));
  EXPECT_EQ(json_of("+x a b-c d", options),
            both(must({all("x")}) + "," + should({all("a"), all("b-c"), all("d")}) + two));
  EXPECT_EQ(json_of("a OR b OR c", options), both(should({all("a"), all("b"), all("c")}) + two));
  options.minimum = minimum_match_of("75%");
  EXPECT_EQ(json_of("a \"b c\"", options),
            both(should({all("a"), R"({"phrase":{"text":"b c"}})"}) + R"(,"minimum_should_match":"75%")"));
}

TEST(QueryLanguage, TakesEverythingAsWordsIfItIsAskedTo) {
  QueryOptions options = with(Mode::kOr);
  options.syntax = Syntax::kPlain;
  for (const std::string q : {"+a -b", "title:x", "a AND b", "(a", "wor*", "a^2"})
    EXPECT_EQ(json_of(q, options), any(q)) << q;
  options.minimum = minimum_match_of("1");
  EXPECT_EQ(json_of("+a title:b", options), both(should({all("+a"), all("title:b")}) + R"(,"minimum_should_match":1)"));
}

TEST(QueryLanguage, HasNoFieldsAndPhrasesWithoutASchema) {
  const auto parsed = parse_query("title:x \"a b\" year:[1 TO 2]", {}, with(Mode::kOr));
  EXPECT_EQ(parsed.clause, (Clause{Words{"", "title:x \"a b\" year:[1 TO 2]", Mode::kOr}}));
  EXPECT_EQ(clause_json(parse_query("+a -b", {}, with(Mode::kOr)).clause),
            both(must({all("a")}) + "," + must_not({all("b")})));
}

}  // namespace
}  // namespace frond::query
