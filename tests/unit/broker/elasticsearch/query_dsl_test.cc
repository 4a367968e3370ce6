// The query DSL as clauses.
#include "broker/elasticsearch/queries/query_dsl.h"

#include <gtest/gtest.h>

#include "broker/elasticsearch/queries/range_ends.h"
#include "common/query/json/clause_json.h"

namespace frond::broker::elasticsearch {
namespace {

const Mapping& mapping() {
  static const Mapping made =
      *read_mapping(nullptr, {{"properties", Json::parse(R"({"title":{"type":"text"},"body":{"type":"text"},
      "tag":{"type":"keyword"},"n":{"type":"integer"},"r":{"type":"float"},"d":{"type":"date"},"b":{"type":"boolean"},
      "o":{"properties":{"k":{"type":"keyword"}}}})")}});
  return made;
}

struct Reading {
  Statistics statistics;
  text::Analyzer analyzer{mapping().analyzer, 0};
  QueryScope scope{.mapping = mapping(), .index = "i", .analyzer = analyzer, .statistics = statistics};
};

std::string clause_of(const char* query, bool scored = true) {
  Reading reading;
  const auto read = QueryReader(reading.scope).read(Json::parse(query), 1, scored);
  return read ? query::clause_json(*read) : std::to_string(read.error().status) + " " + read.error().reason;
}

TEST(AQuery, IsReadWholeAlsoWhereItIsNotScored) {
  const char* const wrong =
      R"({"boosting":{"positive":{"match_all":{}},"negative":{"nosuch":{}},"negative_boost":0.2}})";
  for (const bool scored : {true, false}) EXPECT_EQ(clause_of(wrong, scored).substr(0, 3), "400");
  EXPECT_EQ(
      clause_of(
          R"({"boosting":{"positive":{"match_all":{}},"negative":{"exists":{"field":"n"}},"negative_boost":0.2}})",
          false),
      R"({"all":{}})");
  EXPECT_EQ(
      clause_of(R"({"dis_max":{"queries":[{"match":{"title":"a"}},{"match":{"body":"a"}}],"tie_breaker":"0.5"}})"),
      clause_of(R"({"dis_max":{"queries":[{"match":{"title":"a"}},{"match":{"body":"a"}}],"tie_breaker":0.5}})"));
  EXPECT_EQ(clause_of(R"({"dis_max":{"queries":[{"match_all":{}}],"tie_breaker":"x"}})").substr(0, 3), "400");
}

TEST(AQuery, OfTextIsItsTerms) {
  EXPECT_EQ(
      clause_of(R"({"match":{"title":"Red FOX"}})"),
      R"({"bool":{"should":[{"term":{"field":"title","value":"red"}},{"term":{"field":"title","value":"fox"}}]}})");
  EXPECT_EQ(
      clause_of(R"({"match":{"title":{"query":"red fox","operator":"and","boost":2}}})"),
      R"({"bool":{"must":[{"boost":{"of":{"term":{"field":"title","value":"red"}},"by":2.0}},{"boost":{"of":{"term":{"field":"title","value":"fox"}},"by":2.0}}]}})");
  EXPECT_EQ(clause_of(R"({"match_phrase":{"title":"red fox"}})"), R"({"phrase":{"field":"title","text":"red fox"}})");
  EXPECT_EQ(clause_of(R"({"match":{"nosuch":"x"}})"), R"({"none":{}})");
}

TEST(AQuery, OfValuesScoresAConstant) {
  EXPECT_EQ(clause_of(R"({"term":{"n":5}})"), R"({"constant":{"of":{"term":{"field":"n","value":5}},"score":1.0}})");
  EXPECT_EQ(clause_of(R"({"term":{"n":5.5}})"), R"({"none":{}})");
  EXPECT_EQ(clause_of(R"({"range":{"n":{"gte":2.5,"lt":7}}})", false), R"({"range":{"field":"n","gte":3,"lt":7}})");
  EXPECT_EQ(clause_of(R"({"range":{"d":{"lte":"2023-01-31"}}})", false),
            R"({"range":{"field":"d","lte":1675209599999}})");
  EXPECT_EQ(clause_of(R"({"exists":{"field":"o"}})", false), R"({"exists":{"field":"o.k"}})");
  EXPECT_EQ(clause_of(R"({"range":{"n":{"gte":"abc"}}})").substr(0, 3), "400");
}

TEST(ARange, HasTheEndOfEachSideThatCountsInTheOrderOfTheBody) {
  const auto of = [](const std::string& bounds) {
    const auto body = parse_with_queries(R"({"query":{"bool":{"filter":[{"range":{"n":)" + bounds + "}}]}}}");
    EXPECT_TRUE(body) << bounds;
    return body ? clause_of((*body)["query"]["bool"]["filter"][0].dump().c_str(), false) : "";
  };
  const std::string in = R"({"range":{"field":"n","gte":5}})", out = R"({"range":{"field":"n","gt":5}})";
  for (const char* const text :
       {R"({"gt":3,"gte":5})", R"({"include_lower":false,"gte":5})", R"({"gt":5,"include_lower":true})",
        R"({"gt":[1],"gte":5})", R"({"gte":1,"from":5})", R"({"from":5})", R"({"gt":1,"from":2,"gte":5})"})
    EXPECT_EQ(of(text), in) << text;
  for (const char* const text :
       {R"({"gte":3,"gt":5})", R"({"gte":5,"include_lower":false})", R"({"gt":1,"from":5})",
        R"({"from":5,"include_lower":false})", R"({"include_lower":false,"from":5})", R"({"gte":"x","gt":5})",
        R"({"gte":5,"include_lower":"false"})", R"({"include_lower":true,"gt":5})"})
    EXPECT_EQ(of(text), out) << text;
  EXPECT_EQ(of(R"({"lt":9,"lte":7,"gt":1})"), R"({"range":{"field":"n","gt":1,"lte":7}})");
  EXPECT_EQ(of(R"({"to":9,"lte":9,"include_upper":false})"), R"({"range":{"field":"n","lt":9}})");
  EXPECT_EQ(of(R"({"gt":5,"gte":null})"), R"({"exists":{"field":"n"}})");
  EXPECT_EQ(of(R"({"from":5,"include_lower":3})").substr(0, 3), "400");
  // Members of those names elsewhere are left.
  const char* const other = R"({"script":{"gt":1,"gte":2},"range":{"n":[{"gt":1,"gte":2}],"gt":1,"gte":2}})";
  EXPECT_EQ(*parse_with_queries(other), Json::parse(other));
}

TEST(AQuery, OfAKeywordOrABooleanScoresItsIdfOnceItIsKnown) {
  for (const char* const text : {R"({"term":{"tag":"x"}})", R"({"term":{"b":false}})"}) {
    Reading reading;
    const Json query = Json::parse(text);
    ASSERT_TRUE(QueryReader(reading.scope).read(query));
    const auto missing = reading.statistics.missing();
    ASSERT_EQ(missing.size(), 3u) << text;  // with the value, with any, and all values
    for (const auto& key : missing) reading.statistics.set(key, key.second ? 10 : 1000);
    reading.scope.scale = 32;
    const auto read = QueryReader(reading.scope).read(query);
    ASSERT_TRUE(read);
    EXPECT_NEAR(read->as<query::Constant>()->score.value() / 32, idf(1000, 10), 1e-4) << text;
  }
}

TEST(AQuery, OfAFuzzyWordIsThatOfTheWordsLikeItAsFrequentAsTheMostFrequent) {
  for (const char* const text : {R"({"fuzzy":{"title":{"value":"calender"}}})",
                                 R"({"match":{"title":{"query":"Calender","fuzziness":"AUTO"}}})"}) {
    Reading reading;
    const Json query = Json::parse(text);
    ASSERT_TRUE(QueryReader(reading.scope).read(query));
    const auto near = reading.statistics.missing_near();
    ASSERT_EQ(near.size(), 1u);
    EXPECT_EQ(near[0], (query::NearWord{.field = "title", .word = "calender", .same_letters = 0, .most = 50}));
    reading.statistics.set_near(near[0], {0, {{"calendar", 100, 1}, {"calends", 1, 2}}});
    EXPECT_TRUE(reading.statistics.missing_near().empty());
    ASSERT_TRUE(QueryReader(reading.scope).read(query));
    for (const auto& key : reading.statistics.missing()) reading.statistics.set(key, 1000);
    reading.scope.scale = 32;
    const auto read = QueryReader(reading.scope).read(query);
    ASSERT_TRUE(read) << read.error().reason;
    const auto& any = read->as<query::Bool>()->should;
    ASSERT_EQ(any.size(), 2u);
    EXPECT_NEAR(any[0].as<query::Boost>()->by.value() / 32, 0.875, 1e-4);
    EXPECT_NEAR(any[1].as<query::Boost>()->by.value() / 32, (1 - 2 / 7.0) * idf(1000, 100) / idf(1000, 1), 1e-4);
  }
  EXPECT_EQ(clause_of(R"({"match":{"title":{"query":"ox","fuzziness":"AUTO"}}})"),
            R"({"term":{"field":"title","value":"ox"}})");
  EXPECT_EQ(
      clause_of(R"({"multi_match":{"query":"fox","fields":["title"],"type":"phrase","fuzziness":1}})").substr(0, 3),
      "400");
}

TEST(AFuzziness, IsANumberOrTwoLengthsAlsoWhereNoWordIsFuzzy) {
  const auto of = [](const Json& fuzziness, const Json& query) {
    Json with = query;
    with.front().front()["fuzziness"] = fuzziness;
    return clause_of(with.dump().c_str()).substr(0, 3);
  };
  const Json queries[] = {{{"fuzzy", {{"x", {{"value", "a"}}}}}}, {{"match", {{"x", {{"query", "a"}}}}}}};
  for (const Json& query : queries) {
    for (const Json& right :
         {Json("AUTO"), Json("auto:1,4"), Json("AUTO:0,0"), Json(0), Json(1.5), Json("3"), Json(" 1")})
      EXPECT_NE(of(right, query), "400") << right;
    for (const Json& wrong :
         {Json("x"), Json("1x"), Json(""), Json("AUTO:"), Json("AUTO:3"), Json("AUTO:3,6,9"), Json("AUTO:3, 6"),
          Json("AUTO:6,3"), Json(-0.5), Json("NaN"), Json(true), Json(), Json::array()})
      EXPECT_EQ(of(wrong, query), "400") << wrong;
  }
  EXPECT_EQ(clause_of(R"({"query_string":{"query":"n:5","fuzziness":"x"}})"), "400 Invalid fuzziness value: x");
}

TEST(AQuery, OfAPhrasePrefixScoresAllEndingsAndTakesTheFirst) {
  const auto read_with = [](const char* text, const query::NearTerms& endings, Reading& reading) {
    const Json query = Json::parse(text);
    EXPECT_TRUE(QueryReader(reading.scope).read(query));
    const auto near = reading.statistics.missing_near();
    EXPECT_EQ(near.size(), 1u) << text;
    reading.statistics.set_near(near.at(0), endings);
    EXPECT_TRUE(QueryReader(reading.scope).read(query));
    for (const auto& key : reading.statistics.missing()) reading.statistics.set(key, key.second ? 100 : 1000);
    return QueryReader(reading.scope).read(query);
  };
  Reading all, cut, alone;
  const auto phrase =
      read_with(R"({"match_phrase_prefix":{"title":"red fo"}})", {0, {{"fog", 10, 1}, {"fox", 40, 1}}}, all);
  ASSERT_TRUE(phrase);
  const double red = idf(1000, 100), fog = idf(1000, 10), fox = idf(1000, 40);
  EXPECT_NEAR(phrase->as<query::Boost>()->by.value(), (red + fog + fox) / (red + fox), 1.0 / 256);
  const auto first = read_with(R"({"match_phrase_prefix":{"title":{"query":"red fo","max_expansions":1}}})",
                               {0, {{"fog", 10, 1}, {"fox", 40, 1}}}, cut);
  ASSERT_TRUE(first);
  EXPECT_EQ(query::clause_json(*first), R"({"phrase":{"field":"title","text":"red fog"}})");
  const auto terms = read_with(R"({"match_phrase_prefix":{"title":"fo"}})", {5, {{"fog", 10, 1}}}, alone);
  ASSERT_TRUE(terms);
  EXPECT_EQ(
      query::clause_json(*terms),
      R"({"bool":{"should":[{"term":{"field":"title","value":"fo"}},{"term":{"field":"title","value":"fog"}}]}})");
}

TEST(AQuery, OfAPhrasePrefixOfOneLetterIsEachOfItsEndings) {
  Reading reading;
  const Json query = {{"match_phrase_prefix", {{"title", "to p"}}}};
  ASSERT_TRUE(QueryReader(reading.scope).read(query, 1, false));
  reading.statistics.set_near(reading.statistics.missing_near().at(0), {0, {{"park", 1, 1}, {"past", 1, 1}}});
  const auto read = QueryReader(reading.scope).read(query, 1, false);
  ASSERT_TRUE(read);
  EXPECT_EQ(query::clause_json(*read), R"({"bool":{"should":[{"phrase":{"field":"title","text":"to park"}},)"
                                       R"({"phrase":{"field":"title","text":"to past"}}]}})");
}

TEST(AQuery, OfARangeOfBooleansIsTheValuesInIt) {
  EXPECT_EQ(clause_of(R"({"range":{"b":{"gte":true}}})", false), R"({"term":{"field":"b","value":true}})");
  EXPECT_EQ(clause_of(R"({"range":{"b":{"from":"false","to":"true","include_upper":false}}})", false),
            R"({"term":{"field":"b","value":false}})");
  EXPECT_EQ(clause_of(R"({"range":{"b":{"gt":true}}})", false), R"({"none":{}})");
  EXPECT_EQ(clause_of(R"({"range":{"b":{"gte":1}}})", false).substr(0, 3), "400");
}

TEST(AQuery, OfARangeOfTextLooksAtTheTermsThatBeginAsItsEndsDo) {
  const Json query = {{"range", {{"title", {{"gt", "rid"}, {"lte", "river"}}}}}};
  Reading reading, many;
  ASSERT_TRUE(QueryReader(reading.scope).read(query, 1, false));
  const auto near = reading.statistics.missing_near();
  ASSERT_EQ(near.size(), 1u);
  EXPECT_EQ(near[0], (query::NearWord{.field = "title", .word = "ri", .edits = query::kAnyEnding, .most = 256}));
  reading.statistics.set_near(near[0], {0, {{"rid", 1, 1}, {"ride", 1, 1}, {"river", 1, 1}, {"rivers", 1, 1}}});
  const auto read = QueryReader(reading.scope).read(query, 1, false);
  ASSERT_TRUE(read);
  EXPECT_EQ(query::clause_json(*read), R"({"terms":{"field":"title","values":["ride","river"]}})");
  ASSERT_TRUE(QueryReader(many.scope).read(query, 1, false));
  many.statistics.set_near(near[0], {0, std::vector<query::NearTerm>(query::kMaxNearTerms, {"ride", 1, 1})});
  EXPECT_EQ(QueryReader(many.scope).read(query, 1, false).error().status, 501);
}

TEST(AQuery, OfARegularExpressionOfTextLooksAtTheTermsThatBeginSo) {
  for (const char* const text :
       {R"({"regexp":{"title":"ri[vb]e*r"}})", R"({"query_string":{"query":"title:/ri[vb]e*r/"}})"}) {
    Reading reading;
    const Json query = Json::parse(text);
    ASSERT_TRUE(QueryReader(reading.scope).read(query));
    const auto near = reading.statistics.missing_near();
    ASSERT_EQ(near.size(), 1u);
    EXPECT_EQ(near[0], (query::NearWord{.field = "title", .word = "ri", .edits = query::kAnyEnding, .most = 256}));
    reading.statistics.set_near(near[0], {0, {{"ride", 1, 1}, {"river", 1, 1}, {"rivers", 1, 1}}});
    const auto read = QueryReader(reading.scope).read(query);
    ASSERT_TRUE(read);
    EXPECT_EQ(query::clause_json(*read),
              R"({"constant":{"of":{"term":{"field":"title","value":"river"}},"score":1.0}})");
  }
  // The letter before a sign may be missing, and a choice has no beginning.
  for (const char* const pattern : {"ab*c", "ab|cd"}) {
    Reading reading;
    ASSERT_TRUE(QueryReader(reading.scope).read({{"regexp", {{"title", pattern}}}}));
    EXPECT_EQ(reading.statistics.missing_near().at(0).word, pattern[2] == '*' ? "a" : "");
  }
}

TEST(AQuery, OfQueriesKeepsWhatCountsAndWhatOnlyMatches) {
  EXPECT_EQ(
      clause_of(
          R"({"bool":{"must":{"match":{"title":"a"}},"filter":[{"term":{"tag":"x"}}],"must_not":[{"exists":{"field":"n"}}]}})"),
      R"({"bool":{"must":[{"term":{"field":"title","value":"a"}}],"must_not":[{"exists":{"field":"n"}}],"filter":[{"term":{"field":"tag","value":"x"}}]}})");
  EXPECT_EQ(
      clause_of(R"({"dis_max":{"queries":[{"match":{"title":"a"}},{"match":{"body":"a"}}],"tie_breaker":0.5}})"),
      R"({"max":{"of":[{"term":{"field":"title","value":"a"}},{"term":{"field":"body","value":"a"}}],"tie_breaker":0.5}})");
  EXPECT_EQ(clause_of(R"({"bool":{"should":[{"match":{"title":"a"}}],"minimum_should_match":2}})"), R"({"none":{}})");
  EXPECT_EQ(clause_of(R"({"bool":{"must":{"match_all":{}},"should":[],"minimum_should_match":1}})"), R"({"none":{}})");
  EXPECT_EQ(clause_of(R"({"bool":{"must_not":[{"exists":{"field":"n"}}],"minimum_should_match":1}})", false),
            R"({"bool":{"must_not":[{"exists":{"field":"n"}}]}})")
      << "where all that there is excludes, it says nothing";
}

TEST(AQuery, OfSignsIsReadAsLuceneDoes) {
  const auto same = [](const char* text, const char* query) {
    EXPECT_EQ(clause_of(("{\"query_string\":" + Json{{"query", text}, {"fields", {"title"}}}.dump() + "}").c_str()),
              clause_of(query))
        << text;
  };
  same("a AND b", R"({"bool":{"must":[{"match":{"title":"a"}},{"match":{"title":"b"}}]}})");
  same("+a -tag:x", R"({"bool":{"must":[{"match":{"title":"a"}}],"must_not":[{"term":{"tag":"x"}}]}})");
  same("n:>=5", R"({"range":{"n":{"gte":5}}})");
  same("n:{1 TO *}", R"({"range":{"n":{"gt":1}}})");
  same("\"red fox\"", R"({"match_phrase":{"title":"red fox"}})");
  same("_exists_:n", R"({"exists":{"field":"n"}})");
  same("fo*", R"({"prefix":{"title":"fo"}})");
  same("title:(a OR b)", R"({"match":{"title":"a b"}})");
  EXPECT_EQ(clause_of(R"({"query_string":{"query":"title:(a"}})").substr(0, 3), "400");
  EXPECT_EQ(clause_of(R"({"query_string":{"query":"a","fields":"title"}})").substr(0, 3), "400");
  EXPECT_EQ(clause_of(R"({"query_string":{"query":"a","fields":["title"],"default_field":"body"}})").substr(0, 3),
            "400");
  EXPECT_EQ(clause_of(R"({"query_string":{"query":">=5","default_field":"n"}})"),
            clause_of(R"({"query_string":{"query":"n:>=5"}})"));
  same("a~0.5", R"({"match":{"title":"a"}})");
  same("b AND -(n:[\"1\" TO 5})",
       R"({"bool":{"must":[{"match":{"title":"b"}}],"must_not":[{"range":{"n":{"gte":1,"lt":5}}}]}})");
  for (const char* const wrong : {"()", "a AND OR b", "a NOT NOT b", "ti*:x", "n:[1 2 TO 3]", "a~x"})
    EXPECT_EQ(clause_of(Json{{"query_string", {{"query", wrong}}}}.dump().c_str()).substr(0, 3), "400") << wrong;
  EXPECT_EQ(clause_of(R"({"term":{"title":{"value":"Red","case_insensitive":true}}})"),
            R"({"constant":{"of":{"term":{"field":"title","value":"red"}},"score":1.0}})");
}

TEST(AQueryString, WritesPatternsAndEndsOfRangesAsItsAnalyzerDoes) {
  const auto of = [](const char* text, const char* analyzer, const char* query = "query_string") {
    return clause_of(Json{{query, {{"query", text}, {"fields", {"title"}}, {"analyzer", analyzer}}}}.dump().c_str());
  };
  const std::string mount = clause_of(R"({"prefix":{"title":"mount"}})"), nothing = clause_of(R"({"match_none":{}})");
  for (const char* const query : {"query_string", "simple_query_string"}) {
    for (const char* const folds : {"standard", "english", "simple"}) EXPECT_EQ(of("MOUNT*", folds, query), mount);
    for (const char* const keeps : {"keyword", "whitespace"}) {
      EXPECT_EQ(of("mount*", keeps, query), mount);
      for (const char* const capitals : {"MOUNT*", "ÉCOL*"}) EXPECT_EQ(of(capitals, keeps, query), nothing) << query;
    }
    EXPECT_EQ(of("ÉCOL*", "standard", query), clause_of(R"({"prefix":{"title":"écol"}})"));
    for (const std::string wrong : {"", "nosuch"})
      EXPECT_EQ(of("a", wrong.c_str(), query), "400 [" + std::string(query) + "] analyzer [" + wrong + "] not found");
  }
  EXPECT_EQ(of("MOU?T", "standard"), clause_of(R"({"wildcard":{"title":"mou?t"}})"));
  EXPECT_EQ(of("MOU?T", "keyword"), nothing);
  // A range and a regular expression ask for the terms that begin as theirs do.
  const auto looked_for = [](const char* text, const char* analyzer) {
    Reading reading;
    const Json query = {{"query_string", {{"query", text}, {"fields", {"title"}}, {"analyzer", analyzer}}}};
    EXPECT_TRUE(QueryReader(reading.scope).read(query));
    const auto near = reading.statistics.missing_near();
    return near.empty() ? std::string() : near[0].word;
  };
  for (const char* const text : {"[RID TO RIVER]", "/RI[VB]ER/"}) {
    EXPECT_EQ(looked_for(text, "standard"), "ri") << text;
    EXPECT_EQ(looked_for(text, "keyword"), "RI") << text;
  }
  EXPECT_EQ(of("x^nan", "standard").substr(0, 3), "400");
  // One letter is too short a prefix of a keyword, however many bytes it has.
  for (const char* const text : {"é*", "é?x"})
    EXPECT_EQ(clause_of(Json{{"wildcard", {{"tag", text}}}}.dump().c_str()), nothing) << text;
}

TEST(AQuery, ThatFrondLacksIsRefusedByName) {
  EXPECT_EQ(clause_of(R"({"fuzzy":{"n":"x"}})"),
            "400 Can only use fuzzy queries on keyword and text fields - not on [n] which is of another type");
  EXPECT_EQ(clause_of(R"({"more_like_this":{"title":"x"}})"), "501 [more_like_this] query is not supported");
  EXPECT_EQ(clause_of(R"({"nosuch":{}})"), "400 unknown query [nosuch]");
  EXPECT_EQ(clause_of(R"({"match":{"title":{"query":"x","nosuch":1}}})"),
            "400 [match] query does not support [nosuch]");
  EXPECT_EQ(clause_of(R"({"match_phrase":{"title":{"query":"a b","slop":2}}})").substr(0, 3), "501");
  EXPECT_NE(clause_of(R"({"match_phrase":{"title":{"query":"a b","slop":2}}})", false).substr(0, 3), "501");
}

TEST(ASimpleQueryString, ReadsTheSignsWhoseFlagsAreSet) {
  const auto of = [](const char* text, const Json& flags) {
    return clause_of(
        Json{{"simple_query_string", {{"query", text}, {"fields", {"title"}}, {"flags", flags}}}}.dump().c_str());
  };
  const std::string either = clause_of(R"({"match":{"title":"a b"}})");
  EXPECT_EQ(of("a | b", "ALL"), either);
  EXPECT_EQ(of("a +b", "OR|WHITESPACE"), of("a b", "ALL"));
  EXPECT_EQ(of("a +b", "and|whitespace"), clause_of(R"({"match":{"title":{"query":"a b","operator":"and"}}})"));
  EXPECT_EQ(of("a*", "NONE"), clause_of(R"({"match":{"title":"a"}})"));
  EXPECT_EQ(of("a*", -1), clause_of(R"({"prefix":{"title":"a"}})"));
  EXPECT_EQ(of("a\\*", ""), clause_of(R"({"match":{"title":"a"}})"));
  EXPECT_EQ(of("a~0", "FUZZY"), clause_of(R"({"match":{"title":"a"}})"));
  for (const Json& wrong : {Json("WEIRD"), Json(1e300)}) EXPECT_EQ(of("a", wrong).substr(0, 3), "400") << wrong;
}

TEST(AQuery, ExcludesByBothNames) {
  EXPECT_EQ(clause_of(R"({"bool":{"mustNot":[{"term":{"n":1}}],"must_not":[{"term":{"n":2}}]}})"),
            clause_of(R"({"bool":{"must_not":[{"term":{"n":2}},{"term":{"n":1}}]}})"));
}

TEST(AQuery, LooksForNoWordsLikeAnId) {
  for (const char* const words : {"_id:/a.*/", "_id:a~1"})
    EXPECT_EQ(clause_of(Json{{"query_string", {{"query", words}}}}.dump().c_str()), R"({"none":{}})") << words;
}

TEST(AMinimum, IsANumberAShareOrACondition) {
  EXPECT_EQ(*minimum_of("2", 3), 2u);
  EXPECT_EQ(*minimum_of("-1", 3), 2u);
  EXPECT_EQ(*minimum_of("34%", 3), 1u);
  EXPECT_EQ(*minimum_of("-25%", 2), 2u);
  EXPECT_EQ(*minimum_of("2<-1 5<60%", 3), 2u);
  EXPECT_EQ(*minimum_of("2<-1 5<60%", 2), 2u);
  EXPECT_EQ(*minimum_of("2<-1 5<60%", 10), 6u);
  EXPECT_FALSE(minimum_of("x", 2));
}

}  // namespace
}  // namespace frond::broker::elasticsearch
