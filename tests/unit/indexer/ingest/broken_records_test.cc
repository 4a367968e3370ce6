// What a broken record costs: itself and little more, and no more time than its bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <set>

#include "tests/unit/indexer/ingest/files.h"

namespace frond::indexer::ingest {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int kRecords = 1000;

Collected read_as(std::string_view name, std::string_view content) {
  const support::ScratchFolder folder;
  return collect({write_in(folder, name, content)});
}
std::string number(int i) { return std::to_string(i); }

// Row 2 opens a field that `prose` lines follow.
std::string rows(std::string_view end, int prose, std::string_view body,
                 std::string_view line = "A line of prose in the open field.") {
  std::string file =
      "id,text" + std::string(end) + "1,first" + std::string(end) + "2,\"never closed" + std::string(end);
  for (int i = 0; i < prose; ++i) file.append(line).append(end);
  for (int i = 3; i <= kRecords; ++i) file.append(number(i)).append(",").append(body).append(end);
  return file;
}
TEST(BrokenCsv, LosesTheRowOfAQuotationMarkThatIsNeverClosedOnly) {
  for (const std::string_view end : {"\n", "\r\n"})
    for (const int prose : {0, 4, 5, 6, 50})
      for (const std::string_view body : {"body", "\"body, quoted\"", "\"body\nof two lines\"", "\"\""}) {
        const Collected got = read_as("x.csv", rows(end, prose, body));
        EXPECT_EQ(got.documents.size(), kRecords - 1u) << prose << " lines, then " << body;
        EXPECT_THAT(got.bad, ElementsAre(HasSubstr("record 3 at byte "))) << prose << " lines, then " << body;
        // A mark in the prose closes the field: then its row is a text, and the other lines are bad rows.
        const Collected closed = read_as("x.csv", rows(end, prose, body, "A \"line\" of prose."));
        EXPECT_EQ(closed.documents.size() + (prose == 0), kRecords + 0u) << prose << " lines, then " << body;
        EXPECT_THAT(closed.bad, SizeIs(std::max(prose - 1, prose == 0 ? 1 : 0))) << prose << " lines, then " << body;
      }
}
TEST(BrokenCsv, LosesTheRowThatOpensASurplusColumnOnly) {
  std::string file = rows("\n", 3, "body");
  file.insert(file.find("never"), "a\",\"b\",\"c\",\"");
  const Collected got = read_as("x.csv", file);
  EXPECT_EQ(got.documents.size(), kRecords - 1u);
  EXPECT_THAT(got.bad, SizeIs(1));
}
TEST(BrokenCsv, IsNotWhatHasLongFieldsOfManyLines) {
  std::string field;
  for (int i = 0; i < 5000; ++i) field += i % 3 == 0 ? "like, a row\n" : i % 3 == 1 ? "prose \"\"in\"\" marks\n" : "\n";
  const Collected got = read_as("x.csv", "id,text\n1,\"" + field + "\"\n2,\"" + field + "\"\r\n3,x\n");
  EXPECT_THAT(got.ids(), ElementsAre("1", "2", "3"));
  EXPECT_THAT(got.bad, IsEmpty());
}
TEST(BrokenCsv, IsNotTsv) {
  const Collected got = read_as("x.tsv", "1\t\"never closed\n2\tx\n3\t\"\n");
  EXPECT_THAT(got.ids(), ElementsAre("1", "2", "3"));
  EXPECT_EQ(got.documents[0].body, "\"never closed");
}

struct Layout {
  std::string_view before, between, after;
};
constexpr Layout kLayouts[] = {{"[", ",", "]"},     {"[\n", ",\n", "\n]\n"},    {"", "\n", "\n"},
                               {"", "", ""},        {"[ ", " , ", " ]"},        {"[\n  ", ",\n  ", "\n]\n"},
                               {"[\n", "\n,", "]"}, {"[\r\n", ",\r\n", "\r\n]"}};
std::string object(int i, bool pretty) {
  const std::string line = pretty ? "\n    " : "", space = pretty ? " " : "";
  return "{" + line + "\"id\":" + space + "\"" + number(i) + "\"," + line + "\"more\":" + space + "{\"k\":" + space +
         "[\"v w\"]}," + line + "\"text\":" + space + "[\"body " + number(i) + "\"," + space + "\"x\"]" +
         (pretty ? "\n  }" : "}");
}
std::string objects(const Layout& layout, bool pretty, const std::string& second, int records) {
  std::string file(layout.before);
  for (int i = 1; i <= records; ++i)
    file.append(i > 1 ? layout.between : "").append(i == 2 ? second : object(i, pretty));
  return file.append(layout.after);
}
// Without any one of its quotation marks, brackets and braces.
TEST(BrokenJson, LosesTheRecordOnly) {
  constexpr int kFew = 30;
  for (const Layout& layout : kLayouts)
    for (const bool pretty : {false, true}) {
      const std::string whole = object(2, pretty);
      for (std::size_t at = 0; at < whole.size(); ++at) {
        if (std::string_view("\"[]{}").find(whole[at]) == std::string_view::npos) continue;
        std::string second = whole;
        second.erase(at, 1);
        const support::ScratchFolder folder;
        const Collected got = collect({write_in(folder, "x", objects(layout, pretty, second, kFew))}, &kJson);
        const auto ids = got.ids();
        std::set<std::string> missing;
        for (int i = 1; i <= kFew; ++i)
          if (std::ranges::find(ids, number(i)) == ids.end()) missing.insert(number(i));
        EXPECT_THAT(missing, ElementsAre("2")) << objects(layout, pretty, second, 3);
        EXPECT_GE(got.bad.size(), 1u) << second;
        EXPECT_LE(got.bad.size(), 12u) << objects(layout, pretty, second, 3);
      }
    }
}
TEST(BrokenJson, IsNotWhatHoldsBracketsAndMarksInText) {
  const std::string text = R"(},{\"id\":\"9\"},\n{ ]},{ \\\\\" , \"},{\" )";
  std::string file;
  for (int i = 1; i <= 3; ++i)
    file += (i > 1 ? "," : "[") + std::string(R"({"id":)") + number(i) + R"(,"l":[{"a":[]},{},[[{}]]],"text":")" +
            text + "\"}";
  const Collected got = read_as("x.json", file + "]");
  EXPECT_THAT(got.ids(), ElementsAre("1", "2", "3"));
  EXPECT_THAT(got.bad, IsEmpty());
}

