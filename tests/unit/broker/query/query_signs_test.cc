#include "broker/query/analyzed_query.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "common/text/utf8.h"

namespace frond::broker::query {
namespace {

// "-:-lazy AND:AND"
std::string told(std::string_view query) {
  std::string out;
  for (const Sign& one : signs_not_applied(query))
    out += (out.empty() ? "" : " ") + std::string(one.sign) + "<" + one.text + ">";
  return out;
}

// In time in proportion to the length of the query it takes a few milliseconds, else half a minute.
TEST(QuerySigns, AreFoundSoonInAnyQuery) {
  for (const std::string_view part : {"\"a ", "\u201ca ", "\u201e", "\"; ", "(-", "(", "-(a ", "[a ", "{a TO b ", "[",
                                      "a:(", "a:", "a ", "a*", "@", ":", "-"})
    for (const std::string_view end : {"", "]", ")", "\"", "\u201d", "@"}) {
      std::string query;
      while (query.size() < 256 << 10) query += part;
      const auto begun = std::chrono::steady_clock::now();
      EXPECT_LE(signs_not_applied(query + std::string(end)).size(), kMaxSigns);
      EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(1)) << part << " … " << end;
    }
}

TEST(QuerySigns, AreFoundWhereSearchBoxesHaveThem) {
  for (const auto& [query, wanted] : std::initializer_list<std::pair<const char*, const char*>>{
           {"quick -lazy", "-<-lazy>"},
           {"-quick", "-<-quick>"},
           {"report -2015", "-<-2015>"},
           {"+quick -lazy", "+<+quick> -<-lazy>"},
           {"quick !lazy", "!<!lazy>"},
           {"quick NOT lazy", "NOT<NOT>"},
           {"NOT lazy", "NOT<NOT>"},
           {"quick AND fox OR dog", "AND<AND> OR<OR>"},
           {"quick && fox || dog | cat", "&&<&&> ||<||> |<|>"},
           {"title:fox", "field:<title:fox>"},
           {"site:example.com x", "field:<site:example.com>"},
           {"-title:fox", "-<-title:fox> field:<-title:fox>"},
           {"url:https://example.com/a", "field:<url:https://example.com/a>"},
           {"author.name:smith", "field:<author.name:smith>"},
           {"\u0442\u0435\u043c\u0430:\u043b\u0438\u0441\u0430",
            "field:<\u0442\u0435\u043c\u0430:\u043b\u0438\u0441\u0430>"},
           {"year:2010", "field:<year:2010>"},
           {"year:>2010", "field:<year:>2010>"},
           {"title:\"fox quick\" dog", "field:<title:\"fox> \"…\"<\"fox quick\">"},
           {"\"fox quick\"", "\"…\"<\"fox quick\">"},
           {"\"fox quick\"~3 dog^2", "\"…\"<\"fox quick\"> ~<\"fox quick\"> ^<dog^2>"},
           {"say \"fox\".", "\"…\"<\"fox\">"},
           {"\u201cfox quick\u201d", "\"…\"<\u201cfox quick\u201d>"},
           {"\u201efox quick\u201c", "\"…\"<\u201efox quick\u201c>"},
           {"\"a AND -b c:d\"", "\"…\"<\"a AND -b c:d\">"},
           {"fo* *ox f*x", "*<fo*> *<*ox> *<f*x>"},
           {"*:*", "*<*:*>"},
           {"*", "*<*>"},
           {"f?x", "?<f?x>"},
           {"fux~", "~<fux~>"},
           {"fux~1 fox^2.5", "~<fux~1> ^<fox^2.5>"},
           {"year:[2010 TO 2020]", "field:<year:[2010> […]<[2010 TO 2020]>"},
           {"{a TO b] c", "[…]<{a TO b]>"},
           {"(lazy OR year) AND fox", "OR<OR> AND<AND> (…)<(lazy OR year)>"},
           {"title:(lazy year)", "field:<title:(lazy> (…)<(lazy year)>"},
           {"fox -(lazy dog)", "-<-(lazy> (…)<(lazy dog)>"},
           {"-a -a -a", "-<-a>"},
       })
    EXPECT_EQ(told(query), wanted) << query;
}

TEST(QuerySigns, ArePlainTextElsewhere) {
  for (const char* query : {"",
                            "quick lazy fox",
                            "C++ and C#",
                            "c++ 3-4 e-mail well-known",
                            "- a - b",
                            "grep --help",
                            "+49 30 1234567",
                            "someone@example.com",
                            "some-one+tag@mail.example.com",
                            "https://example.com/a?b=c:d*e&f=~g",
                            "www.example.com/~home",
                            "mailto:someone@example.com",
                            "localhost:8080 example.com:443 example.com:443/a",
                            "std::vector<int> a::b",
                            "12:30 3:16",
                            "C:\\windows D:/data",
                            "Error: it failed",
                            "aa:bb:cc:dd:ee:ff",
                            "what is a fox?",
                            "what? a fox",
                            "index.php?id=3 a/b?c",
                            "5\" pipe and 6\" pipe",
                            "\u05e6\u05d4\"\u05dc",
                            "it's \"",
                            "\"\" \" \"",
                            "a[5] [sic] {x}",
                            "f(x) Python (programming language)",
                            "Portland OR",
                            "OR gate",
                            "and or not",
                            "ANDES ORBIT NOTHING",
                            "3*4 10^6 2 * 3",
                            "**bold**",
                            "~/.bashrc ~5",
                            "a|b R&D AT&T",
                            "U.S.A. .net",
                            "!!! hi!",
                            "/etc/passwd*",
                            ":) :-("})
    EXPECT_EQ(told(query), "") << query;
}

TEST(QuerySigns, AreFewAndShort) {
  std::string many, longer = "-";
  for (int i = 0; i < 500; ++i) many += "-w" + std::to_string(i) + " ";
  EXPECT_EQ(signs_not_applied(many).size(), kMaxSigns);
  while (longer.size() < 3000) longer += "\u20ac";
  const auto one = signs_not_applied(longer);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_LE(one[0].text.size(), kMaxSignText + 3);
  EXPECT_TRUE(text::is_utf8(one[0].text));
}

TEST(QuerySigns, SurviveAnyText) {
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    std::mt19937 random(seed);
    static constexpr std::string_view kParts[] = {
        "-",    "+",   "!",   "\"", "(",   ")", "[", "]", "{", "}", ":",      "*",      "?",      "~",  "^", " ",
        " TO ", "AND", "NOT", "a",  "fox", "2", ".", "/", "@", "|", "\u201c", "\u201d", "\u20ac", "\n", "\\"};
    std::string query;
    for (unsigned i = random() % 40; i > 0; --i) query += kParts[random() % std::size(kParts)];
    for (const Sign& one : signs_not_applied(query)) EXPECT_TRUE(text::is_utf8(one.text)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace frond::broker::query
