// Searches for phrases, and for documents that must have, may have and must not have some words, on a leaf with a GPU:
// what it answers is what the leaf answers without one, with filters and removed documents, and it runs there whatever
// may.
#include <gtest/gtest.h>

#include <set>

#include "tests/gpu/counts/searched_collection.h"

namespace frond::change_test {
namespace {

constexpr std::size_t kTexts = 2500;

std::string some_word(Random& random) {
  const auto number = std::min(random() % 7, random() % 7);
  return number == 6 ? "the" : "p" + std::to_string(number);  // a stop word leaves a gap
}
std::string some_text(Random& random, std::size_t words, const std::function<std::string(Random&)>& word) {
  std::string text;
  for (; words > 0; --words) text += word(random) + " ";
  return text;
}

// With few words, so that phrases are in many documents, more than the device counts, and repeat words; some in which
// codes take two bytes; one in which they take four.
std::vector<Text> texts_with_phrases() {
  Random random(5);
  std::vector<Text> texts;
  for (std::size_t i = 0; i < kTexts; ++i)
    texts.push_back({"d" + std::to_string(i), some_text(random, random() % 4, some_word),
                     some_text(random, i % 50 == 0 ? 200 : random() % 20, some_word)});
  int number = 0;
  const auto another = [&number](Random& from) {
    return from() % 4 == 0 ? some_word(from) : "q" + std::to_string(number++);
  };
  for (const std::size_t words : {400u, 1000u, 5000u, 80'000u, 300u}) {
    number = 0;
    texts[texts.size() - 1 - words % 97].body = some_text(random, words, another);
  }
  return texts;
}

class SearchedPhrases : public SearchedCollection {
 protected:
  SearchedPhrases() : SearchedCollection(texts_with_phrases()) {}

  query::Clause some_phrase() {
    std::string text;
    for (std::size_t words = 2 + random_() % 4; words > 0; --words)
      text += random_() % 12 == 0 ? "q" + std::to_string(random_() % 300) + " " : some_word(random_) + " ";
    return {query::Phrase{"", "p" + std::to_string(random_() % 3) + " " + text + some_word(random_) + " p1"}};
  }
  query::Clause short_phrase() {
    const auto word = [this] { return "p" + std::to_string(std::min(random_() % 5, random_() % 5)); };
    return {query::Phrase{"", word() + (random_() % 4 == 0 ? " the " : " ") + word()}};
  }
  query::Clause words(const std::string& text) { return {query::Words{"", text, query::Mode::kAnd}}; }

  // Of a form that the GPU takes.
  query::Clause some_clause() {
    query::Bool both;
    std::set<std::string> chosen;  // a term that is there twice is the CPU's
    const auto other = [&chosen](const auto& word) {
      for (;;)
        if (const auto [at, is_new] = chosen.insert(word()); is_new) return *at;
    };
    const auto rare = [&] { return other([&] { return "w" + std::to_string(random_() % 100); }); };
    const auto any = [&] {
      if (random_() % 10 == 0) return other([&] { return "no" + std::to_string(random_() % 100); });  // in no document
      return random_() % 3 == 0 ? rare() : other([&] { return "p" + std::to_string(random_() % 7); });
    };
    const bool phrase = random_() % 5 != 0;
    if (phrase) both.must.push_back(random_() % 5 == 0 ? some_phrase() : short_phrase());
    if (phrase && random_() % 3 == 0) return both.must.front();
    for (std::size_t i = random_() % 2 + (phrase ? 0 : 1); i > 0; --i) both.must.push_back(words(any()));
    for (std::size_t i = random_() % 3; i > 0; --i) both.should.push_back(words(any()));
    for (std::size_t i = random_() % 3; i > 0; --i) both.must_not.push_back(words(rare()));
    return {std::move(both)};
  }
  // p0 to p5 of all text, then of titles, so many of which a document must have.
  static query::Bool some_of(std::uint32_t count, std::uint32_t needed) {
    query::Bool some;
    for (std::uint32_t i = 0; i < count; ++i)
      some.should.push_back({query::Words{i < 6 ? "" : "title", "p" + std::to_string(i % 6), query::Mode::kAnd}});
    some.minimum = query::MinimumMatch{query::MinimumMatch::Kind::kCount, needed};
    return some;
  }
  wire::SearchRequest some_request(const query::Clause& clause) {
    wire::SearchRequest request = request_of(clause, "");
    request.facets.clear();
    const std::uint32_t depths[] = {1, 10, 10, 100, 1000};
    request.depth = depths[random_() % std::size(depths)];
    request.exact_total = random_() % 4 == 0;
    if (random_() % 3 == 0) request.filter = R"({"range":{"field":"year","gte":2000}})";
    return request;
  }
  // Both answers, which are the same.
  void ask(Searches& with_gpu, Searches& without, wire::SearchRequest request) {
    SCOPED_TRACE("partitions " + std::to_string(GetParam()) + ": " + request.clause + request.filter + ", depth " +
                 std::to_string(request.depth));
    request.processor = wire::Processor::kCpu;
    wanted_ = without.ask(request);
    request.processor = wire::Processor::kGpu;
    got_ = with_gpu.ask(request);
    ASSERT_EQ(wanted_.refusal, "");
    ASSERT_EQ(got_.refusal, "");
    ASSERT_TRUE(wanted_.reply.unsearched.empty());
    ASSERT_TRUE(got_.reply.unsearched.empty());
    ASSERT_EQ(got_.reply.or_ranking.hits, wanted_.reply.or_ranking.hits);
    if (!request.exact_total) return;
    ASSERT_TRUE(got_.reply.or_ranking.exact);
    ASSERT_EQ(got_.reply.or_ranking.matches, wanted_.reply.or_ranking.matches);
  }
  Answered got_, wanted_;
};

TEST_P(SearchedPhrases, AreTheSameWithAGpu) {
  Searches with_gpu(*leaf_, leaf_->store(), &*gpu_, *cpu_), without(*leaf_, leaf_->store(), nullptr, *cpu_);
  std::size_t by_gpu = 0, with_hits = 0;
  for (int i = 0; i < 60; ++i) {
    ask(with_gpu, without, some_request(some_clause()));
    if (testing::Test::HasFailure()) return;
    with_hits += !got_.reply.or_ranking.hits.empty();
    by_gpu += !got_.reply.or_ranking.hits.empty() && got_.reply.runs.back().on_gpu;
  }
  std::cout << by_gpu << " of " << with_hits << " searches with hits ran on the GPU" << std::endl;
  EXPECT_GE(with_hits, 20u);
  EXPECT_EQ(by_gpu, with_hits);
}

// Codes of each width: any words of the texts that have their own.
TEST_P(SearchedPhrases, AreFoundInLongTexts) {
  Searches with_gpu(*leaf_, leaf_->store(), &*gpu_, *cpu_), without(*leaf_, leaf_->store(), nullptr, *cpu_);
  std::size_t found = 0;
  for (const std::uint32_t number : {5u, 150u, 290u, 700u, 3000u, 30'000u, 59'000u}) {
    for (std::uint32_t distance = 1; distance < 6; ++distance) {
      const auto word = [](std::uint32_t of) { return "q" + std::to_string(of); };
      std::string text = word(number);
      for (std::uint32_t i = 1; i < distance; ++i) text += " " + word(number + i);
      ask(with_gpu, without, some_request({query::Phrase{"", text + " " + word(number + distance)}}));
      if (testing::Test::HasFailure()) return;
      const bool has_hits = !wanted_.reply.or_ranking.hits.empty();
      found += has_hits;
      EXPECT_TRUE(!has_hits || got_.reply.runs.back().on_gpu);
    }
  }
  EXPECT_GE(found, 10u);
}

TEST_P(SearchedPhrases, AreLeftToTheCpuWithTheReason) {
  Searches with_gpu(*leaf_, leaf_->store(), &*gpu_, *cpu_), without(*leaf_, leaf_->store(), nullptr, *cpu_);
  using wire::RunReason;
  query::Bool two;
  two.must = {{query::Phrase{"", "p0 p1"}}, {query::Phrase{"", "p1 p0"}}};
  query::Bool any;
  any.should = {{query::Phrase{"", "p0 p1"}}, words("p2")};
  std::string long_phrase = "p0";
  for (int i = 0; i < 40; ++i) long_phrase += i % 2 == 0 ? " p1" : " p0";
  const std::pair<query::Clause, RunReason> cases[] = {
      {{query::Phrase{"", "p0 p1", 1}}, RunReason::kClause},
      {{query::Phrase{"", "p0 w1", 0, true}}, RunReason::kClause},
      {query::boosted({some_of(3, 1)}, query::Factor{512}), RunReason::kClause},
      {{query::Constant{{words("p0")}, query::Factor{256}}}, RunReason::kClause},
      {{two}, RunReason::kClause},
      {{any}, RunReason::kClause},
      {{query::Phrase{"", long_phrase}}, RunReason::kGpuLeft},
      {{some_of(12, 8)}, RunReason::kGpuLeft},
  };
  for (const auto& [clause, reason] : cases) {
    wire::SearchRequest request = some_request(clause);
    request.exact_total = false;
    request.filter.clear();
    ask(with_gpu, without, request);
    EXPECT_EQ(got_.reply.runs.back().reason, reason) << request.clause;
    EXPECT_EQ(got_.reply.profile[0].engine, "clauses");
  }
  wire::SearchRequest request = some_request({query::Phrase{"", "p0 p1"}});
  request.rank = wire::Rank::kNone;
  ask(with_gpu, without, request);
  EXPECT_EQ(got_.reply.runs.back().reason, RunReason::kClause);
  request.rank = wire::Rank::kScore;
  ask(with_gpu, without, request);
  EXPECT_EQ(got_.reply.runs.back().reason, RunReason::kRequested);
  EXPECT_EQ(got_.reply.profile[0].engine, "gpu");
  with_gpu.parts().min_gpu_postings = std::uint64_t{1} << 40;
  request.processor = wire::Processor::kAuto;
  EXPECT_EQ(with_gpu.ask(request).reply.runs.back().reason, RunReason::kFewPostings);
}

TEST_P(SearchedPhrases, AreOfFieldsWithBoostsAndOfSomeTerms) {
  Searches with_gpu(*leaf_, leaf_->store(), &*gpu_, *cpu_), without(*leaf_, leaf_->store(), nullptr, *cpu_);
  const auto twice = [](query::Clause clause) { return query::boosted(std::move(clause), query::Factor{512}); };
  const auto titled = [](const char* word) { return query::Clause{query::Words{"title", word, query::Mode::kAnd}}; };
  query::Bool mixed = some_of(4, 2), fields;
  mixed.must = {twice({query::Phrase{"", "p0 p1"}})};
  fields.should = {twice(titled("p0")), titled("p1"), words("p2")};
  fields.must_not = {titled("p3")};
  const std::vector<query::Clause> clauses = {{query::Phrase{"title", "p0 p1"}},
                                              twice({query::Phrase{"", "p0 p1"}}),
                                              twice(words("p0")),
                                              titled("p0"),
                                              {some_of(3, 1)},
                                              {some_of(5, 3)},
                                              {mixed},
                                              {fields}};
  for (const query::Clause& clause : clauses) {
    wire::SearchRequest request = some_request(clause);
    ask(with_gpu, without, request);
    if (wanted_.reply.or_ranking.hits.empty()) continue;
    EXPECT_TRUE(got_.reply.runs.back().on_gpu) << request.clause;
    EXPECT_FALSE(got_.reply.runs.back().on_cpu) << request.clause;
  }
}

// None has the words of which it needs some: not ranked, counted or by its place either.
TEST_P(SearchedPhrases, AreNotFoundWithoutWhatTheyNeed) {
  Searches with_gpu(*leaf_, leaf_->store(), &*gpu_, *cpu_), without(*leaf_, leaf_->store(), nullptr, *cpu_);
  query::Bool both;
  both.must = {words("p0")};
  both.should = {words("no1"), words("no2")};
  for (const std::uint32_t minimum : {0u, 1u, 2u}) {
    both.minimum = query::MinimumMatch{query::MinimumMatch::Kind::kCount, minimum};
    for (const char* const facets : {"", R"("a": {"values": {"field": "lang"}})"})
      for (const wire::Rank rank : {wire::Rank::kScore, wire::Rank::kNone}) {
        wire::SearchRequest request = some_request({both});
        if (*facets != 0) request.facets = request_of({both}, facets).facets;
        request.rank = rank;
        request.filter.clear();
        request.exact_total = true;
        ask(with_gpu, without, request);
        EXPECT_EQ(got_.reply.or_ranking.matches > 0, minimum == 0) << facets;
      }
  }
}

// Terms that documents may have, or must not have, do not make a search look shorter than it is.
TEST_P(SearchedPhrases, AreWhatRequiredListsMakeThem) {
  Searches with_gpu(*leaf_, leaf_->store(), &*gpu_, *cpu_), without(*leaf_, leaf_->store(), nullptr, *cpu_);
  with_gpu.parts().min_gpu_postings = 1;
  const auto run_of = [&](const query::Clause& clause) {
    wire::SearchRequest request = some_request(clause);
    request.depth = 10;
    request.exact_total = false;
    request.filter.clear();
    ask(with_gpu, without, request);
    request.processor = wire::Processor::kAuto;
    for (int i = 0; i < 3; ++i) {  // on either processor
      const auto reply = with_gpu.ask(request).reply;
      EXPECT_NE(reply.runs.back().reason, wire::RunReason::kFewPostings);
      EXPECT_EQ(reply.or_ranking.hits, wanted_.reply.or_ranking.hits);
    }
    return got_.reply.runs.back();
  };
  query::Bool one, more;
  one.must = {{query::Phrase{"", "p0 p1"}}};
  more.must = one.must;
  more.should = {words("w3")};
  more.must_not = {words("w5")};
  const auto alone = run_of({one}), with_others = run_of({more});
  EXPECT_GT(alone.shortest, 1000u);
  EXPECT_EQ(with_others.shortest, alone.shortest);
  EXPECT_EQ(with_others.second, alone.second);
  EXPECT_GE(with_others.predicted_gpu_ns, alone.predicted_gpu_ns / 10);
}

// A device without room for any sequences.
struct Full final : leaf::lists::DeviceLists {
  explicit Full(leaf::lists::DeviceLists& of_) : of(of_) {}
  leaf::lists::DeviceLease find(const leaf::lists::ListKey& key) override { return of.find(key); }
  std::shared_ptr<const void> find_array(const std::shared_ptr<const void>&) override { return nullptr; }
  bool has_no_room_for(const std::shared_ptr<const void>&) const override { return true; }
  leaf::lists::DeviceLists& of;
};

TEST_P(SearchedPhrases, DoNotWaitForADeviceWithoutRoom) {
  Searches with_gpu(*leaf_, leaf_->store(), &*gpu_, *cpu_), without(*leaf_, leaf_->store(), nullptr, *cpu_);
  Full full(gpu_->lists());
  with_gpu.parts().device = &full;
  query::Bool both;
  both.must = {words("p0"), words("p1")};
  both.must_not = {words("w5")};
  for (const query::Clause& clause : {query::Clause{query::Phrase{"", "p0 p1"}}, query::Clause{both}}) {
    wire::SearchRequest request = some_request(clause);
    request.exact_total = false;
    request.filter.clear();
    ask(with_gpu, without, request);
    const wire::SearchRun& run = got_.reply.runs.back();
    const bool phrase = clause.as<query::Phrase>() != nullptr;
    EXPECT_EQ(run.reason, phrase ? wire::RunReason::kNoGpuRoom : wire::RunReason::kRequested);
    EXPECT_EQ(run.queue == wire::RunQueue::kNone, phrase);
  }
}

INSTANTIATE_TEST_SUITE_P(Partitions, SearchedPhrases, testing::Values(1u, 2u, 3u, 16u));

}  // namespace
}  // namespace frond::change_test