// Reads `make(n)` and `make(2 * n)`: not more than in proportion.
void expect_linear(std::string_view name, const std::function<std::string(int)>& make, int n,
                   const SourceFormat* format = nullptr) {
  const auto seconds = [&](int many) {
    const support::ScratchFolder folder;
    const auto path = write_in(folder, name, make(many));
    const std::clock_t begin = std::clock();
    EXPECT_THAT(collect({path}, format).error, IsEmpty());
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  const double once = seconds(n), twice = seconds(2 * n);
  EXPECT_LT(twice, 3 * once + 0.1) << name << ": " << once << " s, then " << twice << " s";
}
TEST(BrokenRecords, TakeTimeInProportionToTheirBytes) {
  const auto repeat = [](std::string_view before, const std::string& one) {
    return [=](int n) {
      std::string file(before);
      for (int i = 0; i < n; ++i) file += one;
      return file;
    };
  };
  std::string block = "a\",\"b\n";
  for (int i = 0; i < 15; ++i) block += number(i) + ",\"\"\n";
  expect_linear("x.csv", repeat("id,text\n", block), 4500);
  expect_linear("x.csv", repeat("id,text\n", "1,\"a\n2,\"\"\n3,\"\"\n4,\"\"\n5,\"\"\n"), 16'000);
  const std::string in_list = R"({"id":"1","text":"some text"},)";
  expect_linear("x.json", repeat("{\"id\":\"0\",\"t\":[\n", in_list), 50'000, &kJson);
  expect_linear("x.json", repeat("[", R"({"id":"1","text":"some text},)"), 50'000, &kJson);
  const std::string_view recovering = "[\n{\"a\":\n{\"b\":1}\n{\"id\":\"0\",\"text\":[\"x\"},";
  expect_linear("x.json", repeat(recovering, R"({"id":"1","text":["some text"},)"), 50'000, &kJson);
  expect_linear("x.json", repeat(recovering, R"({"id":"1","text":"some text"},)"), 50'000, &kJson);
  expect_linear("x.json", repeat("[\n{\"a\":\n{\"b\":1}\n{\"id\":\"0\",\"text\":\"", R"(they say "hi" )"), 100'000,
                &kJson);
  const auto record = [](const std::string& length) {
    return "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <a>\r\nWARC-Target-URI: http://x.org/\r\nContent-Type: "
           "text/plain\r\nContent-Length: " +
           length + "\r\n\r\nwords\r\n\r\n";
  };
  expect_linear("x.warc", repeat("", record("999999999999")), 7000);
  expect_linear("x.warc", repeat("", record("60000000")), 7000);
  expect_linear("x.warc", repeat("", record("500001")), 7000);
  const std::string other = "WARC/1.0\r\nContent-Length: 999999999999\r\n\r\nwords\r\n\r\n";
  expect_linear("x.warc", repeat("", other), 20'000);
  expect_linear("x.arc", repeat("", "http://x.org/ 192.0.2.1 20080101000000 text/html 99999999\nwords\n"), 15'000);
}

}  // namespace
}  // namespace frond::indexer::ingest
