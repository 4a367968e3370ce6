#include "common/scoring/bm25.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "common/scoring/prior.h"

namespace frond::scoring {
namespace {

TEST(NaturalLog, IsTheLogarithmToOnePartIn1e14) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(0, 40), near_one(0, 1);
  const auto expect_near = [](double x) {
    const double expected = std::log(x);
    ASSERT_NEAR(natural_log(x), expected, 1e-14 * std::max(expected, 1e-300)) << std::hexfloat << x;
  };
  for (int i = 0; i < 200'000; ++i) {
    expect_near(std::exp(exponent(random)));
    expect_near(1 + near_one(random));
    expect_near(1 + near_one(random) * 1e-6);
  }
  EXPECT_EQ(natural_log(1), 0.0);
  for (int e = 1; e < 60; ++e) expect_near(std::ldexp(1.0, e));
}

TEST(NaturalLog, NeverDescends) {
  double before = -1;
  for (double x = 1; x < 1e6; x *= 1.00001) {
    const double now = natural_log(x);
    ASSERT_GE(now, before) << x;
    before = now;
  }
}

// Indexes, brokers and GPUs must agree on these integers: a change changes the scores of existing indexes.
TEST(Contribution, IsTheseIntegersForEver) {
  struct Row {
    std::uint64_t documents, tokens, df;
    Bm25Parameters parameters;
    std::uint32_t query_frequency;
    Frequency frequency;
    std::uint32_t length;
    Score score;
  };
  const Row rows[] = {
#include "tests/unit/common/scoring/contributions.inc"
  };
  for (const Row& row : rows) {
    const CollectionStatistics statistics = {row.documents, row.tokens};
    const float weight = term_weight(row.parameters, statistics, row.df, row.query_frequency);
    EXPECT_EQ(contribution(weight, row.frequency, row.length, length_norm(row.parameters, statistics)), row.score)
        << row.documents << " documents, df " << row.df << ", tf " << row.frequency << ", length " << row.length;
  }
}

TEST(Contribution, IsBm25) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100'000; ++i) {
    const CollectionStatistics statistics = {1 + random() % 10'000'000, 1 + random() % 1'000'000'000};
    const std::uint64_t df = 1 + random() % statistics.documents;
    const Bm25Parameters parameters = {.k1 = random() % 400 / 100.0, .b = random() % 101 / 100.0};
    const auto tf = static_cast<Frequency>(1 + random() % 50);
    const auto length = static_cast<std::uint32_t>(tf + random() % 5000);
    const double n = static_cast<double>(statistics.documents), d = static_cast<double>(df);
    const double idf = std::log(1 + (n - d + 0.5) / (d + 0.5));
    const double norm = parameters.k1 * (1 - parameters.b + parameters.b * length / statistics.average_length());
    const double expected = kScoreScale * idf * (parameters.k1 + 1) * tf / (tf + norm);
    const Score got =
        contribution(term_weight(parameters, statistics, df, 1), tf, length, length_norm(parameters, statistics));
    ASSERT_NEAR(got, expected, 1 + expected * 1e-6);
  }
}

TEST(Contribution, LeavesRoomForEveryQueryTermInAScore) {
  const Bm25Parameters parameters = {.k1 = kMaxK1, .b = 0};
  const CollectionStatistics statistics = {std::uint64_t{1} << 33, std::uint64_t{1} << 40};
  const Score most =
      contribution(term_weight(parameters, statistics, 1, 1), 0xffffffff, 1, length_norm(parameters, statistics));
  EXPECT_LT(most, 1u << 23);
  EXPECT_LE(std::uint64_t{most} * kMaxQueryTerms, 0xffffffffu);
}

TEST(TermWeight, IsPositiveEvenForATermOfEveryDocument) {
  const Bm25Parameters parameters;
  EXPECT_GT(term_weight(parameters, {10, 100}, 10, 1), 0.0f);
  EXPECT_EQ(term_weight(parameters, {10, 100}, 11, 1), term_weight(parameters, {10, 100}, 10, 1));
  EXPECT_EQ(term_weight(parameters, {1000, 100'000}, 3, 2), 2 * term_weight(parameters, {1000, 100'000}, 3, 1));
}

