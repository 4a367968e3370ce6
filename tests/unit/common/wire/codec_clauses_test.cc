// Clauses, orders, facets and columns on their way.
#include "common/wire/codec.h"

#include <capnp/serialize.h>
#include <gtest/gtest.h>

#include <cstring>
#include <span>

#include "common/wire/leaf.capnp.h"
#include "common/wire/messages.h"

namespace frond::wire {
namespace {

// Leaves that do not know clauses must not take such a search for one of words.
TEST(WireCodec, SendsClausesAsAKindOfTheirOwn) {
  SearchRequest sent{7, 3};
  sent.depth = 20;
  sent.partitions = {4};
  sent.show = {5, 15, kFieldUrl};
  const auto kind_of = [](const SearchRequest& request) {
    const ByteBuffer bytes = encode(request);
    capnp::FlatArrayMessageReader reader(
        kj::arrayPtr(reinterpret_cast<const capnp::word*>(bytes.data()), bytes.size() / sizeof(capnp::word)));
    return reader.getRoot<schema::Request>().which();
  };
  EXPECT_EQ(kind_of(sent), schema::Request::SEARCH);
  EXPECT_EQ(features_needed(sent), 0u);
  EXPECT_TRUE(head_of_search(encode(sent))->is_words);
  std::vector<SearchRequest> all(4, sent);
  all[0].clause = R"({"all":{}})";
  all[1].filter = R"({"none":{}})";
  all[2].exact_total = true;
  all[3].show.columns = {"year", "source"};
  for (const SearchRequest& one : all) {
    EXPECT_EQ(kind_of(one), schema::Request::CLAUSES);
    EXPECT_EQ(features_needed(one), kFeatureClauses);
    const ByteBuffer bytes = encode(one);
    EXPECT_EQ(target_of(bytes)->generation.number, 3u);
    EXPECT_EQ(head_of_search(bytes)->request_id, 7u);
    EXPECT_FALSE(head_of_search(bytes)->is_words);
    const auto got = decode_request(bytes);
    ASSERT_TRUE(got) << got.error().message();
    const auto& search = std::get<SearchRequest>(*got);
    EXPECT_EQ(search.clause, one.clause);
    EXPECT_EQ(search.filter, one.filter);
    EXPECT_EQ(search.exact_total, one.exact_total);
    EXPECT_EQ(search.show.columns, one.show.columns);
    EXPECT_EQ(search.show.count, 15u);
    EXPECT_EQ(search.partitions, one.partitions);
  }
}
TEST(WireCodec, CarriesAnOrderAndFacets) {
  SearchRequest sent{7, 3};
  sent.clause = R"({"all":{}})";
  sent.sort = "year:desc:last";
  sent.after = query::SortPosition{std::string("\0\xff\0", 3), 5};
  sent.facets = R"({"t":{"values":{"field":"tag","size":10}}})";
  EXPECT_EQ(features_needed(sent), kFeatureClauses | kFeatureSorting);
  sent.simple_facets = false;
  EXPECT_EQ(features_needed(sent), kFeatureClauses | kFeatureSorting | kFeatureFacetTrees);
  const auto got = decode_request(encode(sent));
  ASSERT_TRUE(got) << got.error().message();
  const auto& search = std::get<SearchRequest>(*got);
  EXPECT_EQ(search.sort, sent.sort);
  EXPECT_EQ(search.after, sent.after);
  EXPECT_EQ(search.facets, sent.facets);

  SearchReply reply{7};
  reply.has_or = true;
  reply.or_ranking.hits = {{9, 0}, {2, 0}, {3, 0}};
  reply.or_ranking.sort_bytes = {"a", std::string("b\0", 2), std::string("b\0", 2)};
  reply.facets.resize(2);
  reply.facets[0] = {.with_value = 3, .missing = 1, .words = {"x", std::string("y\0z", 3)}, .counts = {1, 2}};
  reply.facets[1] = {.with_value = 2, .keys = {4, 9}};
  reply.facets[1].sum.add(-2.5);
  reply.facets[1].nested.resize(2, reply.facets[0]);
  const auto back = decode_reply(encode(reply));
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(std::get<SearchReply>(*back).or_ranking.sort_bytes, reply.or_ranking.sort_bytes);
  EXPECT_EQ(std::get<SearchReply>(*back).facets, reply.facets);
}

TEST(WireCodec, CarriesWordsThatOthersAreLike) {
  SearchRequest sent{7, 3};
  sent.near.push_back({.word = "calender"});
  sent.near.push_back({"title", "w\xc3\xb6rd", 1, false, 3, 0.5F, 4, true, true, query::kMaxNearTerms});
  EXPECT_EQ(features_needed(sent), kFeatureClauses | kFeatureNear);
  const auto got = decode_request(encode(sent));
  ASSERT_TRUE(got) << got.error().message();
  EXPECT_EQ(std::get<SearchRequest>(*got).near, sent.near);
  EXPECT_FALSE(head_of_search(encode(sent))->is_words);
  const auto refused = [&](auto change) {
    SearchRequest changed = sent;
    change(changed.near);
    return decode_request(encode(changed)) == Code::kCorrupt;
  };
  EXPECT_TRUE(refused([](auto& near) { near.resize(query::kMaxNearWords + 1, near[0]); }));
  EXPECT_TRUE(refused([](auto& near) { near[0].word.clear(); }));
  EXPECT_TRUE(refused([](auto& near) { near[0].word.assign(query::kMaxNearWordBytes + 1, 'x'); }));
  EXPECT_TRUE(refused([](auto& near) { near[0].edits = query::kAnyEnding + 1; }));
  EXPECT_TRUE(refused([](auto& near) { near[0].most = query::kMaxNearTerms + 1; }));
  EXPECT_TRUE(refused([](auto& near) { near[0].least_nearness = 1.5F; }));

  SearchReply reply{7};
  reply.has_or = true;
  reply.near.push_back({.df = 3});
  reply.near.push_back({0, {{"calendar", 118, 1}, {"w\xc3\xb6rd", 1, 2}}, false});
  const auto back = decode_reply(encode(reply));
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(std::get<SearchReply>(*back).near, reply.near);
  const auto bad = [&](auto change) {
    SearchReply changed = reply;
    change(changed.near);
    return decode_reply(encode(changed)) == Code::kCorrupt;
  };
  EXPECT_TRUE(bad([](auto& near) { near.resize(query::kMaxNearWords + 1); }));
  EXPECT_TRUE(bad([](auto& near) { near[1].terms.resize(2 * query::kMaxNearTerms + 1, {"x", 1, 1}); }));
  EXPECT_TRUE(bad([](auto& near) { near[1].terms[0].text.clear(); }));
  EXPECT_TRUE(bad([](auto& near) { near[1].terms[0].edits = 0; }));
}

TEST(WireCodec, RefusesOrdersAndFacetsThatCannotBe) {
  const auto refused = [](auto change) {
    SearchRequest sent;
    sent.clause = R"({"all":{}})";
    sent.sort = "year";
    change(sent);
    return decode_request(encode(sent)) == Code::kCorrupt;
  };
  EXPECT_FALSE(refused([](SearchRequest&) {}));
  EXPECT_TRUE(refused([](SearchRequest& sent) { sent.clause.clear(); }));
  EXPECT_TRUE(refused([](SearchRequest& sent) { sent.sort.assign(query::kMaxSortTextBytes + 1, 'x'); }));
  EXPECT_TRUE(refused([](SearchRequest& sent) { sent.facets.assign(query::kMaxFacetsBytes + 1, 'x'); }));
  EXPECT_TRUE(refused([](SearchRequest& sent) { sent.after = {std::string(query::kMaxSortBytes + 1, 'x'), 1}; }));
  EXPECT_TRUE(refused([](SearchRequest& sent) {
    sent.sort.clear();
    sent.after = {"x", 1};
  }));
  const auto bad = [](auto change) {
    SearchReply reply{7};
    reply.has_or = true;
    reply.or_ranking.hits = {{9, 1}, {2, 2}};
    reply.or_ranking.sort_bytes = {"a", "b"};
    reply.facets.resize(1);
    change(reply);
    return decode_reply(encode(reply)) == Code::kCorrupt;
  };
  EXPECT_FALSE(bad([](SearchReply&) {}));
  EXPECT_TRUE(bad([](SearchReply& reply) { reply.or_ranking.sort_bytes.pop_back(); }));
  EXPECT_TRUE(bad([](SearchReply& reply) { reply.or_ranking.sort_bytes[0] = "c"; }));
  EXPECT_TRUE(bad([](SearchReply& reply) { reply.or_ranking.sort_bytes[0] = "b"; }));  // 9 before 2
  EXPECT_TRUE(bad([](SearchReply& reply) { reply.facets.resize(query::kMaxFacets + 1); }));
  EXPECT_TRUE(bad([](SearchReply& reply) { reply.facets[0].counts = {1}; }));  // of no bucket
  const auto nested = [&](std::size_t depth) {
    return bad([=](SearchReply& reply) {
      for (std::size_t i = 1; i < depth; ++i) reply.facets[0].nested = std::vector{reply.facets[0]};
    });
  };
  EXPECT_FALSE(nested(query::kMaxFacetDepth));
  EXPECT_TRUE(nested(query::kMaxFacetDepth + 1));
  EXPECT_TRUE(bad([](SearchReply& reply) { reply.facets[0].nested.resize(100'001); }));
  EXPECT_TRUE(bad([](SearchReply& reply) {
    reply.facets.resize(2);
    reply.facets[0].keys.resize(kMaxFacetBuckets);
    reply.facets[1].words.resize(1);
  }));
  EXPECT_TRUE(bad([](SearchReply& reply) { reply.facets[0].words.resize(33, std::string(1 << 20, 'x')); }));
}

TEST(WireCodec, RefusesClausesAndColumnsPastTheirLimits) {
  SearchRequest search;
  search.clause.assign(kMaxClauseBytes, 'x');
  EXPECT_TRUE(decode_request(encode(search)));
  search.clause += 'x';
  EXPECT_EQ(decode_request(encode(search)), Code::kCorrupt);
  FetchRequest fetch;
  fetch.columns.assign(kMaxColumns, std::string(frond::schema::kMaxFieldNameBytes, 'x'));
  EXPECT_TRUE(decode_request(encode(fetch)));
  fetch.columns.back() += 'x';
  EXPECT_EQ(decode_request(encode(fetch)), Code::kCorrupt);
  fetch.columns.assign(kMaxColumns + 1, "x");
  EXPECT_EQ(decode_request(encode(fetch)), Code::kCorrupt);
  FetchReply reply;
  reply.documents.push_back({.found = true, .columns = "{}"});
  EXPECT_TRUE(decode_reply(encode(reply)));
  for (const char* columns : {"{", "[]", "x"}) {
    reply.documents[0].columns = columns;
    EXPECT_EQ(decode_reply(encode(reply)), Code::kCorrupt) << columns;
  }
  HelloReply hello;
  hello.generations.resize(1);
  hello.generations[0].schema.assign(frond::schema::kMaxSchemaBytes + 1, 'x');
  EXPECT_EQ(decode_reply(encode(hello)), Code::kCorrupt);
}

}  // namespace
}  // namespace frond::wire
