#include "common/repository/manifest.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/partition/file_checksum.h"
#include "common/repository/files.h"
#include "tests/support/manifests.h"

namespace frond::repository {
namespace {

TEST(Manifest, ReadsWhatItWrote) {
  const Manifest written = support::example_manifest(7, 3);
  const auto read = manifest_from_json(to_json(written));
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(to_json(*read), to_json(written));
  EXPECT_EQ(read->partitions[2].summary.files, written.partitions[2].summary.files);
  EXPECT_EQ(read->analyzer, written.analyzer);
}

TEST(Manifest, ReadsTheOrderAndDoesWithoutOne) {
  Manifest written = support::example_manifest(7, 1);
  written.order = "bp";
  EXPECT_EQ(manifest_from_json(to_json(written))->order, "bp");
  written.order.clear();
  const std::string old = to_json(written);
  EXPECT_EQ(old.find("order"), std::string::npos);
  const auto read = manifest_from_json(old);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->order, "");
}

// Older versions do not know the member, so it is there only where it says something.
TEST(Manifest, ReadsHowFieldsAreStoredAndDoesWithout) {
  Manifest written = support::example_manifest(7, 1);
  const std::string old = to_json(written);
  EXPECT_EQ(old.find("stored_compression"), std::string::npos);
  EXPECT_EQ(manifest_from_json(old)->stored, partition::StoredCompression::kSmall);
  written.stored = partition::StoredCompression::kFast;
  std::string text = to_json(written);
  const auto read = manifest_from_json(text);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->stored, partition::StoredCompression::kFast);
  EXPECT_EQ(to_json(*read), text);
}

TEST(Manifest, RefusesAWayToStoreFieldsThatItDoesNotKnow) {
  auto changed = nlohmann::json::parse(to_json(support::example_manifest(7, 1)));
  changed["manifest"]["stored_compression"] = "tiny";
  changed["xxh3"] = partition::xxh3_hex(as_bytes(changed["manifest"].dump()));
  const auto read = manifest_from_json(changed.dump());
  ASSERT_EQ(read, Code::kCorrupt);
  EXPECT_NE(read.error().message().find("manifest.stored_compression"), std::string::npos) << read.error().message();
}

TEST(Manifest, ReadsTheInputAndDoesWithoutOne) {
  Manifest written = support::example_manifest(7, 1);
  EXPECT_EQ(to_json(written).find("input\": {"), std::string::npos);
  EXPECT_EQ(manifest_from_json(to_json(written))->input, InputFiles{});
  written.input = {3, 4711, std::string(32, 'a')};
  const auto read = manifest_from_json(to_json(written));
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->input, written.input);
  written.input.xxh3 = "0";
  const auto refused = manifest_from_json(to_json(written));
  ASSERT_EQ(refused, Code::kCorrupt);
  EXPECT_NE(refused.error().message().find("manifest.input.xxh3"), std::string::npos) << refused.error().message();
}

TEST(Manifest, RefusesAnOrderThatIsNoName) {
  Manifest manifest = support::example_manifest(7, 1);
  manifest.order = "by url";
  const auto read = manifest_from_json(to_json(manifest));
  ASSERT_EQ(read, Code::kCorrupt);
  EXPECT_NE(read.error().message().find("manifest.order"), std::string::npos) << read.error().message();
}

TEST(Manifest, NamesTheAnalyzerUnlessItIsTheFirst) {
  Manifest written = support::example_manifest(7, 1);
  const std::string old = to_json(written);
  EXPECT_NE(old.find("frond-manifest-1"), std::string::npos);
  EXPECT_EQ(old.find("fold_accents"), std::string::npos);
  EXPECT_EQ(manifest_from_json(old)->analyzer.kind, text::AnalyzerKind::kStandard);
  written.analyzer = {text::Stemmer::kFrench, false, text::AnalyzerKind::kStandard2, true};
  const std::string json = to_json(written);
  EXPECT_NE(json.find("frond-manifest-2"), std::string::npos);
  const auto read = manifest_from_json(json);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->analyzer, written.analyzer);
  EXPECT_EQ(json.find("split_case"), std::string::npos) << "which versions that know standard2 do not know";
  for (const bool split_case : {false, true}) {
    written.analyzer = {text::Stemmer::kFrench, false, text::AnalyzerKind::kStandard3, true, split_case};
    const auto third = manifest_from_json(to_json(written));
    ASSERT_TRUE(third) << third.error().message();
    EXPECT_EQ(third->analyzer, written.analyzer);
  }
}

