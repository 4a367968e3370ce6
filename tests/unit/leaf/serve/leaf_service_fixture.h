#pragma once
// A LeafService over a collection of three partitions, asked as brokers ask it.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/wire/codec.h"
#include "leaf/serve/leaf_service.h"
#include "tests/unit/leaf/serve/served_fixture.h"

namespace frond::leaf::serve {

class LeafServiceTest : public testing::Test {
 protected:
  wire::Reply ask_bytes(ByteView bytes) {
    std::optional<wire::Reply> got;
    service_.on_request("broker", bytes, [&](ByteBuffer reply) {
      EXPECT_FALSE(got) << "answered twice";
      got = wire::decode_reply(reply).value();
    });
    EXPECT_TRUE(got) << "not answered";
    return got.value_or(wire::ErrorReply{});
  }
  template <class Reply>
  Reply ask(const wire::Request& request) {
    return std::get<Reply>(ask_bytes(wire::encode(request)));
  }
  wire::FetchRequest fetch_of(std::vector<Ordinal> ordinals) {
    return {5, 1, std::chrono::seconds(1), {"t1"}, std::move(ordinals)};
  }

  const std::vector<support::TestDocument> documents_ = support::random_documents(100, 1);
  ServedCollection served_{documents_, 3};
  RequestsInFlight requests_;  // outlives the tasks that hold some
  support::InlineScheduler scheduler_{served_.clock};
  generation::BrokerRoll brokers_;
  std::string refusals_;  // of the GPU
  const Instant ready_from_ = served_.clock.now() + std::chrono::seconds(2);
  LeafService service_{served_.parts(scheduler_),
                       {"c",
                        "node:1",
                        "1.0",
                        [] { return std::string("absent"); },
                        ready_from_,
                        [this] { return refusals_; },
                        "2 cores",
                        {{.flag = "--cpu-threads", .amount = 2}}},
                       [] {
                         return CacheState{1, 2, 3, 4};
                       },
                       brokers_,
                       requests_};
};

}  // namespace frond::leaf::serve
