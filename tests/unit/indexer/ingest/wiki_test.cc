// MediaWiki's export and markup.
#include "indexer/ingest/formats/formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "indexer/ingest/formats/wiki.h"
#include "indexer/ingest/markup/wikitext.h"
#include "indexer/ingest/markup/xml.h"
#include "tests/unit/indexer/ingest/files.h"

namespace frond::indexer::ingest {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kHead =
    R"(<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="de">
  <siteinfo>
    <sitename>Wikipedia</sitename>
    <base>https://de.wikipedia.org/wiki/Wikipedia:Hauptseite</base>
    <namespaces>
      <namespace key="-2" case="first-letter">Medium</namespace>
      <namespace key="0" case="first-letter" />
      <namespace key="1" case="first-letter">Diskussion</namespace>
      <namespace key="6" case="first-letter">Datei</namespace>
      <namespace key="14" case="first-letter">Kategorie</namespace>
    </namespaces>
  </siteinfo>
)";
std::string article(std::string_view title, std::string_view text, std::string_view ns = "0",
                    std::string_view more = "", std::string_view model = "wikitext") {
  return "  <page>\n    <title>" + std::string(title) + "</title>\n    <ns>" + std::string(ns) +
         "</ns>\n    <id>7</id>\n" + std::string(more) +
         "    <revision>\n      <id>99</id>\n      <contributor><username>x</username><id>5</id></contributor>\n"
         "      <model>" +
         std::string(model) +
         "</model>\n      <format>text/x-wiki</format>\n      <text bytes=\"9\" xml:space=\"preserve\">" +
         std::string(text) + "</text>\n    </revision>\n  </page>\n";
}
std::string text_of(std::string_view wikitext) {
  static const WikiSite site = WikiSite::parse(kHead);
  return wikitext_to_text(wikitext, site);
}

TEST(Wiki, ReadsArticlesAndSkipsTheRestByReason) {
  const support::ScratchFolder folder;
  const std::string export_ =
      std::string(kHead) +
      article("Caf&#233; &amp; Bar", "'''A''' &lt;b&gt;word&lt;/b&gt; &amp;amp; [[more|moreover]]") +
      article("Alt", "#WEITERLEITUNG [[Neu]]", "0", "    <redirect title=\"Neu\" />\n") +
      article("Old", "#Redirect [[New]]") + article("Diskussion:X", "talk", "1") +
      article("X.css", "a{}", "0", "", "css") + article("Empty", "") + "</mediawiki>\n";
  const Collected got = collect({write_in(folder, "x", export_)});
  ASSERT_EQ(got.documents.size(), 1u);
  EXPECT_EQ(got.documents[0].id, "7");
  EXPECT_EQ(got.documents[0].title, "Café & Bar");
  EXPECT_EQ(got.documents[0].url, "https://de.wikipedia.org/wiki/Caf%C3%A9_%26_Bar");
  EXPECT_EQ(got.documents[0].body, "A word & moreover");
  EXPECT_THAT(got.bad, IsEmpty());
  EXPECT_EQ(
      got.skipped_records,
      "1 empty (x: record 6), 1 code (x: record 5), 2 redirect (x: record 2, x: record 3), 1 namespace (x: record 4)");
}
TEST(Wiki, TakesTheLastRevisionAndOldExports) {
  const support::ScratchFolder folder;
  const std::string two =
      "<mediawiki><page><title>T</title><id>1</id><revision><text>old</text></revision>"
      "<revision><text>new</text></revision></page>"
      "<page><title>Talk:T</title><id>2</id><revision><text>talk</text></revision></page>"
      "<page><title>File:T</title><id>3</id><revision><text>file</text></revision></page></mediawiki>";
  const Collected got = collect({write_in(folder, "x", two)});
  ASSERT_EQ(got.documents.size(), 2u);  // without its namespaces, Talk is not known
  EXPECT_EQ(got.documents[0].body, "new");
  EXPECT_EQ(got.documents[0].url, "");
  EXPECT_EQ(got.skipped_records, "1 namespace (x: record 3)");
}
TEST(Wiki, ReadsAPartOfADumpAndReportsPagesWithoutAnEnd) {
  const support::ScratchFolder folder;
  const Collected got =
      collect({write_in(folder, "x", "  <page>\n<title>cut\n" + article("A", "one") + "<page><title>B</title>")});
  EXPECT_EQ(got.documents.size(), 1u);
  EXPECT_THAT(got.bad, ElementsAre(HasSubstr("record 1 at byte 2: no </page> before the next <page>"),
                                   HasSubstr("no </page> before the end of the file")));
}
TEST(Wiki, ResolvesNoEntitiesButXmlsOwn) {
  const support::ScratchFolder folder;
  const std::string bomb =
      "<?xml version=\"1.0\"?><!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]><mediawiki>" +
      article("&b;", "&b;&b; &lt;") + "</mediawiki>";
  const Collected got = collect({write_in(folder, "x", bomb)}, &kWiki);
  ASSERT_EQ(got.documents.size(), 1u);
  EXPECT_EQ(got.documents[0].title, "&b;");
  EXPECT_EQ(got.documents[0].body, "&b;&b; <");
}

