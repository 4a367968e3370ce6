// docs/input-formats.md is true: each of its example files gives the documents shown below it, and its tables have
// every format, field name and reason.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "indexer/ingest/records/document.h"
#include "tests/unit/indexer/ingest/files.h"

namespace frond::indexer::ingest {
namespace {

std::string page() {
  std::ifstream in("docs/input-formats.md");
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Example {
  std::string format, name;  // of the file
  std::string content;
  std::string expected;  // a line a record
};

// A block of ```<format> <file name>, and then one of ```json.
std::vector<Example> examples() {
  std::istringstream in(page());
  std::vector<Example> all;
  std::string* block = nullptr;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```") && !block) {
      const std::size_t space = line.find(' ');
      if (space != line.npos) all.push_back({line.substr(3, space - 3), line.substr(space + 1), {}, {}});
      if (!all.empty()) block = space != line.npos ? &all.back().content : &all.back().expected;
    } else if (line.starts_with("```")) {
      block = nullptr;
    } else if (block) {
      *block += line + "\n";
    }
  }
  return all;
}

std::string shown(const Document& document) {
  nlohmann::ordered_json json;
  json["id"] = document.id;
  if (!document.url.empty()) json["url"] = document.url;
  if (!document.title.empty()) json["title"] = document.title;
  json["text"] = document.body;
  return json.dump();
}

TEST(TheInputFormats, AreReadAsTheirExamplesSay) {
  std::set<std::string> formats;
  for (const Example& example : examples()) {
    SCOPED_TRACE(example.name);
    formats.insert(example.format);
    const support::ScratchFolder folder;
    write_in(folder, "in/" + example.name, example.content);
    const std::string path = folder.path() / "in" / example.name;
    std::string got;
    const auto report = [&](const BadRecord& bad) {
      const std::string text = to_string(bad);
      EXPECT_TRUE(text.starts_with(path + ": "));
      got += nlohmann::json{{"bad", text.substr(path.size() + 2)}}.dump() + "\n";
    };
    const auto reader = RecordReader::open({folder.path() / "in"}, nullptr, report).value();
    while (const std::optional<RawRecord> record = reader->next().value()) {
      EXPECT_EQ(record->format->name, example.format);
      const Result<Document> document = parse_record(*record);
      if (document)
        got += shown(*document) + "\n";
      else
        report(bad_record(*record, document.error()));
    }
    std::string expected;
    std::istringstream lines(example.expected);
    for (std::string line; std::getline(lines, line);) expected += nlohmann::ordered_json::parse(line).dump() + "\n";
    EXPECT_EQ(got, expected);
  }
  EXPECT_EQ(formats.size(), source_formats().size());
}

TEST(TheInputFormats, AreAllOnThePage) {
  const std::string text = page();
  const auto expect = [&](std::string_view name, const std::string& before) {
    EXPECT_NE(text.find(before + "`" + std::string(name) + "`"), text.npos) << name;
  };
  for (const SourceFormat* const format : source_formats()) expect(format->name, "\n| ");
  for (std::size_t i = 0; i < kSkipReasons; ++i) expect(name_of(static_cast<SkipReason>(i)), "");
  const auto expect_row = [&](const std::string& row, std::span<const std::string_view> names) {
    std::string cell;
    for (const std::string_view name : names) cell += (cell.empty() ? "`" : ", `") + std::string(name) + "`";
    EXPECT_NE(text.find("\n| " + row + " | " + cell + " |"), text.npos) << row;
  };
  expect_row("id", kIdNames);
  expect_row("title", kTitleNames);
  expect_row("text", kBodyNames);
  expect_row("URL", kUrlNames);
}

}  // namespace
}  // namespace frond::indexer::ingest
