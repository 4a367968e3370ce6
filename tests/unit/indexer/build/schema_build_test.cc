// Collections with a schema: values go with their documents through builds, additions, removals and merges.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "common/schema/schema_json.h"
#include "common/text/field_term.h"
#include "indexer/change/change_publication.h"
#include "indexer/change/compact.h"
#include "indexer/check/check.h"
#include "tests/unit/indexer/build/made_up_builds.h"

namespace frond::indexer {
namespace {

constexpr std::string_view kSchema = R"({"fields": {
  "title": {"type": "text", "weight": 3, "positions": true, "field_search": true},
  "body": {"type": "text", "positions": true}, "tags": {"type": "keyword", "many": true},
  "year": {"type": "integer"}}, "source": "stored"})";
constexpr std::string_view kWider = R"({"fields": {
  "open": {"type": "boolean"}, "year": {"type": "integer"},
  "title": {"type": "text", "weight": 3, "positions": true, "field_search": true},
  "body": {"type": "text", "positions": true}, "tags": {"type": "keyword", "many": true}}, "source": "stored"})";

std::shared_ptr<const schema::Schema> schema_of(std::string_view text) {
  return std::make_shared<const schema::Schema>(schema::parse_schema(text).value());
}

class ACollectionWithASchema : public testing::Test {
 protected:
  // One document a line. Some have no values of a field, and some are long.
  void write_input(unsigned seed, std::size_t first, std::size_t count) {
    std::mt19937 random(seed);
    const auto words = [&](std::size_t most) {
      std::string text;
      for (auto left = random() % most; left > 0; --left) text += "w" + std::to_string(random() % 60) + " ";
      return text;
    };
    std::string lines;
    for (std::size_t i = first; i < first + count; ++i) {
      const std::string id = "d" + std::to_string(i);
      lines += R"({"id":")" + id + R"(","title":")" + words(6) + R"(","body":")" + words(40) + '"';
      if (random() % 4 != 0) lines += R"(,"year":)" + std::to_string(1990 + random() % 30);
      if (random() % 3 != 0) lines += R"(,"tags":["t)" + std::to_string(random() % 9) + R"(","all"])";
      lines += "}\n";
    }
    support::write_file(folder_ / "input.jsonl", lines);
  }
  BuildOptions options(std::uint32_t partitions) {
    BuildOptions options = options_for(folder_, "repository", partitions);
    options.invert.parse.prior_field.clear();
    return options;
  }
  repository::Manifest build_all(std::uint32_t partitions, order::DocumentOrder order = order::DocumentOrder::kInput) {
    BuildOptions how = options(partitions);
    how.order = order;
    how.take_schema(schema_of(kSchema));
    auto built = run(how);
    EXPECT_TRUE(built) << built.error().message();
    return built->manifest;
  }
  Result<BuildSummary> add_more(std::shared_ptr<const schema::Schema> schema = nullptr) {
    BuildOptions how = options(2);
    how.take_schema(std::move(schema));
    BuildProgress progress;
    Logger logger("test", LogLevel::kError);
    return add(how, progress, logger, {});
  }
  void remove(const std::vector<std::string>& ids) {
    std::size_t next = 0;
    const auto removed =
        change::remove_documents({folder_ / "repository", "test"},
                                 [&]() -> Result<std::optional<std::string>> {
                                   return next < ids.size() ? std::optional(ids[next++]) : std::optional<std::string>();
                                 },
                                 {});
    ASSERT_TRUE(removed) << removed.error().message();
    EXPECT_EQ(removed->removed, ids.size());
  }
  void expect_no_faults() {
    const auto report = check::check_generation(folder_ / "repository", "test");
    ASSERT_TRUE(report) << report.error().message();
    for (const auto& fault : report->listed) ADD_FAILURE() << fault.where << ": " << fault.what;
  }
  // The record of each document, by its id, whatever partition has it; also of hidden documents.
  std::map<std::string, ByteBuffer> records(const repository::Manifest& manifest) {
    std::map<std::string, ByteBuffer> all;
    const support::ScratchFolder scratch;
    for (const auto& entry : manifest.partitions) {
      const auto files = folder_ / "repository" / "test" / "partitions" / entry.id;
      EXPECT_TRUE(partition::Partition::ingest(files, entry.summary.files, scratch / entry.id, false));
      const auto part = partition::Partition::open(scratch / entry.id).value();
      EXPECT_EQ(part->summary().field_tokens, entry.summary.field_tokens);
      for (DocId docid = 0; docid < part->documents(); ++docid)
        all[part->document(docid)->id] = part->values_of(docid).value();
    }
    return all;
  }
  repository::Manifest current() {
    const auto source = repository::RepositorySource::open((folder_ / "repository").string(), "test").value();
    return source->manifest(source->current().value()).value();
  }
  support::ScratchFolder folder_;
};

