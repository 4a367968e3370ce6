#include "indexer/ingest/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "indexer/ingest/html_depth.h"

namespace frond::indexer::ingest {
namespace {

std::string body(std::string_view html) { return html_to_text(html).value().body; }

TEST(Html, GivesTitleAndText) {
  const TitledText page =
      html_to_text(
          "<!DOCTYPE html><html><head><title> A\n page </title><style>p{}</style></head><body>"
          "<h1>Head</h1><p>Some <b>bold</b>ness &amp; caf&eacute;&nbsp;x<!-- no --><script>if (a<b) x()</script>"
          "<ul><li>one<li>two</ul><table><tr><td>1</td><td>2</td></tr></table></body></html>")
          .value();
  EXPECT_EQ(page.title, "A page");
  EXPECT_EQ(page.body, "Head\nSome boldness & café x\none\ntwo\n1 2");
}
TEST(Html, TakesAnythingForAPage) {
  EXPECT_EQ(body(""), "");
  EXPECT_EQ(body("plain < text > & more"), "plain < text > & more");
  EXPECT_EQ(body("<b><i>mis</b>nested</i><p>open"), "misnested\nopen");
  EXPECT_EQ(html_to_text("<title>never closed").value().title, "never closed");
  EXPECT_EQ(html_to_text("<headline>H</headline>x<title>T</title>").value().title, "H");
  EXPECT_EQ(body("<svg><title>drawing</title></svg>x"), "drawing\nx");
}
TEST(Html, ClosesATitleThatNeverIs) {
  const auto page = [](std::string_view html) {
    const TitledText text = html_to_text(html).value();
    return text.title + "|" + text.body;
  };
  EXPECT_EQ(page("<title>T</head><body>x"), "T|x");
  EXPECT_EQ(page("<title>\n  T\nrest of it\n"), "T|rest of it");
  EXPECT_EQ(page("<title>T<title></head><body>x<title>y"), "T|x y");
  EXPECT_EQ(page("<TITLE>T</titel>\n<p>x" + std::string(2000, ' ') + "</title>y"), "T|x y");
  EXPECT_EQ(page("<title/><meta a=b><p>x"), "|x");
  EXPECT_EQ(page("<!-- <title> --><script>'<title>'</script><title>T</title>x"), "T|x");
  EXPECT_EQ(page("<title>a <b> c</title>x"), "a <b> c|x");
  EXPECT_EQ(page("<title>" + std::string(3000, 'w') + "</title>x"), std::string(3000, 'w') + "|x");
}
TEST(Html, LooksForTheEndsOfManyTitlesInLinearTime) {
  std::string titles;
  for (int i = 0; i < 1000000; ++i) titles += "<title>";
  EXPECT_EQ(body(titles + "x"), "x");
}
TEST(Html, SurvivesDepthWithoutEnd) {
  std::string deep;
  for (int i = 0; i < 200000; ++i) deep += "<div>";
  EXPECT_EQ(body(deep + "bottom"), "bottom");
  // End tags that a parser ignores, or that close fewer elements than they seem to.
  for (const std::string_view pattern : {"<b><div></b>", "<div><object></div>", "<div><table><tr><td></div>",
                                         "<div><svg><desc></div>", "<div></x>", "<a><div></a>"}) {
    std::string sly;
    for (int i = 0; i < 50000; ++i) sly += pattern;
    EXPECT_EQ(body(sly + "bottom"), "bottom") << pattern;
  }
  std::string formatting;
  for (int i = 0; i < 5000; ++i) formatting += "<b id=" + std::to_string(i) + "><p>w";
  const Result<TitledText> page = html_to_text(formatting);  // each paragraph reopens every <b>
  EXPECT_TRUE(!page || page->body.size() >= 5000);
}
TEST(Html, IsRefusedWhenTooLong) { EXPECT_EQ(html_to_text(std::string(kMaxHtmlBytes + 1, 'x')), Code::kInvalid); }

TEST(HtmlDepth, BlanksOnlyWhatIsTooDeep) {
  EXPECT_EQ(with_bounded_depth("<a><b><i>x</i></b></a><a>y", 2), "<a><b>   x</i></b></a><a>y");
  EXPECT_EQ(with_bounded_depth("<p><p><p><br><li><img>", 1), "<p><p><p><br><li><img>");
  EXPECT_EQ(with_bounded_depth("<a><script><b><b></script><!-- <b> --><b q=\"<>\">z", 1),
            "<a><script><b><b></script><!-- <b> -->          z");
  EXPECT_EQ(with_bounded_depth("<a", 1), "<a");
  EXPECT_EQ(with_bounded_depth("<", 1), "<");
}

}  // namespace
}  // namespace frond::indexer::ingest
