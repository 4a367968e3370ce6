// Term suggesters: what they ask the dictionary for, and what they say of what it has.
#include "broker/elasticsearch/suggest/suggest.h"

#include <gtest/gtest.h>

#include "broker/elasticsearch/queries/query_dsl.h"
#include "broker/elasticsearch/search/search_request.h"

namespace frond::broker::elasticsearch {
namespace {

using frond::query::NearTerms;

const Mapping& mapping_with_text() {
  static const Mapping made =
      *read_mapping(nullptr, {{"properties", Json::parse(R"({"body":{"type":"text"},"tag":{"type":"keyword"}})")}});
  return made;
}

std::vector<TermSuggester> suggesters_of(const char* json) {
  auto read = read_suggesters(Json::parse(json));
  EXPECT_TRUE(read) << read.error().reason;
  return read ? *std::move(read) : std::vector<TermSuggester>();
}

Expected<std::vector<SuggestedWord>> words_for(const std::vector<TermSuggester>& suggesters) {
  text::Analyzer analyzer(mapping_with_text().analyzer, 0);
  return suggested_words(suggesters, mapping_with_text(), analyzer);
}

// What is shown where each word of one index has found the same.
Json shown_for(const char* json, const NearTerms& found, std::uint64_t documents = 1000) {
  const auto suggesters = suggesters_of(json);
  SuggestedIn in{*words_for(suggesters), documents};
  for (SuggestedWord& word : in.words) word.found.assign(word.asked.size(), found);
  const auto shown = suggestions_json(suggesters, {in}, false);
  return shown ? *shown : Json(shown.error().reason);
}

TEST(ATermSuggester, AsksForWhatLucenesSpellCheckerLooksAt) {
  const auto suggesters = suggesters_of(R"({"a":{"text":"Calender the wörld 😀x","term":{"field":"body"}}})");
  const auto words = *words_for(suggesters);
  ASSERT_EQ(words.size(), 4u);
  EXPECT_EQ(words[0].word, "calender");
  ASSERT_EQ(words[0].asked.size(), 1u);
  EXPECT_EQ(words[0].asked[0],
            (frond::query::NearWord{
                .field = "body", .word = "calender", .least_nearness = 0.5F, .only_absent = true, .most = 25}));
  EXPECT_TRUE(words[1].asked.empty());  // three letters
  EXPECT_EQ(words[2].offset, 13u);
  EXPECT_EQ(words[2].length, 5u);
  const auto any = suggesters_of(
      R"({"text":"word","a":{"term":{"field":"body","prefix_length":0,"suggest_mode":"popular","min_doc_freq":3}}})");
  const auto both = *words_for(any);
  ASSERT_EQ(both[0].asked.size(), 2u);  // two edits leave the first letter
  EXPECT_EQ(both[0].asked[0].same_letters, 0u);
  EXPECT_EQ(both[0].asked[0].edits, 1u);
  EXPECT_EQ(both[0].asked[1].same_letters, 1u);
  EXPECT_EQ(both[0].asked[1].least_df, 4u);
  EXPECT_TRUE(both[0].asked[1].more_frequent);
}

TEST(ATermSuggester, ShowsTheBestAsElasticsearchDoes) {
  const NearTerms found{0, {{"science", 28, 1}, {"silence", 1, 1}, {"since", 30, 1}, {"seance", 2, 2}}};
  EXPECT_EQ(
      shown_for(R"({"a":{"text":"sience","term":{"field":"body","size":3}}})", found),
      Json::parse(
          R"({"a":[{"text":"sience","offset":0,"length":6,"options":[{"text":"science","score":0.8333333,"freq":28},
        {"text":"silence","score":0.8333333,"freq":1},{"text":"since","score":0.8,"freq":30}]}]})"));
  const Json by_frequency =
      shown_for(R"({"a":{"text":"sience","term":{"field":"body","size":2,"sort":"frequency"}}})", found);
  EXPECT_EQ(by_frequency["a"][0]["options"][0]["text"], "since");
  EXPECT_EQ(by_frequency["a"][0]["options"][1]["text"], "science");
  // With as many of one edit as are inspected, none of two.
  const Json few =
      shown_for(R"({"a":{"text":"sience","term":{"field":"body","shard_size":3,"max_inspections":1}}})", found);
  EXPECT_EQ(few["a"][0]["options"].size(), 3u);
  // A word that more than a hundredth of the documents have.
  NearTerms frequent = found;
  frequent.df = 11;
  const char* const popular = R"({"a":{"text":"sience","term":{"field":"body","suggest_mode":"always"}}})";
  EXPECT_TRUE(shown_for(popular, frequent)["a"][0]["options"].empty());
  EXPECT_EQ(shown_for(popular, frequent, 1001)["a"][0]["options"].size(), 4u);
}

