// What is to be counted: text, JSON, and fields.
#include "common/query/facets/facet.h"

#include <gtest/gtest.h>

#include "tests/support/query_schema.h"

namespace frond::query {
namespace {

std::string written(const Result<std::vector<Facet>>& facets) {
  return facets ? facets_json(*facets) : facets.error().message();
}
std::string of_text(std::string_view text) { return written(parse_facets(text)); }
std::string of_json(std::string_view text) { return written(read_facets(*schema::parse_json(text), "facets")); }
std::string bound_facet(std::string_view text) {
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

TEST(Facets, AreReadInFacets) {
  for (const char* text :
       {R"({"t":{"values":{"field":"tag","size":3,"order":"p.mean:asc","min_count":2},"facets":{)"
        R"("p":{"stats":{"field":"price"}},"y":{"histogram":{"field":"year","interval":10.0,"min_count":0},)"
        R"("facets":{"m":{"missing":{"field":"lang"}}}}}}})",
        R"({"o":{"filter":{"query":{"term":{"field":"open","value":true}}},"facets":{"n":{"count":{"field":"tag"}}}}})",
        R"({"f":{"filters":{"queries":{"a":{"all":{}},"b":{"exists":{"field":"year"}}}}}})",
        R"({"p":{"percentiles":{"field":"price","percents":[50.0,99.9]}}})",
        R"({"d":{"dates":{"field":"published","interval":90000,"zone":"Europe/Berlin","offset":-5,"min_count":0}}})",
        R"({"v":{"values":{"field":"tag","size":10,"order":"_value:asc"}}})",
        R"({"d":{"dates":{"field":"published","interval":"day","zone":[[-9223372036854775808,0],[5,3600000]]}}})"})
    EXPECT_EQ(of_json(text), text);
  EXPECT_EQ(of_json(R"({"t":{"facets":{},"values":{"field":"tag","order":"_value"}}})"),
            R"({"t":{"values":{"field":"tag","size":10,"order":"_value:asc"}}})");
  const auto wrong = [](const std::string& inside) {
    return of_json(R"({"t":{"values":{"field":"tag"},"facets":{"i":)" + inside + "}}}");
  };
  EXPECT_EQ(
      wrong("{}"),
      "facets.t.facets.i is no object with one kind, such as {\"values\":{\"field\":\"tag\"}}, and perhaps facets");
  EXPECT_EQ(wrong(R"({"stats":{"field":"year"},"facets":{"x":{"count":{"field":"tag"}}}})"),
            "facets.t.facets.i is stats, which has no buckets for facets");
  EXPECT_EQ(wrong(R"({"stats":{"field":"year"},"filter":{}})"),
            "facets.t.facets.i has beside its kind 'filter', not facets");
  EXPECT_EQ(wrong(R"({"values":{"field":"tag","order":"p.mean"}})"),
            "facets.t.facets.i is ordered by 'p.mean', which no facet in its buckets says");
  EXPECT_EQ(wrong(R"({"values":{"field":"tag","order":"mean"}})"),
            "facets.t.facets.i.values.order is 'mean', not _count, _value or what a facet in the buckets says, such as "
            "price.mean, with :asc or :desc");
  EXPECT_EQ(wrong(R"({"values":{"field":"tag","min_count":0}})"), "facets.t.facets.i has a min_count of 0");
  EXPECT_EQ(wrong(R"({"dates":{"field":"published","interval":0}})"),
            "facets.t.facets.i.dates.interval is no number of milliseconds above 0");
  EXPECT_EQ(wrong(R"({"dates":{"field":"published","interval":"day","offset":1e20}})"),
            "facets.t.facets.i.dates.offset is no whole number of milliseconds, or more than 366 days");
  EXPECT_EQ(wrong(R"({"percentiles":{"field":"year","percents":[0]}})"),
            "facets.t.facets.i has percents that are not above 0 and up to 100");
  EXPECT_EQ(wrong(R"({"filter":{"query":{"terms":{}}}})"), "facets.t.facets.i.filter.query.terms.field is missing");
  EXPECT_EQ(wrong(R"({"filters":{"queries":{}}})"), "facets.t.facets.i has no queries");
  std::string deep = R"({"values":{"field":"tag"}})";
  for (std::size_t i = 1; i < kMaxFacetDepth; ++i) deep = R"({"values":{"field":"tag"},"facets":{"x":)" + deep + "}}";
  EXPECT_EQ(of_json(R"({"x":)" + deep + "}").substr(0, 6), R"({"x":{)");
  EXPECT_NE(wrong(deep).find("is inside more than 8 facets"), std::string::npos);
}

TEST(Facets, NameTheMemberThatIsWrong) {
  EXPECT_EQ(of_json("[]"), "facets is an array, not an object of facets by name");
  EXPECT_EQ(of_json(R"({"t":{"value":{}}})"),
            "facets.t has an unknown kind 'value'; the nearest names are values, dates, filter");
  EXPECT_EQ(of_json(R"({"t":{"values":{}}})"), "facets.t.values.field is missing");
  EXPECT_EQ(of_json(R"({"t":{"values":{"field":"tag","size":0}}})"), "facets.t has the size 0, not 1 to 10000");
  EXPECT_EQ(of_json(R"({"t":{"stats":{"field":"tag","size":1}}})"),
            "facets.t.stats.size is not a member here; the nearest name is field");
  EXPECT_EQ(of_json(R"({"t":{"ranges":{"field":"year","bounds":[]}}})"),
            "facets.t.ranges.bounds has 0 bounds, not 1 to 1000");
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
  EXPECT_EQ(bound_facet("year:[2000,2010]"), R"({"year":{"ranges":{"field":"year","bounds":[2000,2010]}}})");
  EXPECT_EQ(bound_facet("published:[1970,1971]"),
            R"({"published":{"ranges":{"field":"published","bounds":[0,31536000000]}}})");
  EXPECT_EQ(bound_facet("yaer"),
            "facets.yaer: field 'yaer' is not in the schema; the nearest names are year, lang, open");
  EXPECT_EQ(bound_facet("title"), "facets.title: field 'title' is text, and only columns have facets");
  EXPECT_EQ(bound_facet("tag:stats"),
            "facets.tag: field 'tag' is keyword, and stats is for fields of type integer, float and date");
  EXPECT_EQ(bound_facet("published:5:histogram"),
            "facets.published: field 'published' is date, and histogram is for fields of type integer and float");
  EXPECT_EQ(bound_facet("year:month"), "facets.year: field 'year' is integer, and dates is for fields of type date");
  EXPECT_EQ(bound_facet("year:[2000,x]"), "facets.year: field 'year': 'x' is not an integer of 64 bits");
  EXPECT_EQ(bound_facet("year:[2,2]"), "facets.year: field 'year' has bounds that do not ascend");
  const auto bound_json = [](std::string_view text) {
    return written(bind_facets(*read_facets(*schema::parse_json(text), "facets"), support::query_schema(), "facets"));
  };
  EXPECT_EQ(bound_json(R"({"f":{"filter":{"query":{"term":{"field":"yaer","value":1}}}}})").substr(0, 8), "facets.f");
  EXPECT_EQ(bound_json(R"({"f":{"filter":{"query":{"term":{"field":"year","value":"1"}}}}})"),
            R"({"f":{"filter":{"query":{"term":{"field":"year","value":1}}}}})");
  EXPECT_EQ(bound_json(R"({"d":{"dates":{"field":"published","interval":"day","zone":"+01:00"}}})"),
            R"({"d":{"dates":{"field":"published","interval":"day","zone":[[-9223372036854775808,3600000]]}}})");
  EXPECT_EQ(bound_json(R"({"d":{"dates":{"field":"published","interval":"day","zone":"Mars/Base"}}})"),
            "facets.d: there is no time zone 'Mars/Base'");
  EXPECT_EQ(of_json(R"({"d":{"dates":{"field":"published","interval":"day","zone":""}}})"),
            "facets.d.dates.zone is no name of a time zone");
  EXPECT_EQ(bound_facet("year:2.5:histogram"),
            "facets.year: field 'year' is integer, so the interval is a whole number of at most 2^53");
}

}  // namespace
}  // namespace frond::query
