// The kind of a file, from its first bytes and its name: markup, text of two bytes a character, files without text,
// formats of records.
#include <gtest/gtest.h>

#include "common/text/utf8.h"
#include "indexer/ingest/encoding/encoding.h"
#include "indexer/ingest/files/file_kind.h"
#include "indexer/ingest/formats/csv.h"
#include "indexer/ingest/formats/formats.h"

namespace frond::indexer::ingest {
namespace {

using namespace std::string_view_literals;

TEST(Markup, IsHtmlAsBrowsersTell) {
  for (const std::string tag : {"<!DOCTYPE HTML", "<HTML", "<HEAD", "<SCRIPT", "<IFRAME", "<H1", "<DIV", "<FONT",
                                "<TABLE", "<A", "<STYLE", "<TITLE", "<B", "<BODY", "<BR", "<P", "<!--"}) {
    EXPECT_EQ(markup_of(tag + ">x"), Markup::kHtml) << tag;
    EXPECT_EQ(markup_of("\t\n\f\r " + tag + " x"), Markup::kHtml) << tag;
    std::string lower = tag;
    for (char& c : lower) c = static_cast<char>(std::tolower(c));
    EXPECT_EQ(markup_of(lower + ">x"), Markup::kHtml) << tag;
    if (tag == "<!--") continue;
    EXPECT_EQ(markup_of(tag + "x"), tag[1] == '!' ? Markup::kXml : Markup::kNone) << tag;
  }
}
TEST(Markup, BehindCommentsAndDeclarationsIsWhatStandsThere) {
  EXPECT_EQ(markup_of("<!-- a --> <!--b--><html>"), Markup::kHtml);
  EXPECT_EQ(markup_of("<!-- a -->text"), Markup::kHtml);
  EXPECT_EQ(markup_of("<!-- a --><project><x/></project>"), Markup::kXml);
  EXPECT_EQ(markup_of("<?xml version='1.0'?>\n<!-- x -->\n<html xmlns='y'>"), Markup::kHtml);
  EXPECT_EQ(markup_of("<?xml version='1.0'?><!DOCTYPE html PUBLIC 'x'>"), Markup::kHtml);
  EXPECT_EQ(markup_of("<?xml version='1.0'?><rss>"), Markup::kXml);
  EXPECT_EQ(markup_of("<?xml version='1.0'?>"), Markup::kXml);
  EXPECT_EQ(markup_of("<?xml-stylesheet a?><p>"), Markup::kXml);
  EXPECT_EQ(markup_of("<?php echo 1;"), Markup::kNone);
}
TEST(Markup, IsXmlWhenItIsNoHtml) {
  EXPECT_EQ(markup_of("<!DOCTYPE doctype PUBLIC \"-//w3c//dtd html 4.0 transitional//en\">"), Markup::kHtml);
  EXPECT_EQ(markup_of("<!DOCTYPE book SYSTEM 'docbook.dtd'>"), Markup::kXml);
  EXPECT_EQ(markup_of("<svg xmlns='http://www.w3.org/2000/svg'>"), Markup::kXml);
  EXPECT_EQ(markup_of("<note>x</note>"), Markup::kXml);
  for (const std::string_view text : {"<nick> hello", "<someone@example.org> wrote", "< 5", "<", "", "a < b", "<3 <3"})
    EXPECT_EQ(markup_of(text), Markup::kNone) << text;
}
TEST(Markup, InTextIsWhatNothingElseBeginsWith) {
  EXPECT_EQ(markup_in_text("<html>"), Markup::kHtml);
  EXPECT_EQ(markup_in_text("\n<!doctype html>"), Markup::kHtml);
  EXPECT_EQ(markup_in_text("<?xml version='1.0'?><a/>"), Markup::kXml);
  for (const std::string_view text : {"<p align=center>", "<!-- x -->", "<template></template>", "<script>", "<b>"})
    EXPECT_EQ(markup_in_text(text), Markup::kNone) << text;
}
TEST(TextKind, HeedsTheName) {
  EXPECT_EQ(text_kind("a/b.HTM.gz", "no tag"), TextKind::kHtml);
  EXPECT_EQ(text_kind("README.md", "<p align=center><img></p>"), TextKind::kMarkdown);
  EXPECT_EQ(text_kind("README.md", "<!DOCTYPE html>"), TextKind::kHtml);
  EXPECT_EQ(text_kind("a.vue", "<template><p></template>"), TextKind::kPlain);
  EXPECT_EQ(text_kind("a.php", "<p>x"), TextKind::kHtml);
  EXPECT_EQ(text_kind("17", "s<html>"), TextKind::kHtml);
  EXPECT_EQ(text_kind("17", "#!/bin/sh\ncat <<E\n<html>"), TextKind::kPlain);
  EXPECT_EQ(text_kind("a.py", "x = '''\n<html>"), TextKind::kPlain);
  EXPECT_EQ(text_kind("a.xml", "<note>x</note>"), TextKind::kXml);
}

std::string wide(std::u32string_view text, std::string_view encoding) {
  std::string out;
  const std::size_t unit = encoding.starts_with("UTF-32") ? 4 : 2;
  const auto put = [&](char32_t value) {
    for (std::size_t i = 0; i < unit; ++i)
      out.push_back(static_cast<char>(value >> 8 * (encoding.ends_with("LE") ? i : unit - 1 - i)));
  };
  for (const char32_t c : text) {
    if (unit == 4 || c < 0x10000) {
      put(c);
    } else {
      put(0xd800 + ((c - 0x10000) >> 10));
      put(0xdc00 + ((c - 0x10000) & 0x3ff));
    }
  }
  return out;
}
TEST(WideText, IsToldWithoutAMark) {
  constexpr std::u32string_view kTexts[] = {U"plain English words, and a few lines.\r\nMore of them.",
                                            U"Съешь же ещё этих мягких французских булок, да выпей чаю.",
                                            U"いろは にほへと ちりぬるを、わかよたれそ。\nABC 123\n",
                                            U"a \U0001F600 smile and text", U"<html><title>x</title>"};
  for (const std::u32string_view text : kTexts)
    for (const std::string_view encoding : {"UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"}) {
      const std::string bytes = wide(text, encoding);
      std::string utf8, storage;
      for (const char32_t c : text) text::append_utf8(c, utf8);
      EXPECT_EQ(wide_encoding(bytes), encoding) << utf8;
      EXPECT_EQ(plain_beginning(bytes, storage), utf8);
      EXPECT_FALSE(binary_kind(bytes)) << utf8;
    }
}
TEST(WideText, IsNotTextWithAFewNuls) {
  for (const std::string_view text :
       {"one\0NUL"sv, "\0\0in front"sv, "behind\0\0\0"sv, "caf\xe9\0 au lait"sv, "x\0"sv, "\0"sv, ""sv}) {
    EXPECT_EQ(wide_encoding(text), "") << text;
    EXPECT_FALSE(binary_kind(text)) << text;
  }
  EXPECT_EQ(wide_encoding(std::string(4000, 'x') + std::string(1, '\0') + "yes"), "");
  std::string storage;
  EXPECT_EQ(plain_beginning("\0\0<h\0tml>"sv, storage), "<html>");
  EXPECT_EQ(plain_beginning("\xef\xbb\xbfx", storage), "x");
}

TEST(FileKind, IsNamed) {
  std::string tar(512, '\0');
  tar.replace(0, 5, "a.txt");
  tar.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : tar) sum += static_cast<unsigned char>(c);
  char digits[8];
  std::snprintf(digits, sizeof digits, "%06o", sum);
  tar.replace(148, 6, digits);
  EXPECT_EQ(known_kind(tar), SkipReason::kArchive);
  EXPECT_EQ(known_kind("%PDF-1.7"), SkipReason::kPdf);
  EXPECT_EQ(known_kind("{\\rtf1"), SkipReason::kRtf);
  EXPECT_EQ(known_kind("PK\3\4____________________________mimetypeapplication/epub+zip"), SkipReason::kOffice);
  EXPECT_EQ(known_kind("PK\3\4x"), SkipReason::kArchive);
  EXPECT_EQ(known_kind("WARC/1.0\r\n"), SkipReason::kWarc);
  EXPECT_EQ(known_kind("\x8d\x01\x08\x01\x10\x09\x18\x03\x20\x09\x28\x03"sv), SkipReason::kCiff);
  for (const std::string_view text : {"PK is a word", "BM", "MZ", "GIF is pronounced", "some ftyp", "{", "PAR1", ""})
    EXPECT_FALSE(known_kind(text)) << text;
  EXPECT_EQ(binary_kind("MZ\x90\1\2\3\4\5\6\7"), SkipReason::kProgram);
  EXPECT_EQ(binary_kind("\1\2\3\4\5\6\7"), SkipReason::kBinary);
  EXPECT_FALSE(binary_kind("B\bBo\bol\bld\bd \x1b[1mtext\x1b[0m"));
}

std::string told(std::string_view path, std::string_view bytes, bool in_folder, const SourceFormat* wanted = nullptr) {
  const auto format = tell_format({.path = path, .bytes = bytes, .whole = true, .in_folder = in_folder}, wanted);
  if (const auto* const reason = std::get_if<SkipReason>(&format)) return "-" + std::string(name_of(*reason));
  return std::string(std::get<const SourceFormat*>(format)->name);
}
TEST(SourceFormat, IsToldByContentAndName) {
  struct Case {
    std::string_view path, bytes, alone, in_folder;
  };
  for (const Case& c : {
           Case{"x", R"({"id":"a","text":"x"})", "jsonl", "jsonl"},
           {"x.jsonl", "{\"_id\":\"a\"}\n{}\n", "jsonl", "jsonl"},
           {"x", "{\"id\": \"broken\n{\"id\":\"a\",\"text\":\"x\"}\n", "jsonl", "jsonl"},
           {"x.log", "{\"time\":1}\n{\"time\":2}\n", "jsonl", "files"},
           {"package.json", "{\n\"name\": \"x\"\n}", "json", "files"},
           {"doc.json", "{\n\"id\": 1,\n\"text\": \"x\"\n}", "json", "json"},
           {"x.json", "[\n {\"id\":1,\"title\":\"x\"}]", "json", "json"},
           {"x.md", "[link](x)", "files", "files"},
           {"x", "{{template}}", "files", "files"},
           {"x.c", "{ int x; }", "files", "files"},
           {"x", "\n<DOC>\n<DOCNO>1</DOCNO>", "trec", "trec"},
           {"wiki_00", "<doc id=\"1\" url=\"u\" title=\"t\">\n", "wikiextractor", "wikiextractor"},
           {"x.txt", "<doc>\n<docno>1</docno>", "trec", "trec"},
           {"x.xml", "<?xml version='1.0'?>\n<Root>\n<Doc>\n<DocNo>1</DocNo>", "trec", "trec"},
           {"x.xml", "<root><doc><name>1</name></doc></root>", "-xml", "-xml"},
           {"x.jsonl", "Exporting 2 documents...\n{\"id\":\"1\"}\n", "jsonl", "jsonl"},
           {"x.ndjson", "{'id': '0'}\n{\"id\":\"1\"}\n", "jsonl", "jsonl"},
           {"x.jsonl.gz", "[\"id\",\"text\"]\n{\"id\":\"1\"}\n", "jsonl", "jsonl"},
           {"x.jsonl", "just words\n", "-no_records", "-no_records"},
           {"x.json", "just words\n", "-no_records", "-no_records"},
           {"x.json.gz", "Exporting...\n{\"id\":\"1\",\"text\":\"x\"}\n", "jsonl", "jsonl"},
           {"x.json", "// 2 documents\n\n[\n {\"id\":\"1\",\"text\":\"x\"},\n", "json", "json"},
           {"x.json", "{'id': '0'}\n{\"id\":\"1\",\"text\":\"x\"}\n", "jsonl", "jsonl"},
           {"tsconfig.json", "// a comment\n{\n \"strict\": true\n}", "json", "files"},
           {"x.json", "Exporting...\n{\"id\":\"1\"}\n", "jsonl", "files"},
           {"x.json", "[1, 2]\n", "-no_records", "files"},
           {"x.tsv", "just words\n", "-no_records", "-no_records"},
           {"x.tsv", "# exported\na\tone\n", "tsv", "tsv"},
           {"x.warc", "words\nWARC/1.0\r\n", "warc", "warc"},
           {"x.warc", "words\n", "-no_records", "-no_records"},
           {"x.arc", "words\nhttp://x.org/ 192.0.2.1 20080101000000 text/html 70\nHTTP/1.1 200", "arc", "arc"},
           {"x.arc.gz", "words\n", "-no_records", "-no_records"},
           {"x.arc", "\1\2\3\4\5noise", "-binary", "-binary"},
           {"x.jsonl", "\1\2\3\4\5noise", "-binary", "-binary"},
           {"x", "filedesc://x.arc 0.0.0.0 20080101000000 text/plain 70\n", "arc", "arc"},
           {"x", "http://x.org/ 192.0.2.1 20080101000000 text/html 70\nHTTP/1.1 200", "arc", "arc"},
           {"x.pkl", "\x80\4\x95 text", "-data", "-data"},
           {"x", "a\tone\nb\ttwo\n", "tsv", "files"},
           {"x.tsv", "a\tone\nb\ttwo\n", "tsv", "tsv"},
           {"x.txt", "Note:\tone line has a tab\nthis has none\nnor this", "files", "files"},
           {"qrels.tsv", "query-id\tcorpus-id\tscore\n1\t2\t1\n", "tsv", "-columns"},
           {"x.tsv", "id\ttext\n1\tx\n", "csv", "csv"},
           {"x", "id,text\n1,x\n", "csv", "files"},
           {"x.csv", "ID;Body\n1;x\n", "csv", "csv"},
           {"x.csv", "1,2\n3,4\n", "-columns", "-columns"},
           {"x",
            "\xff\xfe{\0\"\0i\0d\0\"\0:\0"
            "1\0,\0\"\0t\0e\0x\0t\0\"\0:\0"
            "1\0}\0"sv,
            "-wide_records", "-wide_records"},
           {"x", " \n", "-empty", "-empty"},
           {"x", "\0\0"sv, "-empty", "-empty"},
           {"x", "<?xml version='1.0'?><mediawiki/>", "wiki", "wiki"},
           {"x", "<?xml version='1.0'?><note/>", "-xml", "-xml"},
           {"x", "WARC/1.0\r\nWARC-Type: warcinfo\r\n", "warc", "warc"},
           {"x", "words", "files", "files"},
       }) {
    EXPECT_EQ(told(c.path, c.bytes, false), c.alone) << c.path << ": " << c.bytes;
    EXPECT_EQ(told(c.path, c.bytes, true), c.in_folder) << c.path << ": " << c.bytes;
  }
  EXPECT_EQ(told("x.json", "{\"id\":1}", true, &kFiles), "files");
  EXPECT_EQ(told("x", "words", true, &kJsonl), "jsonl");
  EXPECT_EQ(told("x", "%PDF-1.7", true, &kJsonl), "-pdf");
}

TEST(Csv, TakesFieldsApart) {
  using Fields = std::vector<std::string>;
  EXPECT_EQ(csv_fields("a,b", ','), (Fields{"a", "b"}));
  EXPECT_EQ(csv_fields("", ','), (Fields{""}));
  EXPECT_EQ(csv_fields(",", ','), (Fields{"", ""}));
  EXPECT_EQ(csv_fields("\"a,\"\"b\"\"\",5\" x,\"\"", ','), (Fields{"a,\"b\"", "5\" x", ""}));
  EXPECT_EQ(csv_fields("\"a\"b,\"open", ','), (Fields{"ab", "open"}));
}
TEST(Csv, KnowsColumnsByName) {
  using Field = CsvColumns::Field;
  const CsvColumns columns = csv_columns("x; Title ;DOCID;id;Text").value();
  EXPECT_EQ(columns.separator, ';');
  EXPECT_EQ(columns.fields, (std::vector{Field::kOther, Field::kTitle, Field::kOther, Field::kId, Field::kBody}));
  EXPECT_FALSE(csv_columns("a,b"));
  const FieldNames wanted{.id = {"KEY"}, .body = {"b", "a"}, .join_bodies = true};
  EXPECT_EQ(csv_columns("a,id,key,B", wanted)->fields,
            (std::vector{Field::kBody, Field::kOther, Field::kId, Field::kBody}));
}

}  // namespace
}  // namespace frond::indexer::ingest
