// How often a search allocates, from its message to its reply. Each allocation costs about 80 instructions, more where
// another thread frees it. If a change needs more, raise the number here, and say why.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "common/wire/codec.h"
#include "leaf/lists/cached_list_store.h"
#include "leaf/serve/leaf_service.h"
#include "tests/support/memory/failing_allocations.h"
#include "tests/unit/leaf/serve/served_fixture.h"

namespace frond::leaf::serve {
namespace {

// Finds the first documents of each partition, with two allocations a search.
class QuickEngine final : public engine::QueryEngine {
 public:
  std::string_view name() const override { return "quick"; }
  std::vector<Result<engine::Outcome>> search(std::span<const engine::Plan> plans, const Clock&) override {
    engine::Outcome outcome;
    outcome.hits.reserve(plans[0].k);
    for (DocId docid = 0; docid < plans[0].k; ++docid)
      outcome.hits.push_back({plans[0].placement.ordinal(docid), 100 - docid});
    outcome.matches = outcome.hits.size();
    std::vector<Result<engine::Outcome>> results;
    results.emplace_back(std::move(outcome));
    return results;
  }
};

class AllocationsOfASearch : public testing::Test {
 protected:
  // Of a search whose terms are known.
  std::uint64_t made(const wire::SearchRequest& request) {
    const ByteBuffer message = wire::encode(wire::Request(request));
    std::uint64_t counted = 0, first = 0;
    for (int round = 0; round < 3; ++round) {
      std::optional<ByteBuffer> reply;
      const LeafService::Answer answer = [&](ByteBuffer bytes) { reply = std::move(bytes); };
      const std::uint64_t before = support::allocations();
      service_.on_request("broker", message, answer);
      counted = support::allocations() - before;
      const auto decoded = std::get<wire::SearchReply>(*wire::decode_reply(reply.value()));
      EXPECT_EQ(decoded.or_ranking.hits.size(), 10u);
      EXPECT_EQ(decoded.documents.size(), request.show.count);
      first = std::max(first, counted);
    }
    EXPECT_LE(counted, first);
    return counted;
  }
  static wire::SearchRequest request(std::uint32_t shown) {
    wire::SearchRequest made = request_of(wire::Mode::kOr, {"t1", "t2", "t3"}, kPartitions);
    made.show = {0, shown, wire::kFieldTitle | wire::kFieldUrl};
    return made;
  }
  static constexpr std::uint32_t kPartitions = 3;

  ServedCollection served_{support::random_documents(100, 81), kPartitions};
  lists::CachedListStore lists_{served_.store, {}};
  TermTable terms_{std::size_t{1} << 20};
  QuickEngine engine_;
  support::InlineScheduler scheduler_{served_.clock};
  generation::BrokerRoll brokers_;
  RequestsInFlight requests_;
  LeafService service_{{.board = served_.board,
                        .lists = lists_,
                        .engine = engine_,
                        .exhaustive = engine_,
                        .scheduler = scheduler_,
                        .clock = served_.clock,
                        .terms = &terms_},
                       {"c", "node:1", "1.0", [] { return std::string("absent"); }},
                       [] { return CacheState{}; },
                       brokers_,
                       requests_};
};

TEST_F(AllocationsOfASearch, AreFew) {
  if (!support::kAllocationsCanFail) GTEST_SKIP() << "ThreadSanitizer has its own operator new";
  EXPECT_LE(made(request(0)), 31u);
}

TEST_F(AllocationsOfASearch, AreFewForEachDocumentThatIsShown) {
  if (!support::kAllocationsCanFail) GTEST_SKIP() << "ThreadSanitizer has its own operator new";
  const std::uint64_t without = made(request(0)), with = made(request(10));
  EXPECT_LE(with, without + 28) << "three strings a document, of which some are short";
}

}  // namespace
}  // namespace frond::leaf::serve