TEST(Manifest, RefusesWhatTheAnalyzerDoesNotHave) {
  Manifest written = support::example_manifest(7, 1);
  const auto expect_refused = [&] {
    const auto read = manifest_from_json(to_json(written));
    ASSERT_EQ(read, Code::kCorrupt);
    EXPECT_NE(read.error().message().find("manifest.analyzer.name"), std::string::npos) << read.error().message();
  };
  written.analyzer.stemmer = text::Stemmer::kFrench;
  expect_refused();
  written.analyzer = {text::Stemmer::kFrench, false, text::AnalyzerKind::kStandard3, true, true};
  std::string json = to_json(written);
  json.replace(json.find("standard3"), 9, "standard2");
  EXPECT_EQ(manifest_from_json(json), Code::kCorrupt);
}

TEST(Manifest, HasTheStopWords) {
  Manifest written = support::example_manifest(7, 1);
  for (const text::StopWords& stop_words :
       {text::StopWords(false), text::StopWords(true), *text::StopWords::named("french"),
        *text::StopWords::own({"l\u00e0", "ici"})})
    for (const auto kind :
         {text::AnalyzerKind::kStandard, text::AnalyzerKind::kStandard2, text::AnalyzerKind::kStandard3}) {
      written.analyzer = {text::Stemmer::kPorter, stop_words, kind};
      const auto read = manifest_from_json(to_json(written));
      ASSERT_TRUE(read) << read.error().message();
      EXPECT_EQ(read->analyzer, written.analyzer) << stop_words.name();
    }
  const auto refused = [&](const nlohmann::json& value) {
    nlohmann::json file = nlohmann::json::parse(to_json(written));
    file["manifest"]["analyzer"]["stop_words"] = value;
    const std::string inner = file["manifest"].dump();
    file["xxh3"] = partition::xxh3_hex(as_bytes(inner));
    const auto read = manifest_from_json(file.dump());
    EXPECT_EQ(read, Code::kCorrupt) << value;
    EXPECT_NE(read.error().message().find("manifest.analyzer.stop_words"), std::string::npos) << read.error().message();
    return read.error().message();
  };
  EXPECT_NE(refused("klingon").find("'klingon'"), std::string::npos);
  refused("own");
  refused(1);
  refused(nullptr);
  refused(nlohmann::json::array());
  refused(nlohmann::json::array({"a", 1}));
  refused(nlohmann::json::array({"a", ""}));
}

TEST(Manifest, SaysWhichAnalyzerItDoesNotKnow) {
  Manifest written = support::example_manifest(7, 1);
  written.analyzer.kind = text::AnalyzerKind::kStandard2;
  nlohmann::json file = nlohmann::json::parse(to_json(written));
  file["manifest"]["analyzer"]["name"] = "standard9";
  const std::string inner = file["manifest"].dump();
  file["xxh3"] = partition::xxh3_hex(as_bytes(inner));
  const auto read = manifest_from_json(file.dump());
  ASSERT_EQ(read, Code::kCorrupt);
  EXPECT_NE(read.error().message().find("manifest.analyzer.name"), std::string::npos) << read.error().message();
  EXPECT_NE(read.error().message().find("'standard9'"), std::string::npos) << read.error().message();
}

Manifest changed_manifest() {
  Manifest manifest = support::example_manifest(5, 2);
  const std::string checksum(32, 'b');
  manifest.term_statistics.name = "2.terms.sst";
  manifest.changes = {{"3.changes.sst", 10, checksum}, {"5.changes.sst", 11, checksum}};
  manifest.partitions[1].hidden = {3, 20, 15};
  manifest.statistics.documents -= 3;
  manifest.statistics.tokens -= 20;
  manifest.postings -= 15;
  return manifest;
}

TEST(Manifest, HasAFormatOfItsOwnOnceItIsChanged) {
  const Manifest manifest = changed_manifest();
  const std::string text = to_json(manifest);
  EXPECT_NE(text.find("frond-manifest-3"), std::string::npos);
  const auto read = manifest_from_json(text);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->changes, manifest.changes);
  EXPECT_EQ(read->term_statistics, manifest.term_statistics);
  EXPECT_EQ(read->partitions[1].hidden, manifest.partitions[1].hidden);
  EXPECT_EQ(read->partitions[0].hidden, HiddenCounts());
  EXPECT_EQ(to_json(support::example_manifest(5, 2)).find("changes"), std::string::npos);
}

