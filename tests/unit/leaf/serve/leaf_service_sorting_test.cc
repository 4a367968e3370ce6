// Orders, cursors and facets, asked of a whole leaf as brokers ask: over several partitions, with what is refused.
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "common/query/json/clause_json.h"
#include "common/query/sort_order.h"
#include "common/schema/schema_json.h"
#include "tests/unit/leaf/serve/leaf_service_fixture.h"

namespace frond::leaf::serve {
namespace {

constexpr std::uint32_t kSeed = 5, kDocuments = 200, kPartitions = 3;
constexpr std::uint32_t kLang = 0, kTags = 1, kYear = 2;  // fields of the schema

std::shared_ptr<const schema::Schema> schema_of_values() {
  return std::make_shared<const schema::Schema>(*schema::parse_schema(R"({"fields": {
    "lang": {"type": "keyword"}, "tag": {"type": "keyword", "many": true}, "year": {"type": "integer"},
    "body": {"type": "text"}}, "source": "stored"})"));
}

struct Values {
  std::optional<std::string> lang;
  std::set<std::string> tags;
  std::optional<std::int64_t> year;
};

class ALeafWithValues : public testing::Test {
 protected:
  ALeafWithValues() : ALeafWithValues(kPartitions) {}
  explicit ALeafWithValues(std::uint32_t partitions) {
    std::mt19937 random(kSeed);
    documents_ = support::random_documents(kDocuments, kSeed);
    for (support::TestDocument& document : documents_) {
      Values& of = values_.emplace_back();
      if (random() % 4 != 0) of.lang = "lang" + std::to_string(random() % 5);
      for (std::uint32_t i = random() % 4; i-- > 0;) of.tags.insert("tag" + std::to_string(random() % 9));
      if (random() % 5 != 0) of.year = 1990 + static_cast<std::int64_t>(random() % 20);
      auto& columns = document.values.columns;
      if (of.lang) columns.push_back({kLang, {*of.lang}});
      if (!of.tags.empty()) columns.push_back({kTags, {of.tags.begin(), of.tags.end()}});
      if (of.year) columns.push_back({kYear, {*of.year}});
    }
    served_.emplace(documents_, partitions, generation::ShardOf{}, scoring::Bm25Parameters{}, schema_);
    scheduler_.emplace(served_->clock);
    parts_.emplace(served_->parts(*scheduler_));
  }
  wire::SearchRequest request(const std::string& words, wire::Mode mode = wire::Mode::kOr) const {
    auto made = request_of(mode, {}, kPartitions);
    made.depth = kDocuments;
    made.clause = query::clause_json(
        {query::Words{"", words, mode == wire::Mode::kAuto ? query::Mode::kAuto : query::Mode::kOr}});
    return made;
  }
  wire::Reply ask(const wire::SearchRequest& request) {
    LeafService service(
        *parts_, {"c", "node:1", "1.0", [] { return std::string("absent"); }}, [] { return CacheState{}; }, brokers_,
        requests_);
    std::optional<wire::Reply> got;
    service.on_request("broker", wire::encode(wire::Request(request)), [&](const ByteBuffer& reply) {
      EXPECT_FALSE(got) << "answered twice";
      got = wire::decode_reply(reply).value();
    });
    EXPECT_TRUE(got) << "not answered";
    return got.value_or(wire::ErrorReply{});
  }
  wire::SearchReply answer(const wire::SearchRequest& request) {
    const wire::Reply reply = ask(request);
    if (const auto* refused = std::get_if<wire::ErrorReply>(&reply)) ADD_FAILURE() << refused->message;
    const auto* found = std::get_if<wire::SearchReply>(&reply);
    return found != nullptr ? *found : wire::SearchReply{};
  }
  std::string refusal(const wire::SearchRequest& request) {
    const wire::Reply reply = ask(request);
    const auto* refused = std::get_if<wire::ErrorReply>(&reply);
    if (refused == nullptr) return "answered";
    EXPECT_EQ(refused->reason, wire::UnsearchedReason::kInvalidQuery);
    return refused->message;
  }
  // By their numbers in the collection.
  std::vector<Ordinal> matching(const std::vector<std::string>& terms) const {
    std::vector<Ordinal> found;
    for (std::size_t i = 0; i < documents_.size(); ++i)
      if (std::ranges::any_of(terms, [&](const auto& term) { return documents_[i].terms.contains(term); }))
        found.push_back(i);
    return found;
  }
  static std::vector<Ordinal> ordinals_of(const wire::Ranking& ranking) {
    std::vector<Ordinal> ordinals;
    for (const topk::Hit& hit : ranking.hits) ordinals.push_back(hit.ordinal);
    return ordinals;
  }