TEST(ATermSuggester, AddsTheFrequenciesOfSeveralIndices) {
  const auto suggesters = suggesters_of(R"({"a":{"text":"sience","term":{"field":"body"}}})");
  SuggestedIn one{*words_for(suggesters), 10}, other = one;
  one.words[0].found = {{0, {{"science", 28, 1}}}};
  other.words[0].found = {{0, {{"science", 2, 1}, {"since", 29, 1}}}};
  const Json shown = *suggestions_json(suggesters, {one, other}, true);
  EXPECT_EQ(shown["term#a"][0]["options"][0]["freq"], 30);
  EXPECT_EQ(shown["term#a"][0]["options"][1]["freq"], 29);
  other.words[0].found[0].whole = false;
  EXPECT_EQ(suggestions_json(suggesters, {one, other}, true).error().status, 501);
}

TEST(ATermSuggester, IsRefusedWhereItCannotBe) {
  const auto status = [](const char* json) {
    const auto read = read_suggesters(Json::parse(json));
    if (!read) return read.error().status;
    const auto words = words_for(*read);
    return words ? 200 : words.error().status;
  };
  EXPECT_EQ(status(R"({"a":{"text":"word","term":{"field":"body"}}})"), 200);
  for (const char* const wrong :
       {R"([])", R"({"a":{"text":"x"}})", R"({"a":{"text":"x","term":{}}})", R"({"a":{"term":{"field":"body"}}})",
        R"({"a":{"text":"x","term":{"field":"nosuch"}}})",
        R"({"a":{"text":"x","term":{"field":"body","max_edits":3}}})",
        R"({"a":{"text":"x","term":{"field":"body","sort":"luck"}}})",
        R"({"a":{"text":"x","term":{"field":"body","accuracy":2}}})",
        R"({"a":{"text":"x","term":{"field":"body","nosuch":2}}})", R"({"a":{"text":"x","nosuch":{"field":"body"}}})",
        R"({"a":{"prefix":"x","completion":{"field":"body"}}})"})
    EXPECT_EQ(status(wrong), 400) << wrong;
  for (
      const char* const lacking :
      {R"({"a":{"text":"x","phrase":{"field":"body"}}})", R"({"a":{"text":"x","term":{"field":"tag"}}})",
       R"({"a":{"text":"x","term":{"field":"body","size":52}}})",
       R"({"a":{"text":"x","term":{"field":"body","string_distance":"ngram"}}})",
       R"({"a":{"text":"x","term":{"field":"body","min_doc_freq":0.5}}})",
       R"({"a":{"text":"aaaa bbbb cccc dddd eeee ffff gggg hhhh iiii jjjj kkkk llll mmmm nnnn oooo pppp qqqq","term":{"field":"body"}}})"})
    EXPECT_EQ(status(lacking), 501) << lacking;
  EXPECT_EQ(read_search(Json::parse(R"({"suggest":{"a":{"text":"x","term":{"field":"body"}}},"min_score":1})"), {})
                .error()
                .status,
            501);
}

TEST(ATermSuggester, HasLimitsForWordsThatAreNotLookedFor) {
  const auto words_of = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "\U0001F600 ab ";
    const auto read = read_suggesters(Json{{"a", {{"text", text}, {"term", {{"field", "body"}}}}}});
    return read ? words_for(*read) : Expected<std::vector<SuggestedWord>>(read.error());
  };
  const auto few = words_of(100);
  ASSERT_TRUE(few);
  for (std::size_t i = 0; i < few->size(); ++i)
    if ((*few)[i].word == "ab") {
      EXPECT_EQ((*few)[i].offset % 6, 3u);  // behind a letter of two units, and a space
    }
  const auto many = words_of(5000);
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().status, 501);
}

TEST(Statistics, AreNotAskedForMoreLikeWordsThanASearchMayHave) {
  Statistics statistics;
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(statistics.near({.field = "body", .word = "word" + std::to_string(i)}), nullptr);
  EXPECT_EQ(statistics.missing_near().size(), frond::query::kMaxNearWords + 1);  // one more than is asked for
}

TEST(ASearch, WithSuggestionsAloneSearchesNothing) {
  const auto ask = read_search(Json::parse(R"({"suggest":{"a":{"text":"x","term":{"field":"body"}}}})"), {});
  ASSERT_TRUE(ask);
  EXPECT_TRUE(ask->query.contains("match_none"));
}

}  // namespace
}  // namespace frond::broker::elasticsearch
