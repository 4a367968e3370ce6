// Formats of one document a file: text, Markdown, HTML, manual pages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "indexer/ingest/markup/plain_text.h"
#include "tests/unit/indexer/ingest/files.h"

namespace frond::indexer::ingest {
namespace {

using testing::HasSubstr;
using testing::Not;

Document file(const std::string& name, std::string_view bytes) {
  return parse_record(raw(&kFiles, bytes, name)).value();
}

TEST(TextFile, IsNamedByItsPathAndTitledByItsName) {
  const Document document = file("doc/notes.txt.gz", "One\n  two\x0c\x01");
  EXPECT_EQ(document.id, "doc/notes.txt.gz");
  EXPECT_EQ(document.title, "notes.txt");
  EXPECT_EQ(document.body, "One\n  two\n");
  EXPECT_EQ(file("b\xff", "x").id, "b\uFFFD");
  EXPECT_EQ(file("empty", "").body, "");
}
TEST(TextFile, IsTitledByAnUnderlinedHeading) {
  EXPECT_EQ(file("a.rst", ".. comment\n\n=======\n The top\n=======\n\ntext").title, "The top");
  EXPECT_EQ(file("a.txt", "Heading here\n============\n").title, "Heading here");
  EXPECT_EQ(file("a.txt", "a longer line of text\n---\n").title, "a.txt");
}
TEST(TextFile, IsHtmlByNameOrContent) {
  EXPECT_EQ(file("a.HTM", "<title>T</title>x").title, "T");
  EXPECT_EQ(file("a", "\n<!doctype HTML><title>T</title>x").body, "x");
  EXPECT_EQ(file("a.html", "<p>no title").title, "a.html");
}
TEST(TextFile, InMarkdownLosesItsMarks) {
  const Document document =
      file("README.md",
           "<!-- a\ncomment -->\n# The *Great* `tool` #\n\nSee [the docs](http://x.y/z) and ![pic](p.png) of "
           "some_name **bold**.\n\n- item\n> quote\n\n```sh\nmake *all*\n```\nPart\n----\n<b>tags</b> a < b\n");
  EXPECT_EQ(document.title, "The Great tool");
  EXPECT_EQ(
      document.body,
      "\nThe Great tool\n\nSee the docs and pic of some_name bold.\n\nitem\nquote\n\nmake *all*\nPart\ntags a < b\n");
  EXPECT_EQ(file("a.md", "---\ntitle: \"Front\"\nx: y\n---\ntext").title, "Front");
  EXPECT_EQ(file("a.md", "Under\n=====\ntext").title, "Under");
  EXPECT_EQ(file("a.md", "no heading").title, "a.md");
}
TEST(TextFile, InMarkdownLosesTheAttributesOfHeadings) {
  EXPECT_EQ(file("a.md", "# The *tool* {#tool .big}\n").body, "The tool\n");
  EXPECT_EQ(file("a.md", "# The tool{#tool}\n").title, "The tool");
  EXPECT_EQ(file("a.md", "# The tool ## {: #tool }\n").title, "The tool");
  EXPECT_EQ(file("a.md", "The tool {/* #tool */}\n---\nx").body, "The tool\nx\n");
  EXPECT_EQ(file("a.md", "# The tool [\u00b6](#tool)\n").title, "The tool");
  for (const std::string heading : {"Sets {a, b}", "${#array}", "{#}", "The {#id} mark"})
    EXPECT_EQ(file("a.md", "# " + heading + "\n").title, heading);
}
TEST(TextFile, InMarkdownTakesLinearTime) {
  for (const std::string_view mark : {"<a", "](", "[](", "< ", "][", "`", "<!-", "{"}) {
    std::string text;
    while (text.size() < (1 << 20)) text += mark;
    EXPECT_LE(file("a.md", text).body.size(), 2 * text.size());
    EXPECT_LE(file("a.md", "# " + text + ">)]").body.size(), 2 * text.size());
  }
}
TEST(TextFile, IsReadInTheEncodingThatItDeclares) {
  EXPECT_EQ(file("a.html", "<meta charset=iso-2022-jp><p>\x1b$BEl5~\x1b(B").body, "東京");
  const support::ScratchFolder folder;
  const std::string korean = "<meta charset=iso-2022-kr>\x1b$)C<title>\x0e\x47\x51\x0f</title><p>\x0e\x47\x51\x0f";
  const std::string japanese = "<meta charset=iso-2022-jp><p>\x1b$BEl5~\x1b(B";
  const Collected got = collect({write_in(folder, "a.html", korean), write_in(folder, "b.html", japanese)});
  ASSERT_EQ(got.documents.size(), 2u);
  EXPECT_EQ(got.documents[0].title + "|" + got.documents[0].body + "|" + got.documents[1].body, "한|한|東京");
  EXPECT_EQ(file("a.html", "<meta charset=gb2312><title>\xcd\xbc\xc6\xac</title>").title, "图片");
  EXPECT_EQ(file("a.html", "<meta charset=utf-8><p>caf\xe9").body, "caf\uFFFD");
  EXPECT_EQ(file("a.xhtml", "<html><title>T</title><script/><p>words").body, "words");
}
TEST(ManPage, GivesTitleAndText) {
  const Document page =
      file("man1/ls.1",
           ".\\\" comment\n.TH LS 1 \"May 2020\"\n.SH NAME\nls \\- list directory contents\n.SH SYNOPSIS\n"
           ".B ls\n[\\fIOPTION\\fR]...\n.TP\n\\fB\\-a\\fR, \\fB\\-\\-all\\fR\ndo not ignore\\&\n.IR file s \\\" why\n");
  EXPECT_EQ(page.title, "ls(1) - list directory contents");
  EXPECT_EQ(page.body,
            "NAME\nls - list directory contents\n\nSYNOPSIS\nls\n[OPTION]...\n-a, --all\ndo not ignore\nfiles\n");
}
TEST(ManPage, ReadsMdoc) {
  const Document page =
      file("x.1",
           ".Dd May 1, 2020\n.Dt CAT 1\n.Os\n.Sh NAME\n.Nm cat\n.Nd concatenate files\n.Sh SYNOPSIS\n.Nm\n"
           ".Op Fl bn\n.Op Ar file ...\n.Sh SEE ALSO\n.Xr head 1 ,\n.Xr tail 1\n");
  EXPECT_EQ(page.title, "cat(1) - concatenate files");
  EXPECT_THAT(page.body, HasSubstr("cat\n[-bn]\n[file ...]\n"));
  EXPECT_THAT(page.body, HasSubstr("head(1),\ntail(1)\n"));
}
TEST(ManPage, DropsDefinitionsAndConditions) {
  const TitledText page = man_page_to_text(
      ".TH A 3\n.de XX\nsecret\n..\n.ie n terminal\n.el paper\n.if t \\{\\\nhidden\n.if n deep\n.\\}\n.if !t shown\n"
      ".EQ\nx over y\n.EN\n.TS\nl l.\na\tb\n.TE\n.ig\nignored\n..\nend\n");
  EXPECT_EQ(page.body, "terminal\nshown\na\tb\nend\n");
  EXPECT_EQ(page.title, "A(3)");
}
TEST(ManPage, PrintsEscapes) {
  EXPECT_EQ(man_page_to_text("\\(co \\[u00E9] \\(:a\\*(lqx\\*(rq \\s-1SMALL\\s0 \\s+12x \\h'2n'a\\e\\~b\\z\xc3\xa9"
                             "c\\[nope]\\\"no\n")
                .body,
            "© é ä“x” SMALL 2x a\\ bc\n");
}
TEST(ManPage, IsToldByItsRequests) {
  EXPECT_TRUE(looks_like_man_page(".\\\" x\n.\\\"\n.TH A 1\n"));
  EXPECT_TRUE(looks_like_man_page("'\\\" t\n.\\\" x\n.TH A 1\n"));
  EXPECT_FALSE(looks_like_man_page("A text\n.TH A 1\n"));
  EXPECT_FALSE(looks_like_man_page(".profile is a file\n"));
  EXPECT_EQ(file("a.3", ".so man3/b.3\n").body, "See man3/b.3\n");
}
TEST(ManPage, SurvivesBrokenPages) {
  for (const std::string_view text : {".TH", ".if", ".ie \\{", ".de", ".el \\{ .el \\{", "\\", "\\f", "\\f[", "\\s'",
                                      "\\(", "\\z", ".B \"", ".B \\", ".TS\n", "\\h", ".Xr", ".SH", "T{"})
    EXPECT_THAT(man_page_to_text(text).title, Not(HasSubstr("\\"))) << text;
  std::string nested;
  for (int i = 0; i < 100000; ++i) nested += ".if n ";
  EXPECT_EQ(man_page_to_text(nested + "x").body, "");
}

}  // namespace
}  // namespace frond::indexer::ingest
