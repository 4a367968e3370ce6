// Records from paths: their order, formats, what is reported, and what ends the stream.
#include "indexer/ingest/files/record_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "indexer/ingest/records/record_cutter.h"
#include "tests/unit/indexer/ingest/files.h"

namespace frond::indexer::ingest {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string json(const std::string& id) { return R"({"id":")" + id + R"(","contents":"text"})" + "\n"; }

TEST(RecordReader, TakesInputsAsGivenAndFoldersInByteOrderOfPath) {
  const support::ScratchFolder folder;
  write_in(folder, "in/b.txt", "b");
  write_in(folder, "in/a/z.txt", "z");
  write_in(folder, "in/a/b/c.txt", "c");
  write_in(folder, "in/a.txt", "a");
  write_in(folder, "in/a0.txt", "0");
  const fs::path single = write_in(folder, "single.txt", "s");
  EXPECT_THAT(collect({single, folder.path() / "in"}, &kFiles).ids(),
              ElementsAre("single.txt", "a.txt", "a/b/c.txt", "a/z.txt", "a0.txt", "b.txt"));
}
TEST(RecordReader, TellsFilesOfSeveralInputsApartIfNamesAreEqual) {
  const support::ScratchFolder folder;
  for (const char* name : {"a/x.txt", "a/y/z.txt", "b/x.txt", "b/y.txt", "c/b/x.txt", "d.txt", "e/b/x.txt"})
    write_in(folder, "in/" + std::string(name), "text");
  const fs::path in = folder.path() / "in";
  using Ids = std::vector<std::string>;
  EXPECT_EQ(collect({in / "a", in / "d.txt"}, &kFiles).ids(), (Ids{"x.txt", "y/z.txt", "d.txt"}));
  EXPECT_EQ(collect({in / "a/", in / "b", in / "d.txt"}, &kFiles).ids(),
            (Ids{"x.txt", "y/z.txt", "b/x.txt", "y.txt", "d.txt"}));
  EXPECT_EQ(collect({in / "b", in / "a"}, &kFiles).ids(), (Ids{"b/x.txt", "y.txt", "x.txt", "y/z.txt"}));
  EXPECT_EQ(collect({in / "b", in / "c/b", in / "e/b"}, &kFiles).ids(),
            (Ids{"x.txt", "y.txt", "c/b/x.txt", "e/b/x.txt"}));
  EXPECT_EQ(collect({in / "a/x.txt", in / "b/x.txt"}, &kFiles).ids(), (Ids{"x.txt", "b/x.txt"}));
  EXPECT_EQ(collect({in / "b", in / "a/../b/."}, &kFiles).ids(), (Ids{"x.txt", "y.txt", "x.txt", "y.txt"}));
  // The label makes no name that another file has.
  write_in(folder, "in/a/b/x.txt", "text");
  EXPECT_EQ(collect({in / "a", in / "b"}, &kFiles).ids(), (Ids{"b/x.txt", "x.txt", "y/z.txt", "in/b/x.txt", "y.txt"}));
}
TEST(RecordReader, KeepsTheIdsOfAllFilesWhenAnotherOneComes) {
  const support::ScratchFolder folder;
  const auto ids = [&] { return collect({folder.path() / "la", folder.path() / "lb"}, &kFiles).ids(); };
  write_in(folder, "la/x.txt", "x of la");
  write_in(folder, "lb/y.txt", "y of lb");
  EXPECT_THAT(ids(), ElementsAre("x.txt", "y.txt"));
  write_in(folder, "lb/x.txt", "x of lb");
  EXPECT_THAT(ids(), ElementsAre("x.txt", "lb/x.txt", "y.txt"));
  // All ids stay, also if it is the first one by its path: all files are read again.
  write_in(folder, "la/y.txt", "y of la");
  EXPECT_THAT(ids(), ElementsAre("x.txt", "y.txt", "lb/x.txt", "lb/y.txt"));
}
TEST(RecordReader, ReadsBannersAsBadRecordsWhateverTheEnding) {
  const std::string_view jsonl = "{\"id\":\"1\",\"text\":\"x\"}\n{\"id\":\"2\",\"text\":\"y\"}\n";
  const std::string_view arc = "http://x.org/ 192.0.2.1 20080101000000 text/plain 24\nHTTP/1.1 200 OK\r\n\r\nwords\n";
  const std::string_view warc =
      "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <1>\r\nContent-Length: 5\r\n\r\nwords\r\n\r\n";
  const std::pair<std::string, std::string_view> kinds[] = {
      {"jsonl", jsonl}, {"ndjson", jsonl}, {"json", jsonl}, {"arc", arc}, {"warc", warc}};
  for (const auto& [ending, records] : kinds)
    for (const std::string junk : {"Exported from somewhere\n", "# two\n# lines\n", "{'x': 1}\n"})
      for (const bool packed : {false, true}) {
        const support::ScratchFolder folder;
        const auto write = [&, ending = ending](const std::string& at, const std::string& content) {
          return write_in(folder, at + "." + ending + (packed ? ".gz" : ""), packed ? gzipped(content) : content);
        };
        const fs::path file = write("in/good", junk + std::string(records));
        for (const fs::path& input : {file, folder.path() / "in"}) {
          const Collected got = collect({input});
          EXPECT_EQ(got.documents.size(), records == jsonl ? 2u : 1u) << input << ": " << junk;
          EXPECT_GE(got.bad.size(), 1u) << input << ": " << junk;
          for (const Document& document : got.documents) EXPECT_THAT(document.body, testing::Not(HasSubstr("Exp")));
        }
        const fs::path other = write("none/none", junk);
        for (const fs::path& input : {other, folder.path() / "none"}) {
          if (ending == "json" && junk.front() == '{') continue;  // JSON of another kind is a text in a folder
          EXPECT_THAT(collect({input}).documents, IsEmpty()) << input << ": " << junk;
        }
      }
}
TEST(RecordReader, PassesOverRepositoriesAndDatabases) {
  const support::ScratchFolder folder;
  write_in(folder, "in/a.txt", "text");
  for (const char* name : {"r/c/LOCK",
                           "r/c/generations/1.json",
                           "r/c/CURRENT",
                           "r/building/LOCK",
                           "r/building/builds/x/log",
                           "data/LOCK",
                           "data/CURRENT",
                           "data/MANIFEST-000005",
                           "data/LOG",
                           "copy/CURRENT",
                           "copy/generations/1.json",
                           "half/generations/1.json",
                           "half/partitions/p/x",
                           "locked/generations/1.json",
                           "locked/LOCK",
                           "db/CURRENT",
                           "db/MANIFEST-000005",
                           "mine/LOCK",
                           "mine/CURRENT",
                           "mine2/generations/x",
                           "mine3/partitions/x",
                           "mine4/LOCK",
                           "mine5/CURRENT",
                           "mine6/builds/x",
                           "mine7/CURRENT",
                           "mine7/partitions/x"})
    write_in(folder, "in/" + std::string(name), "text");
  const auto reader = RecordReader::open({folder.path() / "in"}, &kFiles, {}).value();
  std::vector<std::string> names;
  while (const auto record = reader->next().value()) names.push_back(record->name);
  EXPECT_THAT(names,
              ElementsAre("a.txt", "mine/CURRENT", "mine/LOCK", "mine2/generations/x", "mine3/partitions/x",
                          "mine4/LOCK", "mine5/CURRENT", "mine6/builds/x", "mine7/CURRENT", "mine7/partitions/x"));
  EXPECT_THAT(to_string(reader->skipped()), testing::StartsWith("7 repository ("));
}
TEST(RecordReader, ListsAllFilesThatItSkips) {
  const support::ScratchFolder folder;
  for (const char* name : {"a.txt", "b.pdf", "c.pdf", "d.pdf", "e\t.pdf", ".f"})
    write_in(folder, "in/" + std::string(name), std::string_view(name) == "a.txt" ? "no document" : "%PDF-1.7");
  const fs::path list = folder.path() / "list";
  ReadOptions options;
  options.list = std::make_shared<SkippedList>(list);
  const auto reader = RecordReader::open({folder.path() / "in"}, &kTrec, {}, options).value();
  EXPECT_FALSE(reader->next()->has_value());
  const std::string in = (folder.path() / "in/").string();
  EXPECT_EQ(support::read_file(list), "hidden\t" + in + ".f\nno_records\t" + in + "a.txt\npdf\t" + in + "b.pdf\npdf\t" +
                                          in + "c.pdf\npdf\t" + in + "d.pdf\npdf\t" + in + "e\\t.pdf\n");
  options.list = std::make_shared<SkippedList>("/dev/full");
  const auto full = RecordReader::open({folder.path() / "in"}, &kTrec, {}, options).value();
  EXPECT_THAT(full->next().error().message(), HasSubstr("/dev/full: the list of skipped files cannot be written"));
}
TEST(RecordReader, FollowsNoLinksInsideAFolder) {
  const support::ScratchFolder folder;
  const fs::path real = write_in(folder, "in/real.txt", "x");
  fs::create_symlink(folder.path() / "in", folder.path() / "in/loop");
  fs::create_symlink(real, folder.path() / "in/alias.txt");
  fs::create_symlink(folder.path() / "in", folder.path() / "link");
  EXPECT_THAT(collect({folder.path() / "link"}, &kFiles).ids(), ElementsAre("real.txt"));
}
TEST(RecordReader, RefusesInputsThatAreNotThere) {
  EXPECT_EQ(RecordReader::open({"/nowhere/at/all"}, nullptr, {}), Code::kNotFound);
  EXPECT_EQ(RecordReader::open({"/dev/null"}, nullptr, {}), Code::kInvalid);
  EXPECT_EQ(RecordReader::open({}, nullptr, {}), Code::kInvalid);
}
TEST(RecordReader, TellsTheFormatByContent) {
  const support::ScratchFolder folder;
  const fs::path jsonl = write_in(folder, "one", "\n" + json("j1") + json("j2"));
  const fs::path tsv = write_in(folder, "two", "t1\tsome text\nt2\tmore\n");
  const fs::path trec = write_in(folder, "three", "<DOC>\n<DOCNO> d1 </DOCNO>\n<TEXT>words</TEXT>\n</DOC>\n");
  EXPECT_THAT(collect({jsonl, tsv, trec}).ids(), ElementsAre("j1", "j2", "t1", "t2", "d1"));
  EXPECT_THAT(collect({write_in(folder, "four", "just a line of text\n")}).ids(), ElementsAre("four"));
  EXPECT_THAT(collect({write_in(folder, "five", "")}).error, IsEmpty());
}
TEST(RecordReader, TellsTheFormatOfEachFileInAFolder) {
  const support::ScratchFolder folder;
  write_in(folder, "in/1", json("a"));
  write_in(folder, "in/2.txt", "Some text");
  write_in(folder, "in/3.csv", "id,text\nb,words\n");
  EXPECT_THAT(collect({folder.path() / "in"}).ids(), ElementsAre("a", "2.txt", "b"));
}
TEST(RecordReader, TakesTsvWithoutASuffixInAFolderOfNothingElse) {
  const support::ScratchFolder tables, mixed;
  write_in(tables, "in/1", "a\tone\n");
  write_in(tables, "in/2", "b\ttwo\n");
  EXPECT_THAT(collect({tables.path() / "in"}).ids(), ElementsAre("a", "b"));
  write_in(mixed, "in/1", "a\tone\n");
  write_in(mixed, "in/2", "Some text\n");
  EXPECT_THAT(collect({mixed.path() / "in"}).ids(), ElementsAre("1", "2"));
}
TEST(RecordReader, ReportsMalformedRecordsWithTheirPlaceAndGoesOn) {
  const support::ScratchFolder folder;
  const Collected got =
      collect({write_in(folder, "x.jsonl", json("a") + "{broken\n\n" + R"({"contents":"no id"})" + "\n" + json("b"))});
  EXPECT_THAT(got.ids(), ElementsAre("a", "b"));
  ASSERT_EQ(got.bad.size(), 2u);
  EXPECT_THAT(got.bad[0], testing::StartsWith("x.jsonl: record 2 at byte 29: broken JSON"));
  EXPECT_THAT(got.bad[1], testing::StartsWith("x.jsonl: record 4 at byte 38: no \"id\""));
}
// What goes on in a folder between the walk's beginning and its end.
struct Changed {
  std::vector<std::string> bad;
  std::string error;
  std::size_t records = 0;
};
Changed read_while(const fs::path& input, const std::function<void()>& change, bool skip) {
  Changed seen;
  const auto reader = RecordReader::open(
      {input}, nullptr, [&](const BadRecord& bad) { seen.bad.push_back(bad.file + ": " + bad.reason); },
      {.skip_unreadable = skip});
  EXPECT_TRUE(reader);
  for (;;) {
    const auto record = (*reader)->next();
    if (!record) seen.error = record.error().message();
    if (!record || !*record) return seen;
    if (seen.records++ == 0) change();
  }
}
TEST(RecordReader, EndsAtAFileOrFolderThatCannotBeRead) {
  for (const bool skip : {false, true}) {
    const support::ScratchFolder folder;
    const fs::path in = folder.path() / "in";
    for (const char* name : {"in/1", "in/2", "in/3", "in/4/5", "in/6"}) write_in(folder, name, json(name));
    const Changed file = read_while(
        in, [&] { fs::remove(in / "2"); }, skip);
    const std::string gone = (in / "2").string() + ": cannot open: No such file or directory";
    EXPECT_EQ(file.records, skip ? 4u : 1u);
    EXPECT_EQ(file.bad, skip ? std::vector<std::string>{gone} : std::vector<std::string>{});
    EXPECT_EQ(file.error, skip ? "" : gone + "; --unreadable-files skip goes on without what can't be read");
    const Changed listed = read_while(
        in, [&] { fs::remove_all(in / "4"); }, skip);
    const std::string unlisted = (in / "4").string() + ": cannot list the folder: No such file or directory";
    EXPECT_EQ(listed.records, skip ? 3u : 2u);
    EXPECT_EQ(listed.bad, skip ? std::vector<std::string>{unlisted} : std::vector<std::string>{});
    EXPECT_EQ(listed.error.starts_with(unlisted), !skip) << listed.error;
  }
}
TEST(RecordReader, EndsAtALastFolderThatCannotBeListed) {
  const support::ScratchFolder folder;
  write_in(folder, "in/1", json("a"));
  write_in(folder, "in/2/3", json("b"));
  const fs::path in = folder.path() / "in";
  const Changed seen = read_while(
      in, [&] { fs::remove_all(in / "2"); }, false);
  EXPECT_EQ(seen.records, 1u);
  EXPECT_THAT(seen.error, HasSubstr("cannot list the folder"));
}
TEST(RecordReader, EndsWithADamagedRecordFileButLosesOnlyADamagedDocument) {
  const support::ScratchFolder folder;
  const std::string whole = gzipped(json("a") + json("b"));
  const Collected records = collect({write_in(folder, "x.gz", whole.substr(0, whole.size() - 6))}, &kJsonl);
  EXPECT_EQ(records.error, "x.gz: at byte " + std::to_string(whole.size() - 6) + ": gzip: the stream is cut short");
  write_in(folder, "in/a.gz", whole.substr(0, whole.size() - 6));
  write_in(folder, "in/b.txt", "fine");
  const Collected files = collect({folder.path() / "in"}, &kFiles);
  EXPECT_THAT(files.ids(), ElementsAre("b.txt"));
  EXPECT_THAT(files.bad, ElementsAre(HasSubstr("the stream is cut short")));
  EXPECT_EQ(files.error, "");
}
TEST(RecordReader, CountsWhatItSkipsByReasonWithExamples) {
  const support::ScratchFolder folder;
  write_in(folder, "in/a.png", std::string_view("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16));
  for (const char* name : {"in/b.pdf", "in/c.pdf", "in/d.pdf", "in/e.pdf"}) write_in(folder, name, "%PDF-1.4 text");
  write_in(folder, "in/f.txt", "text");
  write_in(folder, "in/.git/config", "hidden");
  write_in(folder, "in/.h", "hidden");
  fs::create_symlink("f.txt", folder.path() / "in/link");
  const auto skipped = [&](const SourceFormat* format, bool hidden) {
    auto reader = RecordReader::open({folder.path() / "in"}, format, {}, {.hidden = hidden}).value();
    while (reader->next()->has_value()) {
    }
    std::string told = to_string(reader->skipped());
    const std::string prefix = (folder.path() / "in/").string();
    for (std::size_t at; (at = told.find(prefix)) != told.npos;) told.erase(at, prefix.size());
    return told;
  };
  EXPECT_EQ(skipped(nullptr, false),
            "2 hidden (.git, .h), 1 symbolic_link (link), 4 pdf (b.pdf, c.pdf, d.pdf, …), 1 image (a.png)");
  EXPECT_EQ(skipped(&kFiles, true), "1 symbolic_link (link), 4 pdf (b.pdf, c.pdf, d.pdf, …), 1 image (a.png)");
}
TEST(RecordReader, CountsWhatIsPassedOverInOneShareOnly) {
  const support::ScratchFolder folder;
  for (int i = 0; i < 6; ++i) {
    const std::string sub = "in/" + std::to_string(i);
    write_in(folder, sub + "/a.txt", "some text");
    write_in(folder, sub + "/.hidden", "some text");
    write_in(folder, sub + "/empty", "");
  }
  std::uint64_t hidden = 0, empty = 0;
  for (std::uint32_t i = 0; i < 3; ++i) {
    auto reader = RecordReader::open({folder.path() / "in"}, nullptr, {}, {.share = {i, 3}}).value();
    while (reader->next()->has_value()) {
    }
    hidden += reader->skipped().by_reason()[static_cast<std::size_t>(SkipReason::kHidden)].count;
    empty += reader->skipped().by_reason()[static_cast<std::size_t>(SkipReason::kEmpty)].count;
  }
  EXPECT_EQ(hidden, 6u);
  EXPECT_EQ(empty, 6u);
}
TEST(RecordReader, CountsBytesReadAndStored) {
  const support::ScratchFolder folder;
  const std::string plain = json("a") + json("b"), stored = gzipped(plain);
  auto reader = RecordReader::open({write_in(folder, "x.gz", stored)}, nullptr, {});
  ASSERT_TRUE(reader);
  EXPECT_EQ((*reader)->stored_bytes_total(), stored.size());
  while ((*reader)->next()->has_value()) {
  }
  EXPECT_EQ((*reader)->bytes_read(), plain.size());
  EXPECT_EQ((*reader)->stored_bytes_read(), stored.size());
}

}  // namespace
}  // namespace frond::indexer::ingest