TEST_F(ACollectionWithASchema, HasTheSameValuesHoweverItIsBuilt) {
  write_input(1, 0, 700);
  const repository::Manifest one = build_all(1);
  EXPECT_EQ(one.schema, schema::schema_text(*schema_of(kSchema)));
  const auto expected = records(one);
  EXPECT_EQ(expected.size(), 700u);
  EXPECT_GT(one.field_tokens[0], 0u);
  EXPECT_EQ(one.field_tokens[1], 0u);
  expect_no_faults();
  for (const auto order : {order::DocumentOrder::kInput, order::DocumentOrder::kRandom}) {
    const repository::Manifest other = build_all(3, order);
    EXPECT_EQ(records(other), expected);
    EXPECT_EQ(other.field_tokens, one.field_tokens);
    expect_no_faults();
  }
}

TEST_F(ACollectionWithASchema, KeepsItsValuesAndSumsThroughChanges) {
  write_input(1, 0, 500);
  auto expected = records(build_all(2));
  write_input(2, 450, 100);  // fifty replace others
  ASSERT_TRUE(add_more());
  expect_no_faults();
  for (auto& [id, record] : records(current())) expected[id] = record;  // later partitions come last
  remove({"d3", "d4", "d470"});
  expect_no_faults();
  for (const char* id : {"d3", "d4", "d470"}) expected.erase(id);

  const repository::Manifest before = current();
  const auto compacted = change::compact({folder_ / "repository", "test"}, {2, 0.0, true}, {});
  ASSERT_TRUE(compacted) << compacted.error().message();
  const repository::Manifest merged = current();
  EXPECT_LT(merged.partitions.size(), before.partitions.size());
  EXPECT_EQ(merged.field_tokens, before.field_tokens);
  EXPECT_EQ(merged.statistics.documents, 547u);
  EXPECT_EQ(records(merged), expected);
  expect_no_faults();
}

TEST_F(ACollectionWithASchema, IsFoundWrongWhereItsTokensInFieldsAre) {
  write_input(1, 0, 60);
  repository::Manifest manifest = build_all(2);
  ++manifest.partitions[0].summary.field_tokens[0];
  ++manifest.field_tokens[0];
  support::write_file(folder_ / "repository" / "test" / repository::manifest_path(manifest.generation),
                      repository::to_json(manifest));
  const auto report = check::check_generation(folder_ / "repository", "test");
  ASSERT_TRUE(report) << report.error().message();
  std::size_t of_fields = 0;
  for (const auto& fault : report->listed) of_fields += fault.what.find("tokens in fields") != std::string::npos;
  EXPECT_EQ(of_fields, 2u) << "neither the summary nor the documents have them";
}

TEST_F(ACollectionWithASchema, MayGainFields) {
  write_input(1, 0, 50);
  const auto built = build_all(1);
  const auto expected = records(built);
  write_input(2, 50, 5);
  ASSERT_TRUE(add_more(schema_of(kWider)));
  {  // an addition that began before
    const auto writer = repository::RepositoryWriter::open(folder_ / "repository", "test").value();
    const auto before = change::CurrentGeneration::open(*writer).value();
    change::Addition addition;
    addition.schema = built.schema;
    std::uint64_t replaced = 0;
    const auto late = change::publish_added(*writer, *before, std::move(addition), replaced, {});
    ASSERT_TRUE(late) << late.error().message();
    EXPECT_EQ(late->schema, before->manifest().schema);
  }
  const auto wider = schema::parse_schema(current().schema).value();
  EXPECT_EQ(wider.names(), (std::vector<std::string_view>{"title", "body", "tags", "year", "open"}));
  expect_no_faults();
  const auto compacted = change::compact({folder_ / "repository", "test"}, {2, 0.0, true}, {});
  ASSERT_TRUE(compacted) << compacted.error().message();
  auto merged = records(current());
  for (const auto& [id, record] : expected) EXPECT_EQ(merged[id], record);
  expect_no_faults();
  const auto changed = add_more(schema_of(R"({"fields": {"title": {"type": "keyword"}}})"));
  EXPECT_EQ(changed, Code::kInvalid);
}

}  // namespace
}  // namespace frond::indexer