  const std::shared_ptr<const schema::Schema> schema_ = schema_of_values();
  std::vector<support::TestDocument> documents_;
  std::vector<Values> values_;
  std::optional<ServedCollection> served_;
  std::optional<support::InlineScheduler> scheduler_;
  std::optional<SearchParts> parts_;
  generation::BrokerRoll brokers_;
  RequestsInFlight requests_;
};

TEST_F(ALeafWithValues, SortsByColumnsThenByTheDocumentsOrder) {
  auto wanted = request("t2 t5");
  wanted.sort = "year:desc:last,lang:asc:first";
  std::vector<Ordinal> expected = matching({"t2", "t5"});
  ASSERT_GT(expected.size(), 50u);
  std::ranges::sort(expected, [&](Ordinal a, Ordinal b) {
    const auto place = [&](Ordinal at) {  // optional: nothing comes before all values
      return std::tuple(!values_[at].year, -values_[at].year.value_or(0), values_[at].lang, at);
    };
    return place(a) < place(b);
  });
  for (const auto processor : {wire::Processor::kAuto, wire::Processor::kExhaustive}) {
    wanted.processor = processor;
    const wire::SearchReply reply = answer(wanted);
    EXPECT_TRUE(reply.unsearched.empty());
    EXPECT_EQ(ordinals_of(reply.or_ranking), expected);
    EXPECT_EQ(reply.or_ranking.matches, expected.size());
    ASSERT_EQ(reply.or_ranking.sort_bytes.size(), expected.size());
    const auto order = *query::parse_sort(wanted.sort);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto values = query::read_sort_bytes(reply.or_ranking.sort_bytes[i], order, *schema_);
      ASSERT_TRUE(values) << values.error().message();
      EXPECT_EQ((*values)[0].value.has_value(), values_[expected[i]].year.has_value());
    }
  }
}

TEST_F(ALeafWithValues, ContinuesBehindACursorWithoutLossOrRepetition) {
  for (const char* const order : {"lang:asc", "tag:desc:first,year", "_score,lang", "_order:desc"}) {
    auto whole = request("t1 t7");
    whole.sort = order;
    const auto all = answer(whole).or_ranking;
    ASSERT_EQ(all.hits.size(), matching({"t1", "t7"}).size());
    auto page = whole;
    page.depth = 7;
    std::vector<Ordinal> paged;
    std::vector<std::string> bytes;
    for (std::size_t pages = 0; pages < all.hits.size(); ++pages) {
      const auto ranking = answer(page).or_ranking;
      EXPECT_EQ(ranking.matches, all.matches) << "those before the cursor count, too";
      if (ranking.hits.empty()) break;
      for (const Ordinal ordinal : ordinals_of(ranking)) paged.push_back(ordinal);
      bytes.insert(bytes.end(), ranking.sort_bytes.begin(), ranking.sort_bytes.end());
      page.after = {ranking.sort_bytes.back(), ranking.hits.back().ordinal};
    }
    EXPECT_EQ(paged, ordinals_of(all)) << order;
    EXPECT_EQ(bytes, all.sort_bytes) << order;
  }
  auto wrong = request("t1");
  wrong.sort = "lang:asc";
  wrong.after = {"\x07", 1};
  EXPECT_NE(refusal(wrong).find("the place to go on from"), std::string::npos);
}

