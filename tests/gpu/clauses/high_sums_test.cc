// Sums of scores just below those that DeviceCache leaves to the CPU, whose sums end at kMaxScore: kernels, whose sums
// would wrap, find what an evaluation of all documents finds. The documents have all the same length.
#include "tests/gpu/clauses/clauses_on_gpu.h"

namespace frond::leaf::clauses {
namespace {

class HighSumsOnGpu : public ClausesOnGpu {
 protected:
  using ClausesOnGpu::ClausesOnGpu;
  // With other words behind the given ones.
  static TextDocument document(std::size_t number, std::vector<std::string> text, std::size_t length) {
    TextDocument made{"d" + std::to_string(number), {}, {}};
    made.texts.resize(support::query_schema().fields.size());
    text.resize(length, "xx");
    made.texts[1] = std::move(text);
    return made;
  }
  static std::vector<std::string> repeated(const std::vector<std::string>& words, int times) {
    std::vector<std::string> text;
    for (; times > 0; --times) text.insert(text.end(), words.begin(), words.end());
    return text;
  }
  static query::Clause boosted(query::Clause clause, std::uint32_t units) {
    return {query::Boost{{std::move(clause)}, {units}}};
  }
  void ask(const query::Clause& clause) {
    SCOPED_TRACE(query::clause_json(clause).substr(0, 200));
    const auto query = resolved(clause);
    ASSERT_TRUE(query && flat_query(*query));
    const auto all = run(*query, 10, false, [this](const ClausePlan& plan, std::size_t) {
      return std::optional(search_exhaustively(plan, clock_));
    });
    ASSERT_EQ(all->hits.size(), 10u);
    for (const bool prunes : {false, true}) {
      const auto got = run(*query, 10, prunes,
                           [this](const ClausePlan& plan, std::size_t partition) { return on_gpu(plan, partition); });
      ++(got ? answered_ : left_);
      if (!got) continue;
      highest_ = std::max(highest_, all->hits.front().score);
      ASSERT_EQ(got->hits, all->hits) << prunes;
    }
  }

  std::size_t left_ = 0;
  topk::Score highest_ = 0;  // of an answer of the device
};

// The best documents have two of three words, and are met where the second one's list drives.
class HighSumsOfSome : public HighSumsOnGpu {
 protected:
  HighSumsOfSome() : HighSumsOnGpu(documents()) {}
  static constexpr const char* kWords[] = {"pa", "pb", "pc"};
  static std::vector<TextDocument> documents() {
    std::vector<TextDocument> made;
    for (std::size_t i = 0; i < 3000; ++i) {
      const std::string one = kWords[i % 3];
      made.push_back(document(i,
                              i < 3           ? repeated({one}, 40)
                              : i % 100 == 50 ? repeated({"pb", "pc"}, 2)
                                              : std::vector<std::string>{one},
                              40));
    }
    return made;
  }
};

TEST_P(HighSumsOfSome, AreNotTakenForLow) {
  for (const std::uint32_t units : {8'192u, 32'768u, 50'000u, 60'000u, 65'535u})
    for (const std::uint32_t minimum : {1u, 2u})
      for (const bool excludes : {false, true}) {
        query::Bool some;
        for (const char* const word : kWords) {
          std::string text;
          for (int i = 0; i < 37; ++i) text.append(word).append(" ");
          some.should.push_back(boosted({query::Words{"", text, query::Mode::kAnd}}, units));
        }
        if (excludes) some.must_not.push_back({query::Words{"title", "pd", query::Mode::kAnd}});
        some.minimum = query::MinimumMatch{query::MinimumMatch::Kind::kCount, minimum};
        ask({some});
      }
  EXPECT_GE(answered_, 36u);
  EXPECT_GT(highest_, 1u << 30);
}

INSTANTIATE_TEST_SUITE_P(Partitions, HighSumsOfSome, testing::Values(1u, 2u, 3u, 16u));

// Later documents have the phrase more often.
class HighPhrasesOnGpu : public HighSumsOnGpu {
 protected:
  HighPhrasesOnGpu() : HighSumsOnGpu(documents()) {}
  static std::vector<std::string> words() {
    std::vector<std::string> all;
    for (int i = 0; i < 32; ++i) all.push_back("p" + std::to_string(i));
    return all;
  }
  static std::vector<TextDocument> documents() {
    std::vector<TextDocument> made;
    for (std::size_t i = 0; i < 6000; ++i) {
      const int times = i % 20 != 5 ? 0 : i > 4000 && i % 500 == 5 ? 6 : 3;
      made.push_back(document(i, repeated(words(), times), 32 * 6));
    }
    return made;
  }
};

TEST_P(HighPhrasesOnGpu, AreNotTakenForLow) {
  std::string text;
  for (const std::string& word : words()) text.append(word).append(" ");
  for (const std::uint32_t units : {1u, 256u, 25'600u, 42'000u, 65'535u, 80'000u}) {
    const query::Clause phrase = boosted({query::Phrase{"", text}}, units);
    ask(phrase);
    ask({query::Bool{{phrase, {query::Words{"", "p7", query::Mode::kAnd}}}, {}, {}, {}, {}}});
    ask(boosted({query::Phrase{"", "p8 p9"}}, units));
  }
  EXPECT_GE(answered_, 26u);
  EXPECT_GE(left_, 10u);
  EXPECT_GT(highest_, 1u << 30);
}

INSTANTIATE_TEST_SUITE_P(Partitions, HighPhrasesOnGpu, testing::Values(1u, 2u, 3u));

}  // namespace
}  // namespace frond::leaf::clauses
