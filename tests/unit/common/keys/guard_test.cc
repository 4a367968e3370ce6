// Who is let in, and what the others are told.
#include "common/keys/guard.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/collections/manual_clock.h"
#include "tests/support/scratch_folder.h"

namespace frond::keys {
namespace {
using http::Access;

constexpr http::ClientAddress kHere{1}, kThere{2};

class AGuard : public testing::Test {
 protected:
  // A key whose text begins with its name.
  static std::string key(const std::string& name) { return name + std::string(40 - name.size(), '0'); }
  static std::string line(const std::string& name, const std::string& scopes, const std::string& more = {}) {
    KeyEntry entry{.name = name, .digest = tls::sha256(key(name))};
    entry.scopes = *Scopes::parse(scopes);
    return entry.line() + more + "\n";
  }
  void start(const std::string& keys, Limits of_key = {}, Limits of_address = {}) {
    if (!keys.empty()) support::write_file(folder_ / "keys", keys);
    auto made =
        Guard::create({keys.empty() ? "" : (folder_ / "keys").string(), of_key, of_address}, clock_, log_, registry_);
    ASSERT_TRUE(made) << made.error().message();
    guard_ = *std::move(made);
  }
  http::Admittance ask(const std::string& name, Access needed, const http::ClientAddress& from = kHere) {
    http::Request request;
    if (!name.empty()) request.headers = {{"authorization", "Bearer " + key(name)}};
    return guard_->admit(request, from, needed);
  }
  int status(const std::string& name, Access needed, const http::ClientAddress& from = kHere) {
    const auto admittance = ask(name, needed, from);
    return admittance.refusal ? admittance.refusal->status : 200;
  }
  double denied(const char* reason) { return registry_.counter(families::kDenied, {{"reason", reason}}).value(); }
  static std::string field(const http::Admittance& admittance, std::string_view name) {
    for (const auto& [own, value] : admittance.refusal->headers)
      if (own == name) return value;
    return "none";
  }

