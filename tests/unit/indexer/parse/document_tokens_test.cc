#include "indexer/parse/document_tokens.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "common/schema/schema_json.h"

namespace frond::indexer::parse {
namespace {

std::shared_ptr<const schema::Schema> schema_of(std::string_view json) {
  return std::make_shared<const schema::Schema>(*schema::parse_schema(json));
}
constexpr std::string_view kSchema =
    R"({"fields":{"title":{"type":"text","weight":3,"positions":true,"field_search":true},"year":{"type":"integer"},)"
    R"("body":{"type":"text","positions":true},"notes":{"type":"text","field_search":true}}})";

TEST(DocumentTokens, CountsAWordAsOftenAsItsFieldWeighs) {
  DocumentTokens tokens(schema_of(kSchema), {text::Stemmer::kNone, true});
  const DocumentTokens::Text notes[] = {{3, "fox note"}};
  std::map<std::string, std::uint32_t, std::less<>> found;
  const auto count = [&](std::string_view term, std::uint32_t times) { found[std::string(term)] += times; };
  EXPECT_EQ(tokens.take("the fox", "fox and wolf", notes, count), 3u + 2 + 2);
  EXPECT_EQ(found, (decltype(found){{"fox", 5},
                                    {"wolf", 1},
                                    {"note", 1},
                                    {text::field_term(0, "fox"), 1},
                                    {text::field_term(3, "fox"), 1},
                                    {text::field_term(3, "note"), 1}}));
  EXPECT_EQ(tokens.lengths(), (std::vector<partition::DocumentValues::Length>{{0, 1}, {3, 2}}));
}

TEST(DocumentTokens, HasTheWordsOfFieldsWithPositionsInOrder) {
  DocumentTokens tokens(schema_of(kSchema), {text::Stemmer::kNone, true});
  tokens.take("the fox", "fox and wolf", {}, [](std::string_view, std::uint32_t) {});
  const auto codes = partition::TokenCodes::open(tokens.codes());
  ASSERT_TRUE(codes);
  const std::uint32_t fox = codes->code(partition::term_hash("fox")), wolf = codes->code(partition::term_hash("wolf"));
  EXPECT_NE(fox, wolf);
  std::map<std::uint32_t, std::vector<std::uint32_t>> fields;
  codes->for_each_field([&](const partition::TokenCodes::Field& field) {
    ASSERT_EQ(codes->width(), 1u);
    for (std::uint32_t i = 0; i < field.words; ++i)
      fields[field.field].push_back(static_cast<std::uint32_t>(field.codes[i]));
  });
  EXPECT_EQ(fields, (decltype(fields){{0, {0, fox}}, {2, {fox, 0, wolf}}}));
}

TEST(DocumentTokens, TakesTitleAndBodyThatTheSchemaDoesNotName) {
  DocumentTokens tokens(schema_of(R"({"fields":{"year":{"type":"integer"}}})"), {text::Stemmer::kNone, true});
  std::uint32_t words = 0;
  EXPECT_EQ(tokens.take("a fox", "wolf", {}, [&](std::string_view, std::uint32_t times) { words += times; }), 2u);
  EXPECT_EQ(words, 2u);
  EXPECT_TRUE(tokens.codes().empty());
}

}  // namespace
}  // namespace frond::indexer::parse