TEST(Manifest, HasAFormatOfItsOwnWhereDocumentsHavePriors) {
  Manifest manifest = support::example_manifest(5, 3);
  manifest.partitions[1].summary.files.push_back({"arrays-priors0001.sst", 7, std::string(32, 'b')});
  std::string text = to_json(manifest);
  EXPECT_NE(text.find("\"frond-manifest-4\""), std::string::npos);
  const auto read = manifest_from_json(text);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_TRUE(read->partitions[1].summary.has_priors());
  EXPECT_FALSE(read->partitions[0].summary.has_priors());
  manifest.term_statistics.name = "4.terms.sst";
  manifest.changes = {{"5.changes.sst", 9, std::string(32, 'c')}};
  const auto changed = manifest_from_json(to_json(manifest));
  ASSERT_TRUE(changed) << changed.error().message();
  EXPECT_EQ(changed->changes, manifest.changes);
}

// Of a collection with a schema, in which documents are hidden.
Manifest manifest_with_schema() {
  Manifest manifest = changed_manifest();
  manifest.schema =
      R"({"fields":{"title":{"type":"text","field_search":true},"year":{"type":"integer"}},"source":"stored","scorer":"bm25"})";
  manifest.field_tokens.assign(2, 0);
  for (auto& entry : manifest.partitions) entry.summary.field_tokens = {10, 0};
  manifest.partitions[0].summary.field_tokens = {10};  // from before it gained a field
  manifest.partitions[1].hidden.field_tokens = {3, 0};
  manifest.field_tokens[0] = 10 * manifest.partitions.size() - 3;
  return manifest;
}

TEST(Manifest, HasAFormatOfItsOwnWithASchema) {
  Manifest manifest = manifest_with_schema();
  const std::string text = to_json(manifest);
  EXPECT_NE(text.find("\"frond-manifest-5\""), std::string::npos);
  const auto read = manifest_from_json(text);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->schema, manifest.schema);
  EXPECT_EQ(read->field_tokens, manifest.field_tokens);
  EXPECT_EQ(read->partitions[1].summary.field_tokens, (partition::FieldTokens{10, 0}));
  EXPECT_EQ(read->partitions[1].hidden, manifest.partitions[1].hidden);
  manifest.partitions[1].summary.files.push_back({"arrays-priors0001.sst", 7, std::string(32, 'b')});
  EXPECT_TRUE(manifest_from_json(to_json(manifest)));
  EXPECT_EQ(to_json(changed_manifest()).find("field_tokens"), std::string::npos);
}

TEST(Manifest, RefusesFieldsThatCannotBe) {
  const auto refused = [](const char* member, auto damage) {
    Manifest manifest = manifest_with_schema();
    damage(manifest);
    const auto read = manifest_from_json(to_json(manifest));
    ASSERT_EQ(read, Code::kCorrupt) << member;
    EXPECT_NE(read.error().message().find(member), std::string::npos) << read.error().message();
  };
  refused("schema", [](Manifest& m) { m.schema = "{"; });
  refused("field_tokens", [](Manifest& m) { m.field_tokens.pop_back(); });
  refused("field_tokens", [](Manifest& m) { ++m.field_tokens[0]; });
  refused("field_tokens", [](Manifest& m) { m.partitions[0].summary.field_tokens = {10, 0, 1}; });
  refused("hidden tokens", [](Manifest& m) { m.partitions[1].hidden.field_tokens = {11}; });
}

TEST(Manifest, RefusesChangesThatCannotBe) {
  const auto refused = [](const char* member, auto damage) {
    Manifest manifest = changed_manifest();
    damage(manifest);
    const auto read = manifest_from_json(to_json(manifest));
    ASSERT_EQ(read, Code::kCorrupt) << member;
    EXPECT_NE(read.error().message().find(member), std::string::npos) << read.error().message();
  };
  refused("hidden", [](Manifest& m) { m.partitions[1].hidden.documents = 1000; });
  refused("statistics.documents", [](Manifest& m) { m.partitions[1].hidden.documents = 2; });
  refused("changes", [](Manifest& m) { m.changes[1].name = "6.changes.sst"; });
  refused("changes", [](Manifest& m) { m.changes[1].name = "3.changes.sst"; });
  refused("changes", [](Manifest& m) { m.changes[1].name = "x.changes.sst"; });
  refused("changes", [](Manifest& m) { m.changes[1].name = "04.changes.sst"; });
  refused("changes", [](Manifest& m) { m.changes.clear(); });
  refused("term_statistics", [](Manifest& m) { m.term_statistics.name = "6.terms.sst"; });
}

