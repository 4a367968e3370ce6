// Files whose format does not say how text is encoded are read in one encoding from the first record to the last.
#include <gtest/gtest.h>

#include <utility>

#include "indexer/ingest/records/parse_record.h"
#include "tests/unit/indexer/ingest/files.h"

namespace frond::indexer::ingest {
namespace {

using Texts = std::vector<std::string>;

// A file of a format with these texts.
std::string file_of(const SourceFormat& format, const Texts& texts) {
  std::string file = &format == &kCsv ? "id,text\n" : "";
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string id = "d" + std::to_string(i);
    if (&format == &kTsv) file += id + "\t" + texts[i] + "\n";
    if (&format == &kCsv) file += id + ",\"" + texts[i] + "\"\n";
    if (&format == &kJsonl) file += R"({"id":")" + id + R"(","text":")" + texts[i] + "\"}\n";
    if (&format == &kJson) file += (i == 0 ? "[" : ",") + (R"({"id":")" + id) + R"(","text":")" + texts[i] + "\"}\n";
  }
  return file + (&format == &kJson ? "]\n" : "");
}
const std::vector<const SourceFormat*> kFormatsOfOneEncoding = {&kTsv, &kCsv, &kJsonl, &kJson};

Texts bodies(const std::vector<Document>& documents) {
  Texts all;
  for (const Document& document : documents) all.push_back(document.body);
  return all;
}
Texts read(const SourceFormat& format, const std::string& content) {
  const support::ScratchFolder folder;
  const Collected found = collect({write_in(folder, "file", content)}, &format);
  EXPECT_TRUE(found.bad.empty() && found.error.empty());
  return bodies(found.documents);
}

// Enough for a detector.
const Texts kLatin = {
    "El se\xf1or Mu\xf1oz vive en Espa\xf1"
    "a desde hace muchos a\xf1os",
    "plain words",
    "La econom\xed"
    "a del pa\xeds creci\xf3 m\xe1s r\xe1pido de lo que se hab\xed"
    "a previsto",
    "tambi\xe9n tengo que comprar jab\xf3n y az\xfa"
    "car ma\xf1"
    "ana por la ma\xf1"
    "ana",
    "se\xf1or",
    "\xc3\xa9"};
const Texts kLatinInUtf8 = {"El señor Muñoz vive en España desde hace muchos años",
                            "plain words",
                            "La economía del país creció más rápido de lo que se había previsto",
                            "también tengo que comprar jabón y azúcar mañana por la mañana",
                            "señor",
                            "Ã©"};

TEST(OneEncoding, IsUtf8ByItsMark) {
  for (const SourceFormat* const format : kFormatsOfOneEncoding)
    EXPECT_EQ(read(*format, "\xef\xbb\xbf" + file_of(*format, {"plain", "caf\xc3\xa9 nic\xff", "\xf1"})),
              (Texts{"plain", "café nic\uFFFD", "\uFFFD"}))
        << format->name;
}

TEST(OneEncoding, IsUtf8IfTheBeginningIs) {
  Texts given(999, "caf\xc3\xa9"), wanted(999, "café");
  for (Texts* const all : {&given, &wanted}) all->push_back(all == &given ? "se\xf1or \xc3\xa9" : "se\uFFFDor é");
  for (const SourceFormat* const format : kFormatsOfOneEncoding) {
    EXPECT_EQ(read(*format, file_of(*format, given)), wanted) << format->name;
    EXPECT_EQ(read(*format, file_of(*format, {"plain", "words"})), (Texts{"plain", "words"})) << format->name;
  }
}

TEST(OneEncoding, IsDetectedInTheWholeBeginning) {
  for (const SourceFormat* const format : kFormatsOfOneEncoding)
    EXPECT_EQ(read(*format, file_of(*format, kLatin)), kLatinInUtf8) << format->name;
}

TEST(OneEncoding, IsNotThatOfACharacterThatTheBeginningCuts) {
  Texts given(40000, "\xc3\xa9");
  for (const std::string before : {"", "x"}) {
    given[0] = before + "\xff";
    EXPECT_EQ(read(kTsv, file_of(kTsv, given)).at(20000), "é");
  }
}

// What is decided does not depend on how much is read at a time, nor on where reading begins.
TEST(OneEncoding, IsTheSameFromAnyPlaceOn) {
  Texts given = kLatin, wanted = kLatinInUtf8;
  for (int i = 0; i < 3000; ++i) {
    given.push_back(kLatin[static_cast<std::size_t>(i % 5)]);
    wanted.push_back(kLatinInUtf8[static_cast<std::size_t>(i % 5)]);
  }
  const support::ScratchFolder folder;
  for (const SourceFormat* const format : {&kTsv, &kJsonl}) {
    const auto path = write_in(folder, "file", file_of(*format, given));
    for (const LinesAtOnce lines : {LinesAtOnce{}, LinesAtOnce{200, 5}, LinesAtOnce{64 << 10, 100000}}) {
      std::vector<Document> documents;
      const auto take = [&](const RawRecord& record) {
        LineRecords all(record);
        if (record.lines == 0) documents.push_back(parse_record(record).value());
        while (const RawRecord* const line = record.lines > 0 ? all.next() : nullptr)
          documents.push_back(parse_record(*line).value());
      };
      // Each reader gives some records, and another one goes on behind them.
      std::optional<ReadPosition> from;
      for (bool more = true; more;) {
        ReadOptions options{.lines = lines, .from = from ? &*from : nullptr};
        const auto reader = RecordReader::open({path}, format, {}, std::move(options)).value();
        for (int i = 0; more && (i < 500 || !reader->between_records()); ++i) {
          const auto record = reader->next().value();
          more = record.has_value();
          if (more) take(*record);
        }
        if (more) from = reader->position();
      }
      EXPECT_EQ(bodies(documents), wanted) << format->name;
    }
  }
}

TEST(OneEncoding, IsNotedWhereARecordIsNotAsItWasGiven) {
  const support::ScratchFolder folder;
  for (const SourceFormat* const format : kFormatsOfOneEncoding)
    for (const bool latin : {true, false}) {
      const Texts given = latin ? kLatin : Texts{"caf\xc3\xa9", "\xff \xc3\xa9 \xc3\xa9", "plain"};
      std::vector<bool> noted;
      for (const Document& document : collect({write_in(folder, "file", file_of(*format, given))}, format).documents)
        noted.push_back(document.not_utf8);
      EXPECT_EQ(noted, (latin ? std::vector<bool>{true, false, true, true, true, true}
                              : std::vector<bool>{false, true, false}))
          << format->name;
    }
}

}  // namespace
}  // namespace frond::indexer::ingest
