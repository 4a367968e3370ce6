// What is to be counted: text, JSON, and fields.
#include "common/query/facet.h"

#include <gtest/gtest.h>

#include "tests/support/query_schema.h"

namespace frond::query {
namespace {

std::string written(const Result<std::vector<Facet>>& facets) {
  return facets ? facets_json(*facets) : facets.error().message();
}
std::string of_text(std::string_view text) { return written(parse_facets(text)); }
std::string of_json(std::string_view text) { return written(read_facets(*schema::parse_json(text), "facets")); }
std::string bound(std::string_view text) {
  return written(bind_facets(*parse_facets(text), support::query_schema(), "facets"));
}

TEST(Facets, AreReadFromTheirShortText) {
  EXPECT_EQ(of_text("tag"), R"({"tag":{"values":{"field":"tag","size":10}}})");
  EXPECT_EQ(of_text("tag:3, lang:values"),
            R"({"tag":{"values":{"field":"tag","size":3}},"lang":{"values":{"field":"lang","size":10}}})");
  EXPECT_EQ(of_text("year:[2000, 2010],published:[2020-01-01T10:00:00Z]"),
            R"({"year":{"ranges":{"field":"year","bounds":["2000","2010"]}},)"
            R"("published":{"ranges":{"field":"published","bounds":["2020-01-01T10:00:00Z"]}}})");
  EXPECT_EQ(of_text("published:month"), R"({"published":{"dates":{"field":"published","interval":"month"}}})");
  EXPECT_EQ(of_text("price:2.5:histogram"), R"({"price":{"histogram":{"field":"price","interval":2.5}}})");
  EXPECT_EQ(of_text("price:stats,tag:distinct"),
            R"({"price":{"stats":{"field":"price"}},"tag":{"distinct":{"field":"tag"}}})");
}

TEST(Facets, AreReadFromJsonAsTheyAreWritten) {
  for (
      const char* text :
      {R"({})", R"({"a b":{"values":{"field":"tag","size":10000}}})",
       R"({"r":{"ranges":{"field":"price","bounds":[1.5,2.0]}},"d":{"dates":{"field":"published","interval":"week"}}})",
       R"({"h":{"histogram":{"field":"year","interval":10.0}},"s":{"stats":{"field":"year"}},"n":{"distinct":{"field":"tag"}}})"})
    EXPECT_EQ(of_json(text), text);
}

TEST(Facets, NameTheMemberThatIsWrong) {
  EXPECT_EQ(of_json("[]"), "facets is an array, not an object of facets by name");
  EXPECT_EQ(of_json(R"({"t":{"value":{}}})"),
            "facets.t has an unknown kind 'value'; the nearest names are values, dates, ranges");
  EXPECT_EQ(of_json(R"({"t":{"values":{}}})"), "facets.t.values.field is missing");
  EXPECT_EQ(of_json(R"({"t":{"values":{"field":"tag","size":0}}})"), "facets.t has the size 0, not 1 to 10000");
  EXPECT_EQ(of_json(R"({"t":{"stats":{"field":"tag","size":1}}})"),
            "facets.t.stats.size is not a member here; the nearest name is field");
  EXPECT_EQ(of_json(R"({"t":{"ranges":{"field":"year","bounds":[]}}})"), "facets.t has 0 bounds, not 1 to 1000");
  EXPECT_EQ(of_json(R"({"t":{"histogram":{"field":"year","interval":"x"}}})"), "facets.t has no interval above 0");
  EXPECT_EQ(of_json(R"({"t":{"dates":{"field":"year","interval":"x"}}})"),
            "facets.t.dates.interval is 'x', not one of minute, hour, day, week, month, quarter and year");
  EXPECT_EQ(of_text("tag:1,tag:distinct"), "'tag' is there twice; as a JSON object, facets have names of their own");
  EXPECT_EQ(of_text("tag,"), "'' begins with no name of a field");
  for (const char* text : {"tag:x", "tag:", "year:[1", "tag:-1", "price:x:histogram", "tag:ranges"})
    EXPECT_NE(of_text(text).find("has behind its colon no number"), std::string::npos) << text;
  std::string many = "f0";
  for (std::size_t i = 1; i <= kMaxFacets; ++i) many += ",f" + std::to_string(i);
  EXPECT_EQ(of_text(many), "has 33 facets, and at most 32 can be counted");
}

TEST(Facets, GetTheTypesOfTheirFields) {
  EXPECT_EQ(bound("year:[2000,2010]"), R"({"year":{"ranges":{"field":"year","bounds":[2000,2010]}}})");
  EXPECT_EQ(bound("published:[1970,1971]"),
            R"({"published":{"ranges":{"field":"published","bounds":[0,31536000000]}}})");
  EXPECT_EQ(bound("yaer"), "facets.yaer: field 'yaer' is not in the schema; the nearest names are year, lang, open");
  EXPECT_EQ(bound("title"), "facets.title: field 'title' is text, and only columns have facets");
  EXPECT_EQ(bound("tag:stats"),
            "facets.tag: field 'tag' is keyword, and stats is for fields of type integer, float and date");
  EXPECT_EQ(bound("published:5:histogram"),
            "facets.published: field 'published' is date, and histogram is for fields of type integer and float");
  EXPECT_EQ(bound("year:month"), "facets.year: field 'year' is integer, and dates is for fields of type date");
  EXPECT_EQ(bound("year:[2000,x]"), "facets.year: field 'year': 'x' is not an integer of 64 bits");
  EXPECT_EQ(bound("year:[2,2]"), "facets.year: field 'year' has bounds that do not ascend");
  EXPECT_EQ(bound("year:2.5:histogram"),
            "facets.year: field 'year' is integer, so the interval is a whole number of at most 2^53");
}

}  // namespace
}  // namespace frond::query