TEST(Wikitext, KeepsLabelsAndDropsTargets) {
  EXPECT_EQ(text_of("A [[cat]]s, [[Dog (animal)|dog]], [http://x.org the site] [http://y.org], [[:Kategorie:Cats]]."),
            "A cats, dog, the site , Kategorie:Cats.");
  EXPECT_EQ(text_of("x [[Datei:A.jpg|thumb|A [[big]] cat]] y [[Kategorie:Cats]] z [[category:Cats|*]] [[fr:Chat]] w"),
            "x y z w");
  EXPECT_EQ(text_of("[[File:A.jpg]]\n[[Image:B.png|left]]text"), "text");
}
TEST(Wikitext, DropsTemplatesHoweverNested) {
  EXPECT_EQ(text_of("{{Infobox\n| a = {{lang|fr|c}}\n| d = [[e]]\n}}\n'''X''' ({{IPA|de|x}}; ) is {{x}}y."), "X is y.");
  EXPECT_EQ(text_of("open {{ never closed"), "open never closed");
  EXPECT_EQ(text_of("a }} b ]] c"), "a b c");
}
TEST(Wikitext, KeepsWhatSimpleTemplatesShow) {
  EXPECT_EQ(text_of("{{lang|fr|mot}} {{Lang-fr|le [[mot|mots]]}} {{transl|ar|ISO|salam}} {{langx|de|Wort|lit=x}}"),
            "mot le mots salam Wort");
  EXPECT_EQ(
      text_of("{{convert|5|km|mi}}, {{Convert|5|to|7|ft|m|abbr=on}}, {{cvt|3|kg}}, {{val|1.5|u=m}}, {{frac|1|2}}"),
      "5 km, 5 to 7 ft, 3 kg, 1.5 m, 1/2");
  EXPECT_EQ(text_of("{{nowrap|a {{small|b}}}} {{abbr|HTML|HyperText}} {{sic|teh}} {{nobr|1=x=y}} {{formatnum:12}}"),
            "a b HTML teh x=y 12");
  EXPECT_EQ(text_of("{{quote|Some ''words''.|An author}}\n1990{{ndash}}1995 {{unknown|x}}{{nowrap}}."),
            "Some words.\n1990–1995 .");
}
TEST(Wikitext, ShowsWhatIsNoTagOfMediaWiki) {
  EXPECT_EQ(text_of("#include <stdio.h> and vector<int>, Map<String, Integer>"),
            "include <stdio.h> and vector<int>, Map<String, Integer>");
  EXPECT_EQ(
      text_of("if a <b and c> d, a <b && c> d, <someone@example.org> <https://x.org/> <T> </T> <script>x</script>"),
      "if a <b and c> d, a <b && c> d, <someone@example.org> <https://x.org/> <T> </T> <script>x</script>");
  EXPECT_EQ(
      text_of("<b>a</b> <B >b</B > <span class=\"x\">c</span> <div nowrap>d</div> <br clear=all /> <b id=x>e</b>"),
      "a b c\nd\ne");
}
TEST(Wikitext, KeepsTheCellsOfTables) {
  EXPECT_EQ(text_of("{| class=\"wikitable\"\n|+ Caption\n! style=\"x\" | Head 1 !! Head 2\n|-\n| align=left | one || "
                    "[[a|two]]\n|-\n"
                    "| three\n| four\n|}\nafter"),
            "Caption\nHead 1 Head 2\none two\nthree four\nafter");
}
TEST(Wikitext, ReadsHeadingsListsAndEmphasis) {
  EXPECT_EQ(
      text_of("== Heading ==\n* ''one''\n** '''two'''\n#three\n:;four\n----\nit's '''''both''''' L''''x'''\n__NOTOC__"),
      "Heading\none\ntwo\nthree\nfour\nit's both L'x");
}
TEST(Wikitext, ReadsTagsAndReferences) {
  EXPECT_EQ(
      text_of("a<ref name=x>note [[b]]</ref>b<ref name=y/> c<br/>d <small>e</small> 5 < 6 &ndash; &eacute;&nbsp;f "
              "&unknown; <!-- no\n\n--> g <nowiki>[[h]] {{i}} &amp;</nowiki> <math>x^2</math>"),
      "ab c\nd e 5 < 6 – é f &unknown; g [[h]] {{i}} &");
  EXPECT_EQ(text_of("a <ref>never closed"), "a never closed");
  EXPECT_EQ(text_of("a <!-- never closed"), "a");
}
TEST(Wikitext, TakesLinearTimeForWhateverIsNeverClosed) {
  for (const std::string mark : {"{{",  "[[",    "[[a|", "{|\n", "<ref>", "<a ",      "<!-",       "[http://",
                                 "'''", "{|\n|", "(",    "[[a:", "__A",   "</",       "&#",        "{{[[",
                                 "\n=", "|",     "!!",   "<b <", "<T>",   "{{small|", "{{convert|"}) {
    std::string text;
    while (text.size() < (2 << 20)) text += mark;
    EXPECT_LE(text_of(text).size(), text.size()) << mark;
    text_of(text + "}}]]|}");
  }
}

TEST(CharacterReference, TakesNamesAndNumbers) {
  const auto html = [](std::string_view text) {
    std::string out;
    while (!text.empty()) {
      if (text.front() == '&') {
        take_reference(text, ReferenceNames::kHtml, out);
      } else {
        out.push_back(text.front());
        text.remove_prefix(1);
      }
    }
    return out;
  };
  EXPECT_EQ(html("&amp;&Alpha;&#x1F600;&#128;&thetasym;"), "&Α😀\xc2\x80ϑ");
  EXPECT_EQ(html("&;&#;&#x;&#xd800;&#0;&#99999999;&amp &no;"),
            "&;&#;&#x;\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd&amp &no;");
}

}  // namespace
}  // namespace frond::indexer::ingest
