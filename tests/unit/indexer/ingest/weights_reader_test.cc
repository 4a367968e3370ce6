// Weights of one document become impacts, and what is wrong is named.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "common/text/limits.h"
#include "indexer/ingest/records/document_fields.h"

namespace frond::indexer::ingest {
namespace {

schema::Field vector(double scale = 1) {
  schema::Field field;
  field.name = "vec";
  field.type = schema::FieldType::kWeights;
  field.scale = scale;
  return field;
}

// "a 7, b 255" of what is kept, and "; cut" or "; 2 left out".
std::string read(const schema::Field& field, std::initializer_list<std::pair<std::string_view, double>> weights,
                 bool coerce = false) {
  WeightsReader reader(field, coerce);
  DocumentFields fields;
  for (const auto& [token, weight] : weights)
    if (const auto added = reader.add(token, weight); !added) return added.error().message();
  if (const auto finished = std::move(reader).finish(fields); !finished) return finished.error().message();
  std::string text;
  for (const auto& [token, impact] : fields.weights)
    text += (text.empty() ? "" : ", ") + token + " " + std::to_string(impact);
  if (fields.impacts_cut) text += "; cut";
  if (fields.left_out > 0) text += "; " + std::to_string(fields.left_out) + " left out";
  return text;
}

TEST(WeightsReader, RoundsToWholeImpactsAndLeavesZerosOut) {
  EXPECT_EQ(read(vector(), {{"b", 2.5}, {"a", 7}, {"zero", 0}, {"less", 0.499}, {"half", 0.5}, {"##c", 1.49}}),
            "##c 1, a 7, b 3, half 1");
  EXPECT_EQ(read(vector(100), {{"a", 0.004}, {"b", 0.005}, {"c", 1.234}, {"d", 2.55}}), "b 1, c 123, d 255");
  EXPECT_EQ(read(vector(), {}), "");
}

TEST(WeightsReader, CutsAt255AndTellsIt) {
  EXPECT_EQ(read(vector(), {{"a", 255}, {"b", 255.49}}), "a 255, b 255") << "255.49 is rounded, not cut";
  EXPECT_EQ(read(vector(), {{"a", 256}, {"b", 1}}), "a 255, b 1; cut");
  EXPECT_EQ(read(vector(), {{"a", 1e9}}), "a 255; cut");
  EXPECT_EQ(read(vector(0.5), {{"a", 510}, {"b", 511}}), "a 255, b 255; cut");
}

TEST(WeightsReader, NamesFieldTokenAndNumber) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double wrong : {-1.0, -0.001, 1.001e9, kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
    const std::string told = read(vector(), {{"good", 1}, {"tok", wrong}});
    EXPECT_NE(told.find("field 'vec': the token 'tok' has weight "), std::string::npos) << wrong << ": " << told;
    EXPECT_EQ(read(vector(), {{"good", 1}, {"tok", wrong}}, true), "good 1; 1 left out") << wrong;
  }
  const std::string longest(text::kMaxTermBytes, 'x');
  EXPECT_EQ(read(vector(), {{longest, 1}}), longest + " 1");
  for (const std::string& token : {std::string(), longest + "x", std::string("a\0b", 3)}) {
    EXPECT_NE(read(vector(), {{token, 1}}).find("is empty, longer than 1024 bytes, or has characters"),
              std::string::npos)
        << token.size();
    EXPECT_EQ(read(vector(), {{token, 1}, {"good", 2}}, true), "good 2; 1 left out");
  }
  EXPECT_NE(read(vector(), {{longest + "x", 1}}).find(std::string(70, 'x') + "…'"), std::string::npos)
      << "its beginning is shown";
}

TEST(WeightsReader, TakesATokenOnce) {
  EXPECT_NE(read(vector(), {{"b", 1}, {"a", 2}, {"b", 3}}).find("the token 'b' is there twice"), std::string::npos);
  EXPECT_EQ(read(vector(), {{"b", 1}, {"a", 2}, {"b", 3}, {"b", 4}}, true), "a 2, b 1; 2 left out")
      << "the first stays";
  EXPECT_EQ(read(vector(), {{"b", 0}, {"b", 3}}), "b 3") << "one of weight 0 is none";
}

TEST(WeightsReader, TakesSoManyTokensAndNoMore) {
  const schema::Field field = vector();
  for (const bool coerce : {false, true}) {
    WeightsReader reader(field, coerce);
    for (std::size_t i = 0; i < kMaxWeights; ++i) ASSERT_TRUE(reader.add("t" + std::to_string(i), 1));
    EXPECT_TRUE(reader.add("zero", 0)) << "it is none";
    EXPECT_EQ(reader.add("more", 1).has_value(), coerce);
    DocumentFields fields;
    ASSERT_TRUE(std::move(reader).finish(fields));
    EXPECT_EQ(fields.weights.size(), kMaxWeights);
    EXPECT_EQ(fields.left_out, 1u);
  }
}

TEST(WeightsReader, NamesWhatIsNoNumber) {
  const schema::Field field = vector();
  WeightsReader strict(field, false), lenient(field, true);
  const auto refused = strict.add_other("tok", "a string");
  ASSERT_EQ(refused, Code::kInvalid);
  EXPECT_EQ(refused.error().message(), "field 'vec': the token 'tok' holds a string, which is no weight");
  EXPECT_TRUE(lenient.add_other("tok", "a string"));
  DocumentFields fields;
  ASSERT_TRUE(std::move(lenient).finish(fields));
  EXPECT_EQ(fields.left_out, 1u);
}

}  // namespace
}  // namespace frond::indexer::ingest