  support::ScratchFolder folder_;
  support::ManualClock clock_;
  Logger log_{"test", LogLevel::kError};
  metrics::Registry registry_{"test"};
  std::unique_ptr<Guard> guard_;
};

TEST_F(AGuard, WithoutAFileLeavesAllOpenButWriting) {
  start("");
  EXPECT_FALSE(guard_->does_something());
  EXPECT_EQ(status("", Access::kSearch), 200);
  EXPECT_EQ(status("", Access::kAdmin), 200);
  EXPECT_EQ(status("any", Access::kSearch), 200) << "keys are not looked at";
  EXPECT_EQ(status("", Access::kWrite), 403);
  EXPECT_EQ(status("any", Access::kWrite), 403);
}
TEST_F(AGuard, LeavesWritingToWhoeverChecksItBehind) {
  guard_ = *Guard::create({.of_address = {.rate = 1}, .writing_is_checked_behind = true}, clock_, log_, registry_);
  EXPECT_EQ(status("", Access::kWrite), 200);
  EXPECT_EQ(status("", Access::kWrite), 429) << "limits hold";
  support::write_file(folder_ / "keys", line("one", "search"));
  guard_ = *Guard::create({.key_file = (folder_ / "keys").string(), .writing_is_checked_behind = true}, clock_, log_,
                          registry_);
  EXPECT_EQ(status("", Access::kWrite), 401) << "and keys, where there are some";
}
TEST_F(AGuard, KnowsAClientByItsKeyFromWhichAddressItComes) {
  start(line("one", "write") + line("other", "write"));
  const auto client = [this](const char* name, const http::ClientAddress& from) {
    return ask(name, Access::kWrite, from).client.value();
  };
  EXPECT_EQ(client("one", kHere), client("one", kThere));
  EXPECT_NE(client("one", kHere), client("other", kHere));
  start("");
  EXPECT_FALSE(ask("", Access::kSearch).client) << "without keys, the address tells";
}
TEST_F(AGuard, LetsAKeyDoWhatItsScopesSay) {
  start(line("reader", "search") + line("writer", "write") + line("boss", "search,write,admin"));
  for (const auto& [name, search, write, admin] : {std::tuple{"reader", 200, 403, 403},
                                                   {"writer", 403, 200, 403},
                                                   {"boss", 200, 200, 200},
                                                   {"", 401, 401, 401},
                                                   {"nobody", 401, 401, 401}}) {
    EXPECT_EQ(status(name, Access::kOpen), 200) << name;
    EXPECT_EQ(status(name, Access::kSearch), search) << name;
    EXPECT_EQ(status(name, Access::kWrite), write) << name;
    EXPECT_EQ(status(name, Access::kAdmin), admin) << name;
  }
  EXPECT_EQ(denied("no_key"), 3);
  EXPECT_EQ(denied("unknown_key"), 3);
  EXPECT_EQ(denied("scope"), 4);
}
TEST_F(AGuard, SaysWhatIsMissingAndNeverTheKey) {
  start(line("reader", "search"));
  const auto none = ask("", Access::kSearch), unknown = ask("nobody", Access::kSearch),
             scope = ask("reader", Access::kAdmin);
  EXPECT_EQ(field(none, "WWW-Authenticate"), R"(Bearer realm="frond")");
  EXPECT_EQ(field(unknown, "WWW-Authenticate"), R"(Bearer realm="frond", error="invalid_token")");
  EXPECT_EQ(field(scope, "WWW-Authenticate"), R"(Bearer realm="frond", error="insufficient_scope", scope="admin")");
  for (const auto* const one : {&none, &unknown, &scope}) {
    EXPECT_EQ(one->refusal->content_type, "application/problem+json");
    const auto body = nlohmann::json::parse(one->refusal->body);
    EXPECT_EQ(body.at("status"), one->refusal->status);
    EXPECT_EQ(one->refusal->body.find("0000"), std::string::npos) << one->refusal->body;
  }
}
TEST_F(AGuard, RefusesTwoKeysInOneRequest) {
  start(line("reader", "search"));
  const http::Request request{.headers = {{"authorization", "Bearer " + key("reader")}, {"x-api-key", key("reader")}}};
  EXPECT_EQ(guard_->admit(request, kHere, Access::kSearch).refusal->status, 400);
  EXPECT_EQ(denied("ambiguous_key"), 1);
}
TEST_F(AGuard, LimitsTheRateOfAKeyFromWhereverItIsUsed) {
  start(line("reader", "search") + line("other", "search", " rate=100"), {.rate = 2});
  EXPECT_EQ(status("reader", Access::kSearch, kHere), 200);
  EXPECT_EQ(status("reader", Access::kSearch, kThere), 200);
  const auto refused = ask("reader", Access::kSearch);
  ASSERT_TRUE(refused.refusal);
  EXPECT_EQ(refused.refusal->status, 429);
  EXPECT_EQ(field(refused, "Retry-After"), "1");
  for (int i = 0; i < 100; ++i) EXPECT_EQ(status("other", Access::kSearch), 200);
  EXPECT_EQ(status("other", Access::kSearch), 429);
  clock_.advance(std::chrono::milliseconds(500));
  EXPECT_EQ(status("reader", Access::kSearch), 200);
  EXPECT_EQ(denied("key_rate"), 2);
}
TEST_F(AGuard, LimitsWhatAKeyHasAtWork) {
  start(line("reader", "search", " in-flight=2"));
  auto one = ask("reader", Access::kSearch), two = ask("reader", Access::kSearch);
  ASSERT_TRUE(one.permit && two.permit);
  EXPECT_EQ(status("reader", Access::kSearch), 429);
  one.permit.reset();
  EXPECT_EQ(status("reader", Access::kSearch), 200);
  EXPECT_EQ(denied("key_in_flight"), 1);
}
TEST_F(AGuard, LimitsAddressesWhoeverAsks) {
  start("", {}, {.rate = 2, .in_flight = 1});
  EXPECT_TRUE(guard_->does_something());
  auto held = ask("", Access::kSearch);
  ASSERT_TRUE(held.permit);
  EXPECT_EQ(status("", Access::kSearch), 429);
  EXPECT_EQ(status("", Access::kSearch, kThere), 200);
  held.permit.reset();
  EXPECT_EQ(status("", Access::kSearch), 200);
  EXPECT_EQ(status("", Access::kSearch), 429);
  EXPECT_EQ(status("", Access::kOpen), 200);
  EXPECT_EQ(denied("address_in_flight"), 1);
  EXPECT_EQ(denied("address_rate"), 1);
}
TEST_F(AGuard, CountsWrongKeysForTheirAddress) {
  start(line("reader", "search"), {}, {.rate = 3, .in_flight = 1});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(status("nobody", Access::kSearch), 401);
  EXPECT_EQ(status("nobody", Access::kSearch), 429);
  EXPECT_EQ(status("reader", Access::kSearch), 429);
  EXPECT_EQ(status("reader", Access::kSearch, kThere), 200);
}
TEST_F(AGuard, ChargesManySearchesInOneRequest) {
  start(line("reader", "search", " rate=10"));
  ask("reader", Access::kSearch).permit->charge(29);
  EXPECT_EQ(field(ask("reader", Access::kSearch), "Retry-After"),
            "3");  // 30 requests, 10 of them at once, and this one
}
TEST_F(AGuard, TakesAChangedFileAndCountsABadOneOnce) {
  start(line("reader", "search"));
  const auto reads = [&](const char* outcome) {
    return registry_.counter(families::kFileReads, {{"outcome", outcome}}).value();
  };
  support::write_file(folder_ / "keys", "nothing of use");
  for (int i = 0; i < 3; ++i) guard_->look();
  EXPECT_EQ(reads("failed"), 1);
  EXPECT_EQ(registry_.gauge(families::kStale).value(), 1);
  EXPECT_EQ(status("reader", Access::kSearch), 200);
  support::write_file(folder_ / "keys", line("one", "search") + line("two", "search"));
  for (int i = 0; i < 3; ++i) guard_->look();
  EXPECT_EQ(reads("ok"), 1);
  EXPECT_EQ(registry_.gauge(families::kStale).value(), 0);
  EXPECT_EQ(registry_.gauge(families::kKeys).value(), 2);
  EXPECT_EQ(status("reader", Access::kSearch), 401);
}
TEST_F(AGuard, IsNotMadeOfABadFile) {
  const auto made = Guard::create({(folder_ / "none").string(), {}, {}}, clock_, log_, registry_);
  EXPECT_EQ(made, Code::kNotFound);
}
TEST_F(AGuard, LetsPermitsOutliveIt) {
  start(line("reader", "search", " in-flight=2"), {}, {.in_flight = 2});
  const auto held = ask("reader", Access::kSearch);
  guard_.reset();
}

}  // namespace
}  // namespace frond::keys
