#include "indexer/build/collection_kind.h"

#include <gtest/gtest.h>

namespace frond::indexer {
namespace {

TEST(CollectionKind, AreABuildsWhereNothingIsSaid) {
  for (const char* json : {"", "{}"}) {
    const auto settings = kind_from_json(json);
    ASSERT_TRUE(settings) << json;
    EXPECT_EQ(settings->analyzer.kind, kNewCollectionAnalyzer);
    EXPECT_EQ(settings->analyzer.stemmer, text::Stemmer::kPorter);
    EXPECT_TRUE(settings->analyzer.stop_words.are_english());
    EXPECT_EQ(settings->bm25, kNewCollectionBm25);
    EXPECT_EQ(settings->codecs.name, codec::kDefaultCodec);
    EXPECT_EQ(settings->stored, partition::StoredCompression::kSmall);
  }
}
TEST(CollectionKind, TakeEveryMember) {
  const auto settings = kind_from_json(
      R"({"analyzer":"standard2","stemmer":"french","stop_words":"auto","fold_accents":true,"k1":0.9,"b":0.4,"codec":"auto"})");
  ASSERT_TRUE(settings) << settings.error().message();
  EXPECT_EQ(name_of(settings->analyzer.stemmer), "french");
  EXPECT_EQ(settings->analyzer.stop_words.name(), "french");
  EXPECT_TRUE(settings->analyzer.fold_accents);
  EXPECT_EQ(settings->bm25.k1, 0.9);
  EXPECT_EQ(settings->codecs.name, "auto");
  EXPECT_FALSE(settings->analyzer.split_case);
  EXPECT_TRUE(kind_from_json(R"({"split_case":true})")->analyzer.split_case) << "of standard3, the default";
  EXPECT_EQ(kind_from_json(R"({"stored_compression":"fast"})")->stored, partition::StoredCompression::kFast);
  EXPECT_EQ(kind_from_json(R"({"stored_compression":"small"})")->stored, partition::StoredCompression::kSmall);
  EXPECT_TRUE(kind_from_json(R"({"stop_words":"off"})")->analyzer.stop_words.are_none());
}
TEST(CollectionKind, TakeASchemaWhoseFieldsKeepTheirOrder) {
  const auto settings =
      kind_from_json(R"({"schema":{"fields":{"year":{"type":"integer"},"body":{"type":"text","positions":true}}}})");
  ASSERT_TRUE(settings) << settings.error().message();
  EXPECT_EQ(settings->schema->names(), (std::vector<std::string_view>{"year", "body"}));
  EXPECT_EQ(kind_from_json("{}")->schema, nullptr);
}
// As flags: by their names, and whatever the value is.
TEST(CollectionKind, RefuseParametersOfBm25BesideImpacts) {
  const auto impacts = *schema_from_text(R"({"fields":{"v":{"type":"weights"}},"scorer":"impact"})");
  const auto words = *schema_from_text(R"({"fields":{"year":{"type":"integer"}}})");
  CollectionNames names;
  EXPECT_TRUE(expect_parameters_of(*impacts, names, true));
  names.b = kNewCollectionBm25.b;
  EXPECT_TRUE(expect_parameters_of(*words, names, true));
  const auto refused = expect_parameters_of(*impacts, names, true);
  ASSERT_EQ(refused, Code::kInvalid);
  EXPECT_EQ(refused.error().message(), "--b: it is of BM25, and the scorer of these documents is impact: leave it out");
  EXPECT_EQ(kind_of(names, true)->bm25, kNewCollectionBm25);
}
// What is wrong is named, and nothing makes it read files.
TEST(CollectionKind, NameWhatIsWrong) {
  const std::pair<const char*, const char*> wrong[] = {
      {"[]", "object"},
      {"{", "object"},
      {R"({"analyzer":"best"})", "analyzer"},
      {R"({"analyzer":7})", "analyzer"},
      {R"({"stemmer":"klingon"})", "stemmer"},
      {R"({"analyzer":"standard","stemmer":"french"})", "stemmer"},
      {R"({"analyzer":"standard","fold_accents":true})", "fold_accents"},
      {R"({"fold_accents":"yes"})", "fold_accents"},
      {R"({"analyzer":"standard2","split_case":true})", "split_case"},
      {R"({"split_case":1})", "split_case"},
      {R"({"stop_words":"/etc/passwd"})", "stop_words"},
      {R"({"k1":-1})", "k1"},
      {R"({"k1":4.5})", "k1"},
      {R"({"k1":"1"})", "k1"},
      {R"({"b":1.5})", "b"},
      {R"({"codec":"zip"})", "codec"},
      {R"({"stored_compression":"zip"})", "stored_compression"},
      {R"({"stored_compression":true})", "stored_compression"},
      {R"({"schema":"infer"})", "schema"},
      {R"({"schema":{"fields":{"year":{"type":"int"}}}})", "schema: fields.year.type"},
      {R"({"schema":{"fields":{"contents":{"type":"text"}}}})", "field 'contents'"},
      {R"({"schema":{"fields":{"notes":{"type":"text","stored":false}}}})", "field 'notes'"},
      {R"({"schema":{"fields":{"v":{"type":"weights"},"t":{"type":"text","positions":true}},"scorer":"impact"}})",
       "field 't'"},
      {R"({"k1":1.5,"schema":{"fields":{"v":{"type":"weights"}},"scorer":"impact"}})", "k1: it is of BM25"},
      {R"({"schema":{"fields":{"v":{"type":"weights"}},"scorer":"impact"},"b":0})", "b: it is of BM25"},
      {R"({"color":"red"})", "color"}};
  for (const auto& [json, name] : wrong) {
    const auto settings = kind_from_json(json);
    ASSERT_EQ(settings, Code::kInvalid) << json;
    EXPECT_NE(settings.error().message().find(name), std::string::npos) << settings.error().message();
  }
}

}  // namespace
}  // namespace frond::indexer
