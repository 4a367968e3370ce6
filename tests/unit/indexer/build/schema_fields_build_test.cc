// Builds of collections with a schema, and changes of them.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/schema/schema_json.h"
#include "indexer/build/schema_inference.h"
#include "indexer/change/change_publication.h"
#include "indexer/change/removed_terms.h"
#include "indexer/check/check.h"
#include "indexer/parse/document_tokens.h"
#include "tests/support/ranges.h"
#include "tests/unit/indexer/build/made_up_builds.h"

namespace frond::indexer {
namespace {

using schema::Value;
using support::ScratchFolder;

constexpr std::string_view kSchema =
    R"({"fields":{"title":{"type":"text","weight":3,"positions":true,"field_search":true},)"
    R"("body":{"type":"text","positions":true,"field_search":true},"rank":{"type":"float"}}})";

std::string replaced(std::string_view what, std::string_view by) {
  std::string schema(kSchema);
  return schema.replace(schema.find(what), what.size(), by);
}
std::shared_ptr<const schema::Schema> schema_of(std::string_view json) {
  return std::make_shared<const schema::Schema>(schema::parse_schema(json).value());
}
BuildOptions with_schema(const ScratchFolder& folder, std::string_view json) {
  BuildOptions options = options_for(folder, "r", 2);
  options.take_schema(schema_of(json));
  return options;
}
void remove(const BuildOptions& options, std::vector<std::string> ids) {
  const auto next = [&ids]() -> Result<std::optional<std::string>> {
    if (ids.empty()) return std::optional<std::string>();
    auto id = std::make_optional(std::move(ids.back()));
    ids.pop_back();
    return id;
  };
  const auto removed = change::remove_documents({options.repository, "test"}, next, {});
  ASSERT_TRUE(removed) << removed.error().message();
}
void expect_sound(const BuildOptions& options) {
  const auto report = check::check_generation(options.repository, "test");
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->faults, 0u) << (report->listed.empty() ? "" : report->listed[0].what);
}

// The same terms as those of documents that are taken one by one, without what the parser remembers of words.
TEST(SchemaBuild, HasTheTokensOfEveryFieldAndTheValues) {
  const ScratchFolder folder;
  const auto documents = random_documents(6, 800);
  support::write_file(folder / "input.jsonl", jsonl_of(documents));
  const BuildOptions options = with_schema(folder, kSchema);
  const auto summary = run(options);
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_EQ(summary->manifest.schema, schema::schema_text(*options.schema));
  expect_sound(options);

  parse::DocumentTokens tokens(options.schema, options.invert.analyzer);
  std::map<std::string, std::map<Ordinal, Frequency>> postings;
  std::map<std::string, int> ids;
  Ordinal next = 0;
  std::uint64_t length = 0;
  for (const Source& d : documents) {
    if (!ids.emplace(d.id, 0).second) continue;
    length += tokens.take(d.title, d.body, {}, [&](std::string_view term, std::uint32_t times) {
      postings[std::string(term)][next] += times;
    });
    ++next;
  }
  EXPECT_EQ(read_generation(options.repository, summary->manifest).postings, postings);
  EXPECT_EQ(summary->manifest.statistics.tokens, length);
}

TEST(SchemaBuild, TellsWhatRemovedDocumentsTakeAwayByTheirTexts) {
  const ScratchFolder folder;
  support::write_file(folder / "input.jsonl", jsonl_of(random_documents(7, 300)));
  const BuildOptions options = with_schema(folder, kSchema);
  const auto summary = run(options);
  ASSERT_TRUE(summary) << summary.error().message();
  const auto& entry = summary->manifest.partitions[0];
  support::Ranges ranges(options.repository / "test" / "partitions" / entry.id);
  const auto ranged = partition::RangedPartition::open("p", entry.summary, ranges.reader());
  change::RemovedTerms removed(summary->manifest.analyzer, {}, change::kHeldTermBytes, options.schema);
  std::vector<DocId> unknown;
  const std::vector<DocId> docids = {0, 3, 50};
  const auto counts = removed.add_told(*ranged, docids, unknown);
  ASSERT_TRUE(counts) << counts.error().message();
  EXPECT_TRUE(unknown.empty());
  EXPECT_GT(counts->tokens, 0u);
  remove(options, {"d1", "d8"});
  expect_sound(options);
}

TEST(SchemaBuild, MayGainFieldsAndChangesNone) {
  const ScratchFolder folder;
  support::write_file(folder / "input.jsonl", jsonl_of(random_documents(8, 100)));
  ASSERT_TRUE(run(with_schema(folder, kSchema)));
  BuildProgress progress;
  Logger logger("test", LogLevel::kError);
  support::write_file(folder / "input.jsonl",
                      R"({"id":"d1","title":"t","body":"b","rank":2,"note":"aside","tag":["y","x"]})");
  const auto changed = add(with_schema(folder, replaced("float", "integer")), progress, logger, {});
  ASSERT_EQ(changed, Code::kInvalid);
  EXPECT_NE(changed.error().message().find("fields.rank"), std::string::npos) << changed.error().message();
  const BuildOptions wider = with_schema(
      folder,
      replaced("}}}", R"(},"note":{"type":"text","field_search":true},"tag":{"type":"keyword","many":true}}})"));
  const auto summary = add(wider, progress, logger, {});
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_EQ(summary->replaced, 1u);
  const schema::Schema now = schema::parse_schema(summary->manifest.schema).value();
  EXPECT_EQ(now.names(), (std::vector<std::string_view>{"title", "body", "rank", "note", "tag"}));
  const auto contents = read_generation(options_for(folder, "r", 1).repository, summary->manifest);
  EXPECT_TRUE(contents.postings.contains(text::field_term(3, "asid")));
  expect_sound(wider);
  // Its text is told by no stored field: the lists say what it had.
  remove(wider, {"d1"});
  expect_sound(wider);
}

TEST(SchemaBuild, RefusesATextThatIsTheBody) {
  const ScratchFolder folder;
  support::write_file(folder / "input.jsonl", jsonl_of(random_documents(9, 10)));
  const auto summary = run(with_schema(folder, R"({"fields":{"contents":{"type":"text"}}})"));
  ASSERT_EQ(summary, Code::kInvalid);
  EXPECT_NE(summary.error().message().find("field 'contents'"), std::string::npos) << summary.error().message();
}

TEST(SchemaBuild, KeepsSourcesWithoutAnyField) {
  const ScratchFolder folder;
  support::write_file(folder / "input.jsonl", jsonl_of(random_documents(9, 10)));
  const BuildOptions options = with_schema(folder, R"({"fields":{}})");
  const auto summary = run(options);
  ASSERT_TRUE(summary) << summary.error().message();
  expect_sound(options);
}

TEST(SchemaBuild, RefusesWhatNeedsASchemaOrAnotherOne) {
  const ScratchFolder folder;
  support::write_file(folder / "input.jsonl", jsonl_of(random_documents(9, 10)));
  BuildOptions without_bodies = with_schema(folder, kSchema);
  without_bodies.invert.parse.store_bodies = false;
  const auto refused = run(without_bodies);
  ASSERT_EQ(refused, Code::kInvalid);
  EXPECT_NE(refused.error().message().find(R"("source": "none")"), std::string::npos) << refused.error().message();
  ASSERT_TRUE(run(options_for(folder, "r", 1)));
  BuildOptions coerced = options_for(folder, "r", 1);
  coerced.invert.parse.coerce = true;
  BuildProgress progress;
  Logger logger("test", LogLevel::kError);
  EXPECT_EQ(add(coerced, progress, logger, {}), Code::kInvalid);
}

std::string inferred(const ScratchFolder& folder, const char* file, const std::string& content,
                     bool store_bodies = true) {
  support::write_file(folder / file, content);
  pipeline::InvertOptions options;
  options.inputs = {folder / file};
  options.parse.store_bodies = store_bodies;
  const auto fields = infer_schema(options);
  EXPECT_TRUE(fields) << fields.error().message();
  return fields ? schema::schema_text(*fields->schema) : "";
}

TEST(SchemaInference, KnowsTitleAndBodyByAnyOfTheirNames) {
  const ScratchFolder folder;
  std::string many = "[0";
  for (int i = 1; i < 1025; ++i) many += "," + std::to_string(i);
  const std::string text = R"("body":{"type":"text","positions":true,"field_search":true},)"
                           R"("title":{"type":"text","weight":3,"positions":true,"field_search":true})";
  EXPECT_EQ(inferred(folder, "a.jsonl",
                     R"({"id":"a","contents":["one","two"],"title":7,"year":2010,"all":)" + many + "]}\n" +
                         R"({"id":"b","text":"three","title":"t","year":2011})" + "\n",
                     /*store_bodies=*/false),
            R"({"fields":{)" + text + R"(,"year":{"type":"integer"}},"source":"none","scorer":"bm25"})");
  EXPECT_EQ(inferred(folder, "a.csv", "ID,URL,Title,Text,zip,rate\n1,u,2010,b,00501,nan\n2,v,2011,c,10001,1.5\n"),
            R"({"fields":{)" + text +
                R"(,"rate":{"type":"keyword"},"zip":{"type":"keyword"}},"source":"stored","scorer":"bm25"})");
}

}  // namespace
}  // namespace frond::indexer
