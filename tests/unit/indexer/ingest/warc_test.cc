// Web archives: what of them is a document, what is skipped, what is a bad record.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "indexer/ingest/formats/archive.h"
#include "indexer/ingest/http/http_response.h"
#include "tests/unit/indexer/ingest/files.h"

namespace frond::indexer::ingest {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::string record(std::string_view fields, std::string_view block) {
  return "WARC/1.0\r\n" + std::string(fields) + "Content-Length: " + std::to_string(block.size()) + "\r\n\r\n" +
         std::string(block) + "\r\n\r\n";
}
std::string response(std::string_view id, std::string_view http) {
  return record("WARC-Type: response\r\nWARC-Record-ID: <" + std::string(id) + ">\r\nWARC-Target-URI: <http://x.org/" +
                    std::string(id) + ">\r\nContent-Type: application/http; msgtype=response\r\n",
                http);
}
std::string page(std::string_view type, std::string_view body, std::string_view more = "") {
  return "HTTP/1.1 200 OK\r\nContent-Type: " + std::string(type) + "\r\n" + std::string(more) + "\r\n" +
         std::string(body);
}
constexpr std::string_view kPage = "<title>A title</title><p>Some <b>words</b>.";

Collected read(std::string_view content, const SourceFormat* format = nullptr) {
  const support::ScratchFolder folder;
  return collect({write_in(folder, "x", content)}, format);
}

TEST(Warc, ReadsPagesWithTitleAndUrl) {
  const Collected got =
      read(record("WARC-Type: warcinfo\r\n", "software: x\r\n") + response("a", page("text/html", kPage)) +
           response("b", page("text/plain", "Plain  <words>\n")));
  ASSERT_EQ(got.documents.size(), 2u);
  EXPECT_EQ(got.documents[0].id, "a");
  EXPECT_EQ(got.documents[0].url, "http://x.org/a");
  EXPECT_EQ(got.documents[0].title, "A title");
  EXPECT_EQ(got.documents[0].body, "Some words.");
  EXPECT_EQ(got.documents[1].title + "|" + got.documents[1].body, "|Plain  <words>\n");
  EXPECT_EQ(got.skipped_records, "1 warc_other (x: record 1)");
  EXPECT_THAT(got.bad, IsEmpty());
}
TEST(Warc, ReadsEachRecordCompressedByItself) {
  std::string file;
  for (const char* id : {"a", "b", "c"}) file += gzipped(response(id, page("text/html", kPage)));
  EXPECT_THAT(read(file).ids(), ElementsAre("a", "b", "c"));
}
TEST(Warc, TakesBodiesOutOfChunksAndDecompressesThem) {
  const std::string gzip = gzipped(kPage);
  char size[16];
  std::snprintf(size, sizeof size, "%zx\r\n", gzip.size());
  const Collected got =
      read(response("a", page("text/html", size + gzip + "\r\n0\r\n\r\n",
                              "Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n")) +
           response("b", page("text/html", kPage, "transfer-encoding: chunked\r\ncontent-encoding: gzip\r\n")));
  ASSERT_EQ(got.documents.size(), 2u);
  for (const Document& document : got.documents) EXPECT_EQ(document.body, "Some words.");
}
TEST(Warc, RepairsUtf8AndReadsXhtmlAsXhtml) {
  const Collected got =
      read(response("a", page("text/html; charset=utf-8", "<meta charset=windows-1251>caf\xe9 \xd0\x9c")) +
           response("b", page("text/html; charset=nonsense", "<meta charset=windows-1251>\xcc\xee\xf1\xea\xe2\xe0")) +
           response("c", page("text/plain", "Погода \xe9 и столица")) +
           response("d", page("application/xhtml+xml", "<html><head><script/><title>T</title></head><body>words")));
  ASSERT_EQ(got.documents.size(), 4u);
  EXPECT_EQ(got.documents[0].body, "caf\uFFFD М");
  EXPECT_EQ(got.documents[1].body, "Москва");
  EXPECT_EQ(got.documents[2].body, "Погода \uFFFD и столица");
  EXPECT_EQ(got.documents[3].title + "|" + got.documents[3].body, "T|words");
}
TEST(Warc, ReadsAnyEncodingAndBelievesTheServerFirst) {
  const Collected got = read(
      response("a", page("text/html; charset=\"windows-1251\"", "<meta charset=iso-8859-1>\xcc\xee\xf1\xea\xe2\xe0")) +
      response("b", page("text/html", "<meta charset=windows-1251>\xcc\xee\xf1\xea\xe2\xe0")));
  ASSERT_EQ(got.documents.size(), 2u);
  for (const Document& document : got.documents) EXPECT_EQ(document.body, "Москва");
}
TEST(Warc, SkipsWhatIsNoPageByReason) {
  const Collected got = read(
      record("WARC-Type: request\r\n", "GET / HTTP/1.0\r\n\r\n") +
      record("WARC-Type: revisit\r\nContent-Type: application/http\r\n", "HTTP/1.1 304 Not Modified\r\n\r\n") +
      record("WARC-Type: response\r\nWARC-Target-URI: dns:x.org\r\nContent-Type: text/dns\r\n", "x") +
      record("WARC-Type: resource\r\nWARC-Target-URI: metadata://x/log\r\nContent-Type: text/plain\r\n", "x") +
      record("WARC-Type: response\r\nWARC-Segment-Number: 1\r\nContent-Type: application/http\r\n", "x") +
      record("WARC-Type: continuation\r\nWARC-Segment-Number: 2\r\n", "x") +
      response("a", "HTTP/1.1 301 Moved\r\nLocation: /\r\n\r\n<title>Moved</title>") +
      response("b", page("image/png", "no matter what")) + response("c", page("text/html", "%PDF-1.4 a liar")) +
      response("d", page("application/json", "{}")) + response("e", page("application/x-odd", "x")) +
      response("f", page("text/html", "x", "Content-Encoding: compress\r\n")) + response("g", page("text/html", "")) +
      response("h", page("application/octet-stream", std::string_view("\x7f"
                                                                      "ELF\2\1\1\0\0\0",
                                                                      10))) +
      response("i", page("text/xml", "<rss/>")));
  EXPECT_THAT(got.documents, IsEmpty());
  EXPECT_THAT(got.bad, IsEmpty());
  EXPECT_EQ(
      got.skipped_records,
      "1 empty (x: record 13), 1 pdf (x: record 9), 1 xml (x: record 15), 1 image (x: record 8), 1 program (x: "
      "record 14), 3 warc_other (x: record 1, x: record 3, x: record 4), 1 revisit (x: record 2), 2 segmented (x: "
      "record 5, x: record 6), 1 http_status (x: record 7), 1 coding (x: record 12), 1 code (x: record 10), 1 "
      "other_type (x: record 11)");
}
TEST(Warc, TellsThePagesOfServersThatNameNoType) {
  const Collected got = read(response("a", "HTTP/1.0 200\r\n\r\n<html><title>T</title>w") +
                             response("b", page("application/octet-stream", "just words")) +
                             response("c", page("text/plain", "<!DOCTYPE html><title>T</title>w")) +
                             response("d", "HTTP/1.1 100 Continue\r\n\r\n" + page("text/html", "<title>T</title>w")));
  ASSERT_EQ(got.documents.size(), 4u);
  EXPECT_EQ(got.documents[0].title, "T");
  EXPECT_EQ(got.documents[1].body, "just words");
  EXPECT_EQ(got.documents[2].title, "T");
  EXPECT_EQ(got.documents[3].title, "T");
}
TEST(Warc, ReadsConversionsAndResources) {
  const Collected got = read(
      "WARC/1.1\nWARC-Type: conversion\nWARC-Target-URI: http://x.org/\nWARC-Record-ID: <urn:1>\nContent-Type: "
      "text/plain\nContent-Length: 5\n\nWords\n\n" +
      record("WARC-Type: resource\r\nWARC-TREC-ID: clueweb09-en0000\r\nWARC-Record-ID: <urn:2>\r\nWARC-Target-URI: "
             "ftp://x.org/a\r\nContent-Type: text/html\r\n",
             kPage));
  EXPECT_THAT(got.ids(), ElementsAre("urn:1", "clueweb09-en0000"));
}
TEST(Warc, ReportsBrokenRecordsAndGoesOnBehindThem) {
  const std::string good = response("good", page("text/html", kPage));
  const Collected got =
      read(good + "junk\r\nmore junk\r\n" + good + "WARC/1.0\r\nWARC-Type: response\r\n\r\nblock\r\n" + good +
               record("WARC-Type: response\r\nContent-Type: application/http\r\n", "no response") + "WARC/1.0\r\n" +
               std::string(70'000, 'h') + "\r\n\r\n" + good + response("cut", page("text/html", kPage)).substr(0, 220),
           &kWarc);
  EXPECT_THAT(got.ids(), ElementsAre("good", "good", "good", "good"));
  EXPECT_THAT(got.bad,
              ElementsAre("x: record 2 at byte 256: what is here is no WARC record",
                          "x: record 4 at byte 529: a WARC record whose Content-Length is missing or no number",
                          "x: record 5 at byte 562: what is here is no WARC record",
                          "x: record 7 at byte 825: no HTTP response, or one whose head is longer than 64 KiB",
                          "x: record 8 at byte 925: a WARC head longer than 64 KiB",
                          "x: record 9 at byte 66471: what is here is no WARC record",
                          HasSubstr("the file ends inside the record")));
}
// With a length that is `more` than it is.
std::string longer(std::string record, int more) {
  const std::size_t at = record.find("Content-Length: ") + 16;
  const std::size_t end = record.find('\r', at);
  return record.replace(at, end - at, std::to_string(std::stoi(record.substr(at, end - at)) + more));
}
TEST(Warc, EndsARecordBeforeTheNextOneWhateverItsHeadSays) {
  const auto of = [](std::string_view id) { return response(id, page("text/html", kPage)); };
  for (const int more : {5, 60, 100, 1000, 100'000'000})
    for (const auto& pack : {+[](std::string_view plain) { return std::string(plain); },
                             +[](std::string_view plain) { return gzipped(plain); },
                             +[](std::string_view plain) { return bzipped(plain); },
                             +[](std::string_view plain) { return zstd_compressed(plain); }}) {
      const Collected got = read(pack(of("a")) + pack(longer(of("b"), more)) + pack(of("c")) + pack(of("d")));
      EXPECT_THAT(got.ids(), ElementsAre("a", "b", "c", "d")) << more;
      ASSERT_EQ(got.documents.size(), 4u);
      EXPECT_EQ(got.documents[1].body, "Some words.");
      EXPECT_THAT(got.bad, IsEmpty()) << more;
    }
  // A page in one chunk; other types; and a record that holds another as its page is whole.
  const std::string chunk = page("text/html", "5\r\nwords\r\n0\r\n\r\n", "Transfer-Encoding: chunked\r\n");
  EXPECT_EQ(read(longer(response("a", chunk), 60) + of("b")).documents.at(0).body, "words");
  EXPECT_THAT(read(longer(record("WARC-Type: request\r\n", "x"), 100) + of("a") + of("b")).ids(),
              ElementsAre("a", "b"));
  EXPECT_THAT(read(response("a", page("text/plain", "\n" + of("b"))) + of("c")).ids(), ElementsAre("a", "c"));
}
// Where every record is compressed by itself, one whose length is that of the next one, too, is told from one that
// holds another record; by any number of threads.
TEST(Warc, EndsARecordWithItsPartOfTheCompressedFile) {
  const auto of = [](std::string_view id, std::size_t bytes = 0) {
    std::mt19937 random(1);
    std::string noise;
    while (noise.size() < bytes) noise.push_back(static_cast<char>('a' + random() % 26));
    return response(id, page("text/plain", "words\n" + noise));
  };
  for (const auto& pack :
       {+[](std::string_view plain) { return gzipped(plain); }, +[](std::string_view plain) { return bzipped(plain); },
        +[](std::string_view plain) { return zstd_compressed(plain); }})
    for (const std::uint32_t threads : {1u, 3u}) {
      const support::ScratchFolder folder;
      const std::string next = of("b"), covers = longer(of("a"), static_cast<int>(next.size()));
      std::string file = pack(covers) + pack(next) + pack(of("c"));
      for (int i = 0; i < 8; ++i) file += pack(of("n", 300'000)) + pack(std::string());
      file += pack(covers) + pack(next) + pack(of("c")) + pack(response("d", page("text/plain", "\n" + next))) +
              pack(covers) + pack(next);
      ReadOptions options;
      options.limits.threads = threads;
      std::vector<std::string> bad, ids;
      const auto reader =
          RecordReader::open(
              {write_in(folder, "x", file)}, nullptr, [&](const BadRecord& one) { bad.push_back(one.reason); }, options)
              .value();
      while (const auto record = reader->next().value()) ids.push_back(parse_record(*record)->id);
      EXPECT_THAT(ids, ElementsAre("b", "c", "n", "n", "n", "n", "n", "n", "n", "n", "b", "c", "d", "b"));
      EXPECT_THAT(bad, testing::AllOf(testing::SizeIs(3), testing::Each(HasSubstr("Content-Length"))));
      // Without members of their own, it holds the other one as its page.
      EXPECT_THAT(read(pack(covers + next + of("c"))).ids(), ElementsAre("a", "c"));
    }
}
std::string arc(std::string_view url, std::string_view block,
                std::string_view fields = "192.0.2.1 20080101000000 text/html") {
  return std::string(url) + " " + std::string(fields) + " " + std::to_string(block.size()) + "\n" + std::string(block) +
         "\n";
}
TEST(Arc, ReadsPagesOfBothVersions) {
  const std::string one =
      arc("filedesc://x.arc", "1 0 Org\nURL IP-address Archive-date Content-type Archive-length\n\n",
          "0.0.0.0 20080101000000 text/plain");
  const std::string html = page("text/html; charset=iso-8859-1", "<title>A t\xeftle</title>words");
  Collected got = read(one + arc("http://x.org/a b", html) + arc("dns:x.org", "1.2.3.4") +
                       arc("http://x.org/c", page("image/png", "x")) + arc("https://x.org/d", page("text/plain", "d")));
  EXPECT_THAT(got.ids(), ElementsAre("20080101000000/http://x.org/a b", "20080101000000/https://x.org/d"));
  EXPECT_EQ(got.documents[0].url + "|" + got.documents[0].title + "|" + got.documents[0].body,
            "http://x.org/a b|A t\xc3\xaftle|words");
  EXPECT_THAT(got.skipped_records, AllOf(HasSubstr("2 warc_other"), HasSubstr("1 image")));
  EXPECT_THAT(got.bad, IsEmpty());
  // Version 2 has more fields; each record is compressed by itself.
  got =
      read(gzipped(arc("filedesc://x.arc", "2 0 Org\n", "0.0.0.0 20080101000000 text/plain 200 - - 0 x.arc")) +
           gzipped(arc("http://x.org/" + std::string(600, 'a'), html, "::1 20080101000000 text/html 200 - - 1 x.arc")));
  ASSERT_EQ(got.ids().size(), 1u);
  EXPECT_THAT(got.ids()[0], StartsWith("20080101000000/"));
  EXPECT_EQ(got.ids()[0].size(), 47u);  // a long URL as a checksum
}
TEST(Arc, GoesOnBehindBrokenRecords) {
  const auto of = [](std::string_view name) {
    return arc("http://x.org/" + std::string(name), page("text/html", kPage));
  };
  std::string longer = of("b");
  longer.insert(longer.find('\n'), "0");  // ten times its length
  const Collected got = read(of("a") + longer + of("c") + "junk\n" + of("d") + of("e").substr(0, 90));
  EXPECT_THAT(got.ids(), ElementsAre("20080101000000/http://x.org/a", "20080101000000/http://x.org/b",
                                     "20080101000000/http://x.org/c", "20080101000000/http://x.org/d"));
  EXPECT_THAT(got.bad,
              ElementsAre(HasSubstr("what is here is no ARC record"), HasSubstr("the file ends inside the record")));
}
TEST(Warc, ReportsAPageThatGrowsPastTheLimit) {
  const support::ScratchFolder folder;
  const std::string bomb = gzipped("<title>x</title>" + std::string(1 << 20, 'a'));
  const std::string file = response("a", page("text/html", bomb, "Content-Encoding: gzip\r\n")) +
                           response("b", page("text/html", std::string(1 << 20, 'a'))) +
                           response("c", page("image/png", std::string(1 << 20, 'a'))) +
                           response("d", page("text/html", kPage));
  ContentStream stream(ByteSource::open(write_in(folder, "x", file)).value());
  const auto cutter = kWarc.cut(64 << 10);
  std::vector<std::string> got;
  while (const std::optional<Cut> cut = cutter->next(stream).value())
    got.push_back(cut->skip_because ? std::string(name_of(*cut->skip_because)) : std::string(cut->problem));
  EXPECT_THAT(got, ElementsAre(StartsWith("longer than the limit"), StartsWith("longer than the limit"), "image", ""));
}
TEST(Warc, IsSkippedUnderAnotherFormat) {
  const support::ScratchFolder folder;
  write_in(folder, "in/x", response("a", page("text/html", kPage)));
  const auto reader = RecordReader::open({folder.path() / "in"}, format_named("jsonl").value(), {}).value();
  EXPECT_FALSE(reader->next()->has_value());
  EXPECT_THAT(to_string(reader->skipped()), StartsWith("1 warc ("));
}

TEST(HttpResponse, NeedsAStatusLineAndTheEndOfItsHead) {
  EXPECT_FALSE(http_response("HTTP/1.1 200 OK\r\nA: b\r\n"));
  EXPECT_FALSE(http_response("<html>"));
  EXPECT_FALSE(http_response("HTTP/1.1 20\r\n\r\n"));
  EXPECT_EQ(http_response("HTTP/1.1 404\r\n\r\nx")->head_bytes, 16u);
  const std::string text = "HTTP/1.1 200 OK\nContent-type: Text/HTML ;x; Charset=koi8-r; y\n\nbody";
  const auto response = http_response(text);
  EXPECT_EQ(response->type.essence, "text/html");
  EXPECT_EQ(response->type.charset, "koi8-r");
  EXPECT_EQ(text.substr(response->head_bytes), "body");
}
TEST(PageType, KnowsFamiliesOfTypes) {
  EXPECT_EQ(page_type("text/html").text, TextType::kHtml);
  EXPECT_EQ(page_type("image/svg+xml").skip_because, SkipReason::kImage);
  EXPECT_EQ(page_type("application/rss+xml").skip_because, SkipReason::kXml);
  EXPECT_EQ(page_type("application/vnd.ms-excel").skip_because, SkipReason::kOffice);
  EXPECT_EQ(page_type("application/x-font-ttf").skip_because, SkipReason::kFont);
  EXPECT_EQ(page_type("").skip_because, std::nullopt);
}

// Real archives; skipped where there are none. The numbers are those of the records' types, of the responses' status
// and media types; one page called text/plain is XML.
TEST(Warc, ReadsRealArchives) {
  const char* const from = std::getenv("FROND_DATA");
  const fs::path folder = fs::path(from ? from : "../shared/data") / "warc";
  if (!fs::exists(folder)) {
    std::printf("skipped: no %s\n", folder.c_str());
    return;
  }
  const Collected got = collect({folder});
  EXPECT_EQ(got.error, "");
  EXPECT_THAT(got.bad, IsEmpty());
  EXPECT_EQ(got.documents.size(), 135u);
  for (const char* const told : {"1 empty ", " 10 xml ", " 60 image ", " 8 media ", " 588 warc_other ", " 5 revisit ",
                                 " 49 http_status ", " 12 code "})
    EXPECT_THAT(got.skipped_records, HasSubstr(told));
  EXPECT_EQ(got.documents.back().title, "Archiveteam");  // chunked
}

}  // namespace
}  // namespace frond::indexer::ingest