TEST_F(ALeafWithValues, CountsFacetsOverAllMatchesOfAllPartitions) {
  std::map<std::string, std::uint64_t> tags;
  std::uint64_t missing = 0, years = 0;
  std::int64_t sum = 0;
  for (const Ordinal ordinal : matching({"t3", "t8"})) {
    for (const std::string& tag : values_[ordinal].tags) ++tags[tag];
    missing += values_[ordinal].tags.empty();
    years += values_[ordinal].year.has_value();
    sum += values_[ordinal].year.value_or(0);
  }
  for (const auto mode : {wire::Mode::kOr, wire::Mode::kAuto})
    for (const auto processor : {wire::Processor::kAuto, wire::Processor::kExhaustive}) {
      auto wanted = request("t3 t8", mode);
      wanted.depth = 1;
      wanted.processor = processor;
      wanted.facets = query::facets_json(*query::parse_facets("tag:10,year:stats"));
      const auto reply = answer(wanted);
      ASSERT_EQ(reply.facets.size(), 2u);
      const query::FacetCounts& by_tag = reply.facets[0];
      ASSERT_EQ(by_tag.words.size(), tags.size());
      for (std::size_t i = 0; i < by_tag.words.size(); ++i) EXPECT_EQ(by_tag.counts[i], tags[by_tag.words[i]]);
      EXPECT_EQ(by_tag.missing, missing);
      EXPECT_EQ(reply.facets[1].values, years);
      EXPECT_EQ(reply.facets[1].sum.rounded(), static_cast<double>(sum));
    }
}

TEST_F(ALeafWithValues, NamesTheLimitOfBucketsAndNotWhatWasLeftOfIt) {
  auto wanted = request("t0");
  wanted.facets = query::facets_json(*query::parse_facets("lang,tag"));  // 5 and 9 values
  parts_->max_facet_buckets = 14;
  EXPECT_EQ(answer(wanted).facets.size(), 2u);
  parts_->max_facet_buckets = 13;
  for (const auto processor : {wire::Processor::kAuto, wire::Processor::kExhaustive}) {
    wanted.processor = processor;
    EXPECT_EQ(refusal(wanted),
              "the facets up to 'tag' have more than 13 different buckets (--max-facet-buckets, of all facets of a "
              "search)");
  }
}

TEST_F(ALeafWithValues, SaysWhatToDoWhereTheValuesOfAnOrderAreTooLongForAReply) {
  auto wanted = request("t0");
  wanted.sort = "lang:asc,tag:asc";
  std::size_t bytes = 0;
  for (const std::string& one : answer(wanted).or_ranking.sort_bytes) bytes += one.size();
  for (const auto processor : {wire::Processor::kAuto, wire::Processor::kExhaustive}) {
    wanted.processor = processor;
    parts_->max_sort_bytes = bytes;
    EXPECT_EQ(answer(wanted).or_ranking.hits.size(), kDocuments);
    parts_->max_sort_bytes = bytes - 1;
    const std::string why = refusal(wanted);
    EXPECT_NE(why.find("use search_after, or a smaller k"), std::string::npos) << why;
    auto smaller = wanted;
    smaller.depth = kDocuments - 1;
    EXPECT_EQ(answer(smaller).or_ranking.hits.size(), kDocuments - 1);
  }
}

TEST_F(ALeafWithValues, ReadsAColumnOnceHoweverOftenItIsNamed) {
  auto wanted = request("t0");
  wanted.show = {0, 20, wire::kAllFields, {"lang", "tag"}};
  const auto once = answer(wanted);
  ASSERT_FALSE(once.documents.empty());
  wanted.show.columns = {"lang", "tag", "lang", "tag", "tag"};
  const auto again = answer(wanted);
  ASSERT_EQ(again.documents.size(), once.documents.size());
  for (std::size_t i = 0; i < once.documents.size(); ++i)
    EXPECT_EQ(again.documents[i].columns, once.documents[i].columns);
}
TEST_F(ALeafWithValues, SendsHitsWithoutDocumentsWhereBothWouldNotFitIntoAMessage) {
  auto wanted = request("t0");
  wanted.sort = "tag:asc";
  wanted.show = {0, 20, wire::kAllFields, {"lang", "tag"}};
  const auto whole = answer(wanted);
  ASSERT_EQ(whole.documents.size(), 20u);
  EXPECT_NE(whole.documents[0].columns.find("tag"), std::string::npos);
  parts_->max_reply_bytes = 9000;
  const auto cut = answer(wanted);
  EXPECT_TRUE(cut.documents.empty()) << "the broker fetches them";
  EXPECT_EQ(cut.or_ranking.hits, whole.or_ranking.hits);
  EXPECT_EQ(cut.or_ranking.sort_bytes, whole.or_ranking.sort_bytes);
}

}  // namespace
}  // namespace frond::leaf::serve