TEST(Prior, IsWholeNumbersThatStayBelowTheHighestScore) {
  EXPECT_EQ(prior_of(1), 65536u);
  EXPECT_EQ(prior_of(kMaxPriorValue), kMaxPrior);
  EXPECT_EQ(prior_of(0.6 / 65536), 1u);
  EXPECT_EQ(weighted(kMaxPrior, kMaxPriorWeight), 16'000u << 16);
  EXPECT_EQ(weighted(65536, 0), 0u);
  EXPECT_EQ(weighted(3, 1u << 15), 1u);
  EXPECT_EQ(with_prior(5, 7), 12u);
  EXPECT_EQ(with_prior(0xffffffff, 0), kMaxScore);
  EXPECT_EQ(with_prior(0xfffffff0, 16'000u << 16), kMaxScore);
  std::mt19937 random(9);
  for (int i = 0; i < 100'000; ++i) {
    const Prior prior = static_cast<Prior>(random() % kMaxPrior);
    const PriorWeight weight = static_cast<PriorWeight>(random() % (kMaxPriorWeight + 1));
    ASSERT_LE(weighted(prior, weight), weighted(prior + 1, weight));
  }
}

TEST(Prior, OfAnyNumberIsWithinItsLimits) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double below : {std::nan(""), -std::nan(""), -kInfinity, -1e308, -1.0, -1e-320, -0.0, 0.0, 1e-320}) {
    EXPECT_EQ(prior_of(below), 0u) << below;
    EXPECT_EQ(prior_weight_of(below), 0u) << below;
  }
  for (const double above : {kInfinity, 1e308, 1e19, 4294967296.0, 65536.0, std::nextafter(kMaxPriorValue, 2000.0)}) {
    EXPECT_EQ(prior_of(above), kMaxPrior) << above;
    EXPECT_EQ(prior_weight_of(above), kMaxPriorWeight) << above;
  }
  EXPECT_EQ(prior_of(std::nextafter(kMaxPriorValue, 0)), kMaxPrior);
  EXPECT_EQ(prior_weight_of(1), kUsualPriorWeight);
  EXPECT_EQ(prior_weight_of(0.5 / 65536), 1u) << "as lround() has it";
}

TEST(PackedDeficit, RoundsDown) {
  std::mt19937 random(3);
  for (int i = 0; i < 1'000'000; ++i) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(random() % 0x7f000000u));
    const float unpacked = unpack_deficit(pack_deficit(value));
    ASSERT_LE(unpacked, value);
    if (value > 1e-30f) {
      ASSERT_GE(unpacked, value * 0.992f);
    }
  }
  EXPECT_EQ(unpack_deficit(pack_deficit(0)), 0.0f);
}

TEST(PackedDeficit, RoundsUpWhereAsked) {
  std::mt19937 random(6);
  for (int i = 0; i < 1'000'000; ++i) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(random() % 0x7f000000u));
    const float unpacked = unpack_deficit(pack_deficit_up(value));
    ASSERT_GE(unpacked, value);
    if (value > 1e-30f) {
      ASSERT_LE(unpacked, value * 1.008f);
    }
  }
}

// A posting and its statistics: extreme values, drawn evenly over their orders of magnitude.
struct ExtremePosting {
  explicit ExtremePosting(std::mt19937_64& random)
      : parameters{.k1 = random() % 401 / 100.0, .b = any_b(random)},
        tf(static_cast<Frequency>(1 + any(random, 31))),
        length(static_cast<std::uint32_t>(any(random, 32))),
        now{1 + any(random, 32), 1 + any(random, 44)},
        built{random() % 3 ? any_b(random) : parameters.b,
              random() % 3 ? static_cast<double>(1 + any(random, 30)) / 16 : now.average_length()},
        weight(term_weight(parameters, now, 1 + any(random, 32), static_cast<std::uint32_t>(1 + random() % 4))) {}

  float deficit() const { return scoring::deficit(built.b, built.average_length, tf, length); }
  BoundScale scale() const { return {weight, parameters, now, built}; }
  Score contribution() const { return scoring::contribution(weight, tf, length, length_norm(parameters, now)); }

  friend std::ostream& operator<<(std::ostream& out, const ExtremePosting& posting) {
    return out << "tf " << posting.tf << ", length " << posting.length << ", built " << posting.built.average_length
               << " b " << posting.built.b << ", now " << posting.now.average_length() << ", k1 "
               << posting.parameters.k1 << ", b " << posting.parameters.b;
  }

  // Often an end of the range, or next to one.
  static double any_b(std::mt19937_64& random) {
    static constexpr double kEnds[] = {0, 1e-300, 1e-9, 0.4, 1 - 1e-9, 1 - 0x1p-53, 1};
    return random() % 3 ? random() % 101 / 100.0 : kEnds[random() % std::size(kEnds)];
  }
  static std::uint64_t any(std::mt19937_64& random, unsigned bits) { return random() >> (64 - 1 - random() % bits); }

  Bm25Parameters parameters;
  Frequency tf;
  std::uint32_t length;
  CollectionStatistics now;
  DeficitBasis built;
  float weight;
};

TEST(BoundScale, IsNeverBelowAContribution) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 1'000'000; ++i) {
    const ExtremePosting posting(random);
    const PackedDeficit packed = pack_deficit(posting.deficit());
    ASSERT_GE(posting.scale().bound(packed), posting.contribution()) << "round " << i << ": " << posting;
  }
}

