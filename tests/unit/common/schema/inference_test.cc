// A schema from documents.
#include "common/schema/inference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "common/schema/schema_json.h"

namespace frond::schema {
namespace {

using Members = std::vector<std::pair<std::string, std::vector<Value>>>;
constexpr std::string_view kTexts[] = {"title", "body"}, kSkipped[] = {"id", "url"};

void add(SchemaInference& inference, const Members& members) {
  inference.begin_document();
  for (const auto& [name, values] : members) inference.add(name, values, values.size() != 1);
}
std::string reason(const InferredSchema& inferred, std::string_view name) {
  const auto found = std::ranges::find(inferred.fields, name, &InferredField::name);
  return found == inferred.fields.end() ? "" : found->reason;
}
Value integer(std::int64_t value) { return value; }

TEST(Inference, ChoosesByWhatFitsAllValues) {
  SchemaInference inference;
  const std::string prose =
      "a long text of more than three words, as people write it, and of more than a hundred bytes";
  add(inference, {{"id", {"1"}},
                  {"title", {"T"}},
                  {"year", {integer(2010)}},
                  {"price", {1.5}},
                  {"open", {true}},
                  {"day", {"2020-01-02"}},
                  {"tag", {"red", "blue"}},
                  {"mixed", {integer(1)}},
                  {"prose", {prose + prose}},
                  {"_x", {"a"}},
                  {"none", {}}});
  add(inference, {{"id", {"2"}},
                  {"year", {integer(-1)}},
                  {"price", {integer(2)}},
                  {"day", {"2020-01-02T10:00:00Z"}},
                  {"tag", {"red"}},
                  {"mixed", {"x"}}});
  inference.add_nested("object");
  const auto inferred = inference.infer(kTexts, kSkipped);
  EXPECT_EQ(
      schema_text(inferred.schema),
      R"({"fields":{"prose":{"type":"text","positions":true,"field_search":true},"title":{"type":"text","positions":true,"field_search":true},)"
      R"("day":{"type":"date"},"open":{"type":"boolean"},"price":{"type":"float"},"tag":{"type":"keyword","many":true},"year":{"type":"integer"}},)"
      R"("source":"stored","scorer":"bm25"})");
  EXPECT_TRUE(check(inferred.schema).has_value());
  EXPECT_EQ(reason(inferred, "year"), "integers, in 2 of 2 documents");
  EXPECT_EQ(reason(inferred, "id"), "needs no entry, in 2 of 2 documents");
  EXPECT_EQ(reason(inferred, "mixed"), "not a field: strings, and values that are no strings, in 2 of 2 documents");
  EXPECT_EQ(
      reason(inferred, "object"),
      "not a field: an object, an array of objects or arrays, or more values than a column takes, in 1 of 2 documents");
  EXPECT_EQ(reason(inferred, "_x"), "not a field: its name would need quotes, in 1 of 2 documents");
  EXPECT_EQ(reason(inferred, "none"), "not a field: only empty arrays, in 1 of 2 documents");
  EXPECT_EQ(reason(inferred, "tag"),
            "strings of up to 4 bytes, 3 words in 3, about 2 different ones, in 2 of 2 documents");
}

TEST(Inference, TakesLongStringsThatRepeatForKeywords) {
  SchemaInference often, once;
  for (int i = 0; i < 1000; ++i) {
    add(often, {{"kind", {"one of a few long names of kinds, number " + std::to_string(i % 20)}}});
    add(once, {{"kind", {"one of very many texts with several words, number " + std::to_string(i)}}});
  }
  EXPECT_EQ(often.infer({}, {}).schema.find("kind")->type, FieldType::kKeyword);
  EXPECT_EQ(once.infer({}, {}).schema.find("kind")->type, FieldType::kText);
}

TEST(Inference, DoesNotDependOnOrderNorOnParts) {
  std::mt19937 random(1);
  std::vector<Members> documents;
  for (int i = 0; i < 500; ++i) {
    Members members;
    for (int m = 0; m < 10; ++m) {
      const auto name = "m" + std::to_string(random() % 6000);
      std::vector<Value> values;
      for (auto n = random() % 3; n-- > 0;)
        values.push_back(random() % 2 == 0 ? integer(random() % 10) : Value(std::to_string(random() % 1000)));
      if (std::ranges::none_of(members, [&](const auto& one) { return one.first == name; }))
        members.emplace_back(name, values);
    }
    documents.push_back(members);
  }
  SchemaInference whole;
  for (const auto& members : documents) add(whole, members);
  std::ranges::shuffle(documents, random);
  SchemaInference shuffled;
  for (const auto& members : documents) add(shuffled, members);
  const auto a = whole.infer(kTexts, kSkipped), b = shuffled.infer(kTexts, kSkipped);
  EXPECT_EQ(a.schema, b.schema);
  ASSERT_EQ(a.fields.size(), b.fields.size());
  for (std::size_t i = 0; i < a.fields.size(); ++i)
    EXPECT_EQ(a.fields[i].reason, b.fields[i].reason) << a.fields[i].name;
}

TEST(Inference, IsBounded) {
  SchemaInference inference;
  for (int i = 0; i < 20'000; ++i) add(inference, {{"n" + std::to_string(i * 7919 % 20'000), {integer(1)}}});
  const auto inferred = inference.infer({}, {});
  EXPECT_EQ(inferred.fields.size(), kMaxInferredNames);
  EXPECT_EQ(inferred.schema.fields.size(), kMaxFields);
  EXPECT_EQ(reason(inferred, "n9"), "");  // the last in byte order are dropped
  EXPECT_TRUE(check(inferred.schema).has_value());
}

}  // namespace
}  // namespace frond::schema
