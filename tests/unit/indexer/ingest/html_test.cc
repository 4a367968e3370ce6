#include "indexer/ingest/markup/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stop_token>

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

TEST(Html, TakesTimeInProportion) {
  // Attributes in one tag, in many, and in elements that later tags add theirs to.
  std::string attributes, spread, roots, formatting, nested;
  for (int i = 0; i < 300000; ++i) attributes += "a" + std::to_string(i) + "=1 ";
  for (int i = 0; i < 100000; ++i) roots += "<html a" + std::to_string(i) + "><body b" + std::to_string(i) + ">";
  for (int i = 0; i < 1000; ++i)
    spread += "<p " + attributes.substr(0, 2000) + "><b " + attributes.substr(0, 2000) + ">";
  for (int i = 0; i < 100000; ++i)
    formatting += "<b id=" + std::to_string(i) + "><i><a><font size=" + std::to_string(i) + ">";
  EXPECT_EQ(body("<p " + attributes + ">x"), "x");
  EXPECT_EQ(body(roots + "x"), "x");
  EXPECT_EQ(body(spread + "x"), "x");
  EXPECT_EQ(body(formatting + "<p>x<p>y"), "x\ny");
  // Elements that nest although their end tags are usually left out, or although they seem to end.
  for (const std::string_view pattern : {"<dd><li>",
                                         "<optgroup>",
                                         "<svg><td>",
                                         "<li><ul></li>",
                                         "<form><div></form>",
                                         "<span><div></span>",
                                         "<svg><title><div></svg>",
                                         "<svg><foreignObject><p>",
                                         "<noscript><div></noscript>",
                                         "<b><div><div></b></div>",
                                         "<table><b>x",
                                         "<table><td><b><i><u>",
                                         "<!--",
                                         "<!DOCTYPE",
                                         "&amp",
                                         "<title>",
                                         "<script>",
                                         "<script><!--<script>",
                                         "<a href='",
                                         "<textarea>",
                                         "<![CDATA[",
                                         "</",
                                         "<a/"}) {
    std::string page;
    while (page.size() < (1 << 18)) page += pattern;
    for (int i = 0; i < 50000; ++i) page += "</p>";
    const Result<TitledText> text = html_to_text(page);
    EXPECT_TRUE(text || text.error().message().find("memory") != std::string::npos)
        << pattern << text.error().message();
  }
}
TEST(Html, StopsWhenItIsTold) {
  std::string page;
  for (int i = 0; i < 100000; ++i) page += "<p>x";
  std::stop_source stop;
  const std::stop_token token = stop.get_token();
  EXPECT_TRUE(html_to_text(page, {.stop = &token}));
  stop.request_stop();
  EXPECT_EQ(html_to_text(page, {.stop = &token}), Code::kUnavailable);
}
TEST(Html, HasNoTextInCodeAndFrames) {
  EXPECT_EQ(body("a<script>if (x<y) '<p>'</script>b<style>p{}</style>c<iframe>d</iframe>e<noembed>f</noembed>g"),
            "abceg");
  EXPECT_EQ(body("<script><!-- w('<script src=x></script>') --></script>x"), "x");
  EXPECT_EQ(body("<script><!-- never closed </script>x"), "x");
  EXPECT_EQ(body("<html><frameset cols='*'><frame src=a><noframes><body bgcolor=white><a href=m>Main page</a></body>"
                 "</noframes></frameset></html>"),
            "Main page");
}
TEST(Html, EndsElementsThatCloseThemselvesInXhtml) {
  const std::string root = "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>T</title></head><body>";
  for (const std::string_view name : {"script", "style", "iframe", "textarea", "noscript", "xmp", "title", "noframes",
                                      "noembed", "plaintext", "select", "svg", "p", "br"}) {
    const std::string tag = "<" + std::string(name);
    const std::string rest = "<p>words</p></body></html>";
    EXPECT_EQ(html_to_text(root + tag + "/>" + rest).value().body, "words") << name;
    EXPECT_EQ(html_to_text(root + tag + " id=\"x\" />" + rest).value().title, "T") << name;
    EXPECT_EQ(body("<?xml version=\"1.0\"?><html>" + tag + " />" + rest), "words") << name;
    EXPECT_EQ(html_to_text("<html>" + tag + "/>" + rest, {.xhtml = true}).value().body, "words") << name;
  }
  EXPECT_EQ(body(root + "<![CDATA[a < b &amp; c]]></body></html>"), "a < b &amp; c");
  // Not in HTML.
  EXPECT_EQ(body("<script/>x</script>y"), "y");
  EXPECT_EQ(body("<svg><script/><style/><path/></svg>y"), "y");
}
TEST(Html, EndsElementsThatNeverEndAtTheNextTag) {
  EXPECT_EQ(body("<script src=x /><p>y"), "y");
  EXPECT_EQ(body("<script>var a = 1\n</head><body><p>y"), "y");
  EXPECT_EQ(body("<style>p{}<body>y"), "y");
  for (const std::string_view name : {"textarea", "xmp", "iframe", "noembed", "noscript", "noframes"})
    EXPECT_EQ(body("<" + std::string(name) + "><p>x <b>y</b>"), "x y") << name;
}
TEST(Html, LeavesPilcrowsOfHeadingsOut) {
  EXPECT_EQ(body("<h1>Install<a class=headerlink href=#x>\u00b6</a></h1><p>\u00b6 x"), "Install\n\u00b6 x");
  const auto title = [](std::string_view text) { return html_to_text("<title>" + std::string(text)).value().title; };
  EXPECT_EQ(title("Install\u00b6"), "Install");
  EXPECT_EQ(title("Install\u00b6 - Docs &para;"), "Install - Docs");
  EXPECT_EQ(title("\u00b6"), "\u00b6");
  EXPECT_EQ(title("The \u00b6 sign"), "The \u00b6 sign");
  EXPECT_EQ(title("Install {#install}"), "Install");
}

TEST(HtmlCleaner, BlanksOnlyWhatIsTooDeep) {
  const auto bounded = [](std::string_view html, std::size_t depth) { return cleaned_html(html, false, depth); };
  EXPECT_EQ(bounded("<a><b><i>x</i></b></a><a>y", 2), "<a><b> x</i></b></a><a>y");
  EXPECT_EQ(bounded("<p><p><p><br><li>a<li>b<img>", 1), "<p><p><p><br><li>a<li>b<img>");
  EXPECT_EQ(bounded("<u><script><b><b></script><!-- <b> --><b q= \"<>\">z", 1), "<u> z");
  EXPECT_EQ(bounded("x<a", 1), "x");
  EXPECT_EQ(bounded("<", 1), "<");
}
TEST(HtmlCleaner, LeavesOutWhatIsNoText) {
  EXPECT_EQ(cleaned_html("<!DOCTYPE html><P CLASS='>' id=a>x < y<!-->z<!--->z<!-- -- --!>z</P a=b><br/></ x><? y ?>"),
            "<p>x < yzzz</p><br>");
}

}  // namespace
}  // namespace frond::indexer::ingest