TEST(BoundScale, LowerBoundIsNeverAboveAContribution) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 1'000'000; ++i) {
    const ExtremePosting posting(random);
    const PackedDeficit packed = pack_deficit_up(posting.deficit());
    ASSERT_LE(posting.scale().lower_bound(packed), posting.contribution()) << "round " << i << ": " << posting;
  }
}

TEST(BoundScale, LowerBoundIsCloseUnderTheStatisticsItWasBuiltWith) {
  const Bm25Parameters parameters;
  const CollectionStatistics now = {1000, 100'000};
  const float weight = term_weight(parameters, now, 20, 1);
  const auto packed = pack_deficit_up(deficit(parameters.b, now.average_length(), 3, 80));
  const Score score = contribution(weight, 3, 80, length_norm(parameters, now));
  const BoundScale scale(weight, parameters, now, {parameters.b, now.average_length()});
  EXPECT_GT(scale.lower_bound(packed), score - score / 100);
}

// For the parameters and statistics of the build, bounds are what they were when only the build's b could be asked for.
TEST(BoundScale, IsAsTightAsEverWhereAQueryAsksForNoOtherParameters) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100'000; ++i) {
    ExtremePosting posting(random);
    posting.built.b = posting.parameters.b;
    const double ratio = std::max(posting.built.average_length, 1e-9) / std::max(posting.now.average_length(), 1e-9);
    const PackedDeficit packed = pack_deficit(posting.deficit());
    const float least = static_cast<float>(posting.parameters.k1 * std::min(1.0, ratio) * (1 - 1e-6));
    const float before = posting.weight / (1.0f + least * unpack_deficit(packed));
    const Score bound = static_cast<Score>(before * (1.0f + 0x1p-20f)) + 1;
    if (ratio == 1)
      ASSERT_EQ(posting.scale().bound(packed), bound) << "round " << i << ": " << posting;
    else
      ASSERT_LE(posting.scale().bound(packed), bound) << "round " << i << ": " << posting;
  }
}

// As of a word that a request has thousands of times.
TEST(BoundScale, EndsBelow2To32) {
  const CollectionStatistics now = {1000, 100'000};
  for (const float weight : {0x1p31f, 0x1.fffffep31f, 0x1p32f, 0x1p33f, 3e38f}) {
    const BoundScale scale(weight, {}, now, {0.4, 100});
    const BoundScale impacts(weight, kImpacts, now, {0, 1});
    EXPECT_GE(scale.bound(0), weight < 0x1p32f ? 0x7fffffff : 0xffff0000) << weight;
    EXPECT_LE(scale.lower_bound(pack_deficit_up(1)), scale.bound(0)) << weight;
    EXPECT_LE(scale.lower_bound(0), scale.bound(0)) << weight;
    EXPECT_GE(impacts.bound(0), weight < 1e38f ? static_cast<Score>(weight * 0x1.fep-25f) : 0xffff0000) << weight;
  }
}

// The bounds of a list are those of its least deficit, so they must fall as deficits grow.
TEST(BoundScale, FallsAsDeficitsGrow) {
  std::mt19937_64 random(8);
  for (int i = 0; i < 100'000; ++i) {
    const ExtremePosting posting(random);
    const PackedDeficit packed = pack_deficit(posting.deficit());
    const BoundScale scale = posting.scale();
    ASSERT_GE(scale.bound(packed), scale.bound(static_cast<PackedDeficit>(packed + 1))) << posting;
  }
}

TEST(BoundScale, StaysUsefulForOtherParameters) {
  const CollectionStatistics now = {1000, 100'000};
  const DeficitBasis built = {0.4, 100};
  for (const double b : {0.1, 0.75, 0.9}) {
    const Bm25Parameters asked = {.k1 = 1.2, .b = b};
    const float weight = term_weight(asked, now, 20, 1);
    for (const std::uint32_t length : {20u, 400u}) {
      const auto deficit = scoring::deficit(built.b, built.average_length, 1, length);
      const Score score = contribution(weight, 1, length, length_norm(asked, now));
      const BoundScale scale(weight, asked, now, built);
      EXPECT_LT(scale.bound(pack_deficit(deficit)), score * 3) << "b " << b << ", length " << length;
      EXPECT_GT(scale.lower_bound(pack_deficit_up(deficit)), score / 3) << "b " << b << ", length " << length;
    }
  }
}

TEST(BoundScale, LowerBoundOfForeignBytesIsZero) {
  const BoundScale scale(1e6f, {}, {1000, 100'000}, {0.4, 100});
  for (const PackedDeficit packed : {0xffff, 0x7fc0, 0xc000, 0x7f80}) EXPECT_EQ(scale.lower_bound(packed), 0u);
}

}  // namespace
}  // namespace frond::scoring
