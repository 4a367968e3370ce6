// Random orders, places to go on from, and facets over random documents: what is collected by windows is what the
// reference finds document by document, for any number of partitions, also when documents are removed.
#include <gtest/gtest.h>

#include <functional>
#include <tuple>

#include "common/query/bind.h"
#include "common/query/facets/time_zone.h"
#include "common/query/json/clause_json.h"
#include "common/query/normal_form.h"
#include "leaf/clauses/evaluation.h"
#include "leaf/collect/collect.h"
#include "tests/support/collections/collect_reference.h"
#include "tests/support/collections/manual_clock.h"
#include "tests/support/random_clauses.h"
#include "tests/unit/leaf/clauses/document_collection.h"

namespace frond::leaf::collect {
namespace {

using clauses::MemoryCollection;
using clauses::TextDocument;
using Kind = query::Facet::Kind;

// Values of all types; some lie close together, others far apart, and some columns have none in whole chunks.
std::vector<TextDocument> documents_of(const schema::Schema& schema, std::uint32_t count, std::uint32_t seed) {
  std::vector<TextDocument> documents = clauses::random_documents(schema, count, seed);
  std::mt19937_64 random(seed);
  const auto add = [&](TextDocument& document, std::string_view name, const schema::Value& value) {
    document.values[static_cast<std::uint32_t>(schema.find(name) - schema.fields.data())] = {value};
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    TextDocument& document = documents[i];
    if (random() % 3 != 0) add(document, "lang", "l" + std::to_string(random() % (i < 5000 ? 40 : 4000)));
    if (random() % 4 != 0) add(document, "price", static_cast<double>(random() % 100'000) / 64 - 300);
    if (random() % 4 != 0 && i > 4500)
      add(document, "published", static_cast<std::int64_t>(1.5e12 + static_cast<double>(random() % 100'000'000'000)));
    if (random() % 2 != 0) add(document, "open", random() % 3 == 0);
  }
  return documents;
}

struct Found {
  std::vector<topk::Hit> hits;
  std::vector<std::string> sort_bytes;
  std::vector<query::FacetCounts> facets;
  std::uint64_t matches = 0;
  friend bool operator==(const Found&, const Found&) = default;
};

class World {
 public:
  World(std::uint32_t documents, std::uint32_t seed)
      : documents_(documents_of(schema_, documents, seed)), hidden_(documents) {
    for (const std::uint32_t partitions : {1u, 2u, 3u, 16u})
      collections_.push_back(std::make_unique<MemoryCollection>(schema_, documents_, partitions));
  }
  void hide_some(std::uint32_t seed) {
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < hidden_.size(); ++i) hidden_[i] = random() % 5 == 0;
    for (const auto& one : collections_) one->hide(hidden_);
  }
  const schema::Schema& schema() const { return schema_; }
  std::size_t collections() const { return collections_.size(); }

  enum class With { kReference, kCounts, kPrunes };
  Result<Found> run(std::size_t collection, const query::Clause& clause, const Wanted& asked, std::uint32_t k,
                    bool ranked, With with) {
    const MemoryCollection& from = *collections_[collection];
    const clauses::ResolvedQuery query = FROND_TRY(from.resolve(clause, analyzer_, plain_analyzer_));
    Found found;
    found.facets.resize(asked.facets.size());
    std::vector<std::tuple<std::string, scoring::Score, Ordinal, topk::Hit>> all;  // worse scores are greater
    SortFloor sort_floor;
    engine::SharedFloor floor;
    KeywordCache keywords(1 << 20);
    for (std::size_t i = 0; i < from.partitions(); ++i) {
      auto wanted = FROND_TRY(with_clauses(asked, from, i));
      auto plan = from.plan(i, query, k, ranked, with == With::kPrunes ? &floor : nullptr);
      plan.plan.partition = i;
      const auto part =
          FROND_TRY(with == With::kReference ? collect_exhaustively(plan, wanted, schema_, clock_)
                                             : collect(plan, wanted, schema_, keywords,
                                                       with == With::kPrunes ? &sort_floor : nullptr, clock_));
      found.matches += part.outcome.matches;
      for (std::size_t hit = 0; hit < part.outcome.hits.size(); ++hit)
        all.emplace_back(wanted.sort.empty() ? "" : part.sort_bytes[hit],
                         wanted.sort.empty() ? ~part.outcome.hits[hit].score : 0, part.outcome.hits[hit].ordinal,
                         part.outcome.hits[hit]);
      for (std::size_t facet = 0; facet < part.facets.size(); ++facet)
        query::add(wanted.facets[facet], part.facets[facet], found.facets[facet]);
    }
    std::ranges::sort(all, [](const auto& a, const auto& b) {
      return std::tie(std::get<0>(a), std::get<1>(a), std::get<2>(a)) <
             std::tie(std::get<0>(b), std::get<1>(b), std::get<2>(b));
    });
    for (std::size_t i = 0; i < std::min<std::size_t>(k, all.size()); ++i) {
      found.hits.push_back(std::get<3>(all[i]));
      if (!asked.sort.empty()) found.sort_bytes.push_back(std::get<0>(all[i]));
    }
    return found;
  }

 private:
  // With what the clauses of the facets leave out of a partition.
  Result<Wanted> with_clauses(Wanted wanted, const MemoryCollection& from, std::size_t partition) {
    Result<void> done;
    query::for_each_facet(wanted.facets, [&](const query::Facet& facet) {
      for (const query::NamedClause& one : facet.queries)
        if (done) done = add_clause(one.clause, from, partition, wanted.clauses);
    });
    FROND_TRY(std::move(done));
    return wanted;
  }
  Result<void> add_clause(const query::Clause& clause, const MemoryCollection& from, std::size_t partition,
                          FacetClauses& to) {
    const clauses::ResolvedQuery query = FROND_TRY(from.resolve(clause, analyzer_, plain_analyzer_));
    const auto plan = from.plan(partition, query, 0, false, nullptr);
    const auto shown = FROND_TRY(clauses::matching(plan, clock_));
    const auto documents = static_cast<std::uint32_t>(plan.plan.lengths.size());
    to[query::cache_key(clause)] = partition::HiddenDocuments::all_but(documents, shown, nullptr);
    return {};
  }

  const schema::Schema schema_ = support::query_schema();
  const std::vector<TextDocument> documents_;
  std::vector<bool> hidden_;
  std::vector<std::unique_ptr<MemoryCollection>> collections_;
  text::Analyzer analyzer_{{text::Stemmer::kNone, text::StopWords(false), text::AnalyzerKind::kStandard}};
  text::Analyzer plain_analyzer_{{text::Stemmer::kNone, text::StopWords(false), text::AnalyzerKind::kStandard}};
  support::ManualClock clock_;
};

constexpr const char* kColumns[] = {"tag", "lang", "year", "price", "published", "open"};

class RandomWanted {
 public:
  explicit RandomWanted(std::uint32_t seed) : random_(seed) {}
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

  query::SortOrder order() {
    query::SortOrder order;
    std::set<std::string> names;
    for (std::uint32_t i = below(3) + 1; i-- > 0;) {
      const std::uint32_t by = below(8);
      query::SortKey key;
      if (by >= 6) key.by = by == 6 ? query::SortKey::By::kScore : query::SortKey::By::kOrder;
      if (by < 6) key.field = kColumns[by];
      key.descending = below(2) != 0;
      key.missing_first = by < 6 && below(2) != 0;
      if (names.insert(std::to_string(by)).second) order.push_back(key);
    }
    return *query::parse_sort(query::sort_text(order));  // as searches have it
  }
  // With others in it, down to so many levels.
  query::Facet facet(std::uint32_t number, int levels = 3) {
    query::Facet facet = column_facet(number);
    if (below(4) == 0) facet = clause_facet(number);
    if (levels > 1 && query::has_buckets(facet.kind))
      for (std::uint32_t inside = below(3); inside-- > 0;) facet.inside.push_back(this->facet(inside, levels - 1));
    return facet;
  }

 private:
  query::Facet clause_facet(std::uint32_t number) {
    query::Facet facet;
    facet.name = std::to_string(number);
    facet.kind = below(2) == 0 ? Kind::kFilter : Kind::kFilters;
    const query::Clause clauses[] = {{query::Range{"year", query::Bound{std::int64_t{2002}}, {}}},
                                     {query::Words{"", "aa cb", query::Mode::kOr}},
                                     {query::Exists{"price"}},
                                     {query::None()}};
    for (std::uint32_t i = facet.kind == Kind::kFilter ? 1 : 3; i-- > 0;)
      facet.queries.push_back({facet.kind == Kind::kFilter ? "" : std::to_string(i), clauses[below(4)]});
    return facet;
  }
  query::Facet column_facet(std::uint32_t number) {
    query::Facet facet;
    facet.name = std::to_string(number);
    switch (below(11)) {
      case 8:
        facet.kind = Kind::kMissing;
        facet.field = kColumns[below(6)];
        return facet;
      case 9:
        facet.kind = Kind::kPercentiles;
        facet.field = kColumns[2 + below(2)];
        facet.percents = {50};
        return facet;
      case 10:
        facet.kind = Kind::kCount;
        facet.field = kColumns[below(6)];
        return facet;
      case 0:
      case 1:
        facet.field = kColumns[below(6)];
        facet.kind = below(2) == 0 ? Kind::kValues : Kind::kDistinct;
        return facet;
      case 2:
        facet.kind = Kind::kRanges;
        facet.field = "year";
        facet.bounds = {std::int64_t{2001}, std::int64_t{2002}, std::int64_t{2005}};
        return facet;
      case 3:
        facet.kind = Kind::kRanges;
        facet.field = "price";
        facet.bounds = {-100.0, 0.0, 0.25, 900.0};
        return facet;
      case 4:
        facet.kind = Kind::kStats;
        facet.field = kColumns[2 + below(3)];
        return facet;
      case 5:
        facet.kind = Kind::kHistogram;
        facet.field = kColumns[2 + below(2)];
        facet.interval = facet.field == "year" ? 1 + below(4) : 0.25 * (1 + below(400));
        return facet;
      default:
        facet.kind = Kind::kDates;
        facet.field = "published";
        facet.unit = static_cast<query::DateUnit>(below(7));
        if (below(3) == 0) facet.interval_ms = 1 + below(1'000'000'000);
        if (below(3) == 0) facet.offset_ms = static_cast<std::int64_t>(below(100)) * 600'000;
        if (below(3) == 0) facet.rules = *query::zone_rules(below(2) == 0 ? "Europe/Berlin" : "Australia/Lord_Howe");
        return facet;
    }
  }

  std::mt19937 random_;
};

using MakeClause = std::function<query::Clause(std::uint32_t round)>;

void expect_agreement(World& world, std::uint32_t seed, std::uint32_t rounds, const MakeClause& make) {
  RandomWanted wants(seed);
  for (std::uint32_t i = 0; i < rounds; ++i) {
    const auto made = make(i);
    const auto bound = query::bind(query::resolved(made, query::Mode::kAnd), world.schema(), "clause");
    if (!bound) continue;
    Wanted wanted;
    if (i % 5 != 0) wanted.sort = wants.order();
    for (std::uint32_t facets = i % 3 == 0 || wanted.sort.empty() ? 1 + wants.below(4) : 0; facets-- > 0;)
      wanted.facets.push_back(wants.facet(facets));
    SCOPED_TRACE(query::clause_json(*bound) + " by " + query::sort_text(wanted.sort) + " with " +
                 query::facets_json(wanted.facets));
    const std::uint32_t k = i % 7 == 0 ? 0 : i % 2 == 0 ? 10 : 1 + wants.below(500);
    const bool ranked = i % 6 != 0;
    for (int page = 0; page < (wanted.sort.empty() ? 1 : 3); ++page) {
      const auto reference = world.run(0, *bound, wanted, k, ranked, World::With::kReference);
      ASSERT_TRUE(reference) << reference.error().message();
      for (std::size_t collection = 0; collection < world.collections(); ++collection) {
        SCOPED_TRACE("collection " + std::to_string(collection) + ", page " + std::to_string(page));
        const auto all = world.run(collection, *bound, wanted, k, ranked, World::With::kCounts);
        ASSERT_TRUE(all) << all.error().message();
        ASSERT_EQ(all->hits, reference->hits);
        ASSERT_EQ(*all, *reference);
        const auto pruned = world.run(collection, *bound, wanted, k, ranked, World::With::kPrunes);
        ASSERT_EQ(pruned->hits, reference->hits);
        ASSERT_EQ(pruned->sort_bytes, reference->sort_bytes);
        ASSERT_EQ(pruned->facets, reference->facets);
      }
      ASSERT_EQ(*world.run(3, *bound, wanted, k, ranked, World::With::kReference), *reference);
      if (reference->hits.empty() || wanted.sort.empty()) break;
      wanted.after = {reference->sort_bytes.back(), reference->hits.back().ordinal};
      if (page == 1) wanted.after->ordinal = wants.below(20'000);  // of a document that is not there any more
    }
  }
}

void expect_agreement(World& world, std::uint32_t seed, std::uint32_t rounds) {
  support::RandomClauses random(seed);
  expect_agreement(world, seed, rounds, [&](std::uint32_t i) {
    return i % 4 == 0 ? query::Clause{query::All()} : random.clause(1 + random.below(3));
  });
}

TEST(Collect, FindsWhatTheReferenceFinds) {
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(300, seed);
    expect_agreement(world, seed, 150);
    world.hide_some(seed);
    expect_agreement(world, seed + 10, 60);
  }
}

TEST(Collect, FindsItInManyWindowsToo) {
  World world(3 * clauses::kWindow + 100, 7);
  expect_agreement(world, 7, 25);
  world.hide_some(7);
  expect_agreement(world, 8, 15);
}

// Words alone, which the engine of plain words finds: rare ones, and such as most documents have.
TEST(Collect, FindsItForWordsAlone) {
  World world(2 * clauses::kWindow + 100, 9);
  std::mt19937 random(9);
  const char* const words[] = {"aa", "ab", "ba", "cb", "dc", "ec", "w17", "none"};
  const auto clause = [&](std::uint32_t i) {
    std::string text = i % 3 == 0 ? "aa" : words[random() % 8];
    for (std::uint32_t more = random() % 4; more > 0; --more) text += std::string(" ") + words[random() % 8];
    return query::Clause{query::Words{"", text, i % 4 == 1 ? query::Mode::kAnd : query::Mode::kOr}};
  };
  expect_agreement(world, 9, 40, clause);
  world.hide_some(9);
  expect_agreement(world, 10, 25, clause);
}

// Where most documents match, those that do not are counted.
TEST(Collect, CountsKeywordsOfMostDocuments) {
  World world(2 * clauses::kWindow + 100, 12);
  Wanted wanted;
  for (const char* const field : {"tag", "lang"})
    for (const auto kind : {Kind::kValues, Kind::kDistinct}) {
      query::Facet facet;
      facet.name = field + std::to_string(static_cast<int>(kind));
      facet.field = field;
      facet.kind = kind;
      wanted.facets.push_back(facet);
    }
  for (const bool hidden : {false, true}) {
    if (hidden) world.hide_some(12);
    for (const char* const text : {"aa", "aa ab ba", "aa ab ba bb ac ca"})
      for (const std::uint32_t k : {0u, 10u})
        for (const bool ranked : {false, true}) {
          SCOPED_TRACE(text + std::string(hidden ? ", some hidden" : ""));
          const query::Clause clause{query::Words{"", text, query::Mode::kOr}};
          const auto reference = world.run(0, clause, wanted, k, ranked, World::With::kReference);
          ASSERT_TRUE(reference) << reference.error().message();
          if (!hidden) {
            ASSERT_GT(reference->matches, clauses::kWindow);
          }
          for (std::size_t collection = 0; collection < world.collections(); ++collection)
            ASSERT_EQ(*world.run(collection, clause, wanted, k, ranked, World::With::kCounts), *reference);
        }
  }
}

TEST(Collect, RefusesTooManyBucketsByName) {
  World world(300, 5);
  Wanted wanted;
  wanted.facets.emplace_back().name = "languages";
  wanted.max_buckets = 10;
  for (const char* const field : {"lang", "price", "year"}) {
    wanted.facets[0].field = field;
    if (field == std::string("year")) wanted.max_buckets = 2;
    for (const auto with : {World::With::kReference, World::With::kCounts}) {
      const auto refused = world.run(0, {query::All()}, wanted, 10, true, with);
      ASSERT_EQ(refused, Code::kInvalid) << field;
      EXPECT_NE(refused.error().message().find("languages"), std::string::npos) << refused.error().message();
    }
  }
}

TEST(Collect, EndsWithTheHitWhoseValueIsTooMuch) {
  World world(300, 6);
  Wanted wanted;
  wanted.sort = *query::parse_sort("tag:desc,lang");
  for (const std::size_t most : {0, 1, 50, 1000}) {
    wanted.max_sort_bytes = most;
    const auto reference = world.run(0, {query::All()}, wanted, 200, true, World::With::kReference);
    const auto found = world.run(0, {query::All()}, wanted, 200, true, World::With::kPrunes);
    ASSERT_TRUE(reference && found);
    EXPECT_EQ(found->hits, reference->hits);
    EXPECT_EQ(found->sort_bytes, reference->sort_bytes);
    std::size_t bytes = 0;
    for (const std::string& one : found->sort_bytes) bytes += one.size();
    EXPECT_GT(bytes, most);
    EXPECT_LE(bytes - found->sort_bytes.back().size(), most);
  }
}

TEST(Collect, NamesTheLimitOfAllFacetsAndNotWhatIsLeftOfIt) {
  World world(300, 5);
  Wanted wanted;
  for (const char* const field : {"open", "year", "price"}) {
    query::Facet& facet = wanted.facets.emplace_back();
    facet.name = facet.field = field;
  }
  wanted.max_buckets = 15;  // two truth values, seven years, many prices
  for (const auto with : {World::With::kReference, World::With::kCounts}) {
    const auto refused = world.run(0, {query::All()}, wanted, 10, true, with);
    ASSERT_EQ(refused, Code::kInvalid);
    EXPECT_EQ(refused.error().message(),
              "the facets up to 'price' have more than 15 different buckets (--max-facet-buckets, of all facets of a "
              "search)");
  }
}

TEST(Collect, RefusesAPlaceOfAnotherOrder) {
  World world(300, 5);
  Wanted wanted;
  wanted.sort = *query::parse_sort("year");
  wanted.after = {"x", 0};
  EXPECT_EQ(world.run(0, {query::All()}, wanted, 10, true, World::With::kCounts), Code::kInvalid);
}

}  // namespace
}  // namespace frond::leaf::collect
