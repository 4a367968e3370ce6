// _analyze: tokens as a real node gives them.
#include "broker/elasticsearch/indices/analyze.h"

#include <gtest/gtest.h>

namespace frond::broker::elasticsearch {
namespace {

// "token@position+start-end …"
std::string tokens_shown(const char* body, const Mapping* mapping = nullptr) {
  const auto made = analyzed(Json::parse(body), mapping);
  if (!made) return std::to_string(made.error().status);
  std::string all;
  for (const Json& one : (*made)["tokens"])
    all += (all.empty() ? "" : " ") + one["token"].get<std::string>() + "@" + one["position"].dump() + "+" +
           one["start_offset"].dump() + "-" + one["end_offset"].dump();
  return all;
}

TEST(TokensOfAText, AreThoseOfTheAnalyzer) {
  EXPECT_EQ(tokens_shown(R"({"analyzer":"simple","text":"R2-D2 and C3PO"})"),
            "r@0+0-1 d@1+3-4 and@2+6-9 c@3+10-11 po@4+12-14");
  EXPECT_EQ(tokens_shown(R"({"analyzer":"english","text":"The running foxes jumped"})"),
            "run@1+4-11 fox@2+12-17 jump@3+18-24");
  EXPECT_EQ(tokens_shown(R"({"analyzer":"whitespace","text":"A  b-C"})"), "A@0+0-1 b-C@1+3-6");
  EXPECT_EQ(tokens_shown(R"({"analyzer":"keyword","text":"New York"})"), "New York@0+0-8");
  EXPECT_EQ(tokens_shown(R"({"analyzer":"stop","text":"the End"})"), "end@1+4-7");
}
TEST(TokensOfAText, AreThoseOfATokenizerAndFilters) {
  EXPECT_EQ(tokens_shown(
                R"({"tokenizer":"whitespace","filter":[{"type":"stop","stopwords":["and"]}],"text":"this and that"})"),
            "this@0+0-4 that@2+9-13");
  EXPECT_EQ(tokens_shown(R"({"tokenizer":"standard","filter":["lowercase","asciifolding"],"text":"Zoë Ærø"})"),
            "zoe@0+0-3 aero@1+4-7");
  EXPECT_EQ(tokens_shown(R"({"tokenizer":"keyword","filter":["reverse"],"text":"aéb"})"), "béa@0+0-3");
  EXPECT_EQ(tokens_shown(R"({"tokenizer":"standard","filter":["unique"],"text":"a b a c"})"),
            "a@0+0-1 b@1+2-3 c@2+6-7");
  const Mapping none;
  EXPECT_EQ(tokens_shown(R"({"normalizer":"lowercase","text":"A B"})", &none), "a b@0+0-3");
  EXPECT_EQ(tokens_shown(R"({"analyzer":"standard","text":["a b","c"]})", &none), "a@0+0-1 b@1+2-3 c@102+4-5");
  EXPECT_EQ(tokens_shown(R"({"analyzer":"standard","text":["a b","c"]})"), "a@0+0-1 b@1+2-3 c@2+4-5");
  for (const char* const wrong : {R"({"normalizer":"lowercase","text":"A"})", R"({"field":"f","text":"A"})",
                                  R"({"analyzer":"standard","tokenizer":"standard","text":"A"})"})
    EXPECT_EQ(tokens_shown(wrong), "400") << wrong;
}
TEST(TokensOfAText, AreThoseOfAFieldThatHasTokens) {
  const auto mapping = read_mapping(nullptr, {{"properties", Json::parse(R"({"t":{"type":"text"},
      "k":{"type":"keyword"},"n":{"type":"long"},"d":{"type":"date"},"b":{"type":"boolean"}})")}});
  ASSERT_TRUE(mapping);
  const auto of = [&](const std::string& field, const char* rest = "") {
    return tokens_shown(("{\"field\":\"" + field + "\",\"text\":\"A b\"" + rest + "}").c_str(), &*mapping);
  };
  for (const char* const words : {"t", "nosuch", "_primary_term"}) EXPECT_EQ(of(words), "a@0+0-1 b@1+2-3") << words;
  for (const char* const whole : {"k", "_routing"}) EXPECT_EQ(of(whole), "A b@0+0-3") << whole;
  for (const char* const none : {"n", "d", "b", "_index", "_id", "_source", "_seq_no", "_version", "_field_names"}) {
    EXPECT_EQ(of(none), "400") << none;
    EXPECT_EQ(of(none, R"(,"analyzer":"whitespace")"), "A@0+0-1 b@1+2-3") << none;
  }
  for (const char* const more : {R"(,"tokenizer":"standard")", R"(,"filter":["lowercase"])"})
    EXPECT_EQ(of("t", more), "400") << more;
}
TEST(TokensOfAText, AreThoseOfTheSettings) {
  const auto mapping =
      read_mapping(Json::parse(R"({"index":{"analysis":{"analyzer":{"edge":{"tokenizer":"edge","filter":["lowercase"]}},
          "tokenizer":{"edge":{"type":"edge_ngram","min_gram":"2","max_gram":"3","token_chars":["letter"]}}}}})"),
                   nullptr);
  ASSERT_TRUE(mapping);
  EXPECT_EQ(tokens_shown(R"({"analyzer":"edge","text":"Rune x4sto"})", &*mapping),
            "ru@0+0-2 run@1+0-3 st@2+7-9 sto@3+7-10");
}
TEST(TokensOfAText, AreRefusedByNameWhereFrondHasNotTheAnalyzer) {
  EXPECT_EQ(tokens_shown(R"({"analyzer":"german","text":"x"})"), "501");
  EXPECT_EQ(tokens_shown(R"({"analyzer":"nosuch","text":"x"})"), "400");
  EXPECT_EQ(tokens_shown(R"({"tokenizer":"standard","filter":["kstem"],"text":"x"})"), "501");
  EXPECT_EQ(tokens_shown(R"({"tokenizer":"standard"})"), "400");
  EXPECT_EQ(tokens_shown(R"({"tokenizer":"standard","filter":["porter_stem"],"text":"fox's"})"), "501");
}
TEST(TokensOfAText, AreBounded) {
  const Json long_text = {{"tokenizer", {{"type", "ngram"}, {"min_gram", 1}, {"max_gram", 255}}},
                          {"text", std::string(60'000, 'x')}};
  EXPECT_EQ(analyzed(long_text, nullptr).error().status, 400);
  const auto refused = [](const Json& body, std::string_view bound) {
    const auto made = analyzed(body, nullptr);
    return !made && made.error().status == 400 && made.error().reason.find(bound) != std::string::npos;
  };
  EXPECT_TRUE(refused({{"text", std::vector<std::string>(101, "")}}, "100"));
  EXPECT_TRUE(refused({{"text", {std::string(40'000, 'x'), std::string(40'000, 'x')}}}, "65536"));
  EXPECT_TRUE(refused({{"filter", std::vector<std::string>(33, "trim")}, {"text", "x"}}, "32"));
  const Json stop = {{"type", "stop"}, {"stopwords", std::vector<std::string>(60'000, "a")}};
  EXPECT_TRUE(refused({{"filter", Json::array({stop, stop})}, {"text", "x"}}, "100000"));
  const Json grams = {{"type", "ngram"}, {"min_gram", 200}, {"max_gram", 200}};
  const std::vector<std::string> none_left(20, std::string(3000, 'x'));
  EXPECT_TRUE(
      refused({{"tokenizer", grams}, {"filter", {{{"type", "length"}, {"max", 1}}}}, {"text", none_left}}, "2097152"));
}
TEST(TokensOfAText, AreNotCutWhereTheyAreLong) {
  std::string capitals, small;
  for (int i = 0; i < 1000; ++i) capitals += "ÄȺ", small += "äⱥ";  // the latter grows by a byte
  const Mapping none;
  const auto made = analyzed({{"normalizer", "lowercase"}, {"text", capitals}}, &none);
  ASSERT_TRUE(made);
  EXPECT_EQ((*made)["tokens"][0]["token"], small);
  EXPECT_EQ((*made)["tokens"][0]["end_offset"], 2000);
}

}  // namespace
}  // namespace frond::broker::elasticsearch