TEST(Manifest, CallsEveryTruncationCorrupt) {
  const std::string json = to_json(support::example_manifest(7, 1));
  for (std::size_t length = 0; length + 1 < json.size(); ++length)
    ASSERT_EQ(manifest_from_json(json.substr(0, length)), Code::kCorrupt) << length << " bytes";
}

TEST(Manifest, CallsEveryChangedDigitCorrupt) {
  const std::string json = to_json(support::example_manifest(7, 1));
  for (std::size_t at = 0; at < json.size(); ++at) {
    if (json[at] < '0' || json[at] > '8') continue;
    std::string changed = json;
    ++changed[at];
    ASSERT_EQ(manifest_from_json(changed), Code::kCorrupt) << "at " << at;
  }
}

TEST(Manifest, NamesTheMemberThatIsWrong) {
  auto manifest = support::example_manifest(7, 2);
  manifest.partitions[1].summary.files[0].name = "../../etc/passwd";
  const auto read = manifest_from_json(to_json(manifest));
  ASSERT_EQ(read, Code::kCorrupt);
  EXPECT_NE(read.error().message().find("partitions[1].files[0].name"), std::string::npos) << read.error().message();
}

TEST(Manifest, RefusesNumbersThatDoNotAddUp) {
  auto manifest = support::example_manifest(7, 2);
  ++manifest.statistics.tokens;
  EXPECT_EQ(manifest_from_json(to_json(manifest)), Code::kCorrupt);
}

TEST(Manifest, SurvivesDeepNesting) {
  EXPECT_EQ(manifest_from_json(std::string(200'000, '[')), Code::kCorrupt);
  EXPECT_EQ(
      manifest_from_json(R"({"manifest":)" + std::string(200'000, '[') + std::string(200'000, ']') + R"(,"xxh3":""})"),
      Code::kCorrupt);
}

TEST(Manifest, HasNoSumsThatBeginAtZeroAgain) {
  Manifest written = support::example_manifest(7, 5);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  for (auto& partition : written.partitions) partition.summary.tokens = kMost;
  written.statistics.tokens = 5 * kMost;  // modulo 2^64
  ASSERT_EQ(written.statistics.tokens, kMost);
  const auto read = manifest_from_json(to_json(written));
  ASSERT_EQ(read, Code::kCorrupt);
  EXPECT_NE(read.error().message().find("sums above 2^62"), std::string::npos) << read.error().message();
}

TEST(CurrentLine, HasNoNumberWhoseNextOneIsZero) {
  EXPECT_EQ(parse_current_line("4611686018427387904 7\n")->epoch, 7u);
  for (const char* const text : {"18446744073709551615\n", "4611686018427387905\n", "1 18446744073709551615\n"})
    EXPECT_EQ(parse_current_line(text), Code::kCorrupt) << text;
  EXPECT_EQ(generation_of("18446744073709551615.json"), 0u);
  EXPECT_EQ(number_of("18446744073709551615"), 0u);
}

TEST(Manifest, HasAContentThatBeginsItsChecksumInEveryCopy) {
  auto manifest = support::example_manifest(7, 2);
  const std::string json = to_json(manifest);
  const std::string checksum = json.substr(json.rfind("\"xxh3\"") + 9, 32);
  const auto read = manifest_from_json(json);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(to_hex(read->content), checksum.substr(0, 16)) << json;
  std::string spread;
  for (const char c : json) spread += c == ',' ? std::string(" ,\n") : std::string(1, c);
  EXPECT_EQ(manifest_from_json(spread)->content, read->content);
  manifest.partitions[0].id = "g7-p0-01";
  EXPECT_NE(manifest_from_json(to_json(manifest))->content, read->content) << "the same number, other content";
}

TEST(SafeNames, StayInTheirFolder) {
  for (const auto name : {"a", "g1-p0-ab12", "postings-000.sst", "A_b.c"}) EXPECT_TRUE(is_safe_name(name)) << name;
  for (const auto name : {"", ".", "..", ".hidden", "a/b", "a b", "a\\b", "caf\xc3\xa9"})
    EXPECT_FALSE(is_safe_name(name)) << name;
  EXPECT_FALSE(is_safe_name(std::string(129, 'a')));
}

}  // namespace
}  // namespace frond::repository
