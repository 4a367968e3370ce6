// The clients that are connected, and how they share a budget.
#include "common/http/server/clients.h"

#include <gtest/gtest.h>

#include <atomic>

namespace frond::http {
namespace {
using boost::asio::ip::make_address;

TEST(Clients, AreForgottenWithTheirLastConnection) {
  Clients clients;
  auto& one = clients.enter(make_address("192.0.2.1"));
  EXPECT_EQ(&clients.enter(make_address("192.0.2.1")), &one);
  auto& other = clients.enter(make_address("192.0.2.2"));
  EXPECT_EQ(one.second.connections, 2u);
  EXPECT_EQ(clients.most_connections(), 2u);
  clients.leave(one);
  clients.leave(other);
  EXPECT_EQ(clients.size(), 1u);
  clients.leave(one);
  EXPECT_EQ(clients.size(), 0u);
}

constexpr std::size_t kMiB = 1 << 20;

TEST(AByteBudget, LeavesAsMuchToOthersAsAClientHas) {
  ByteBudget budget(12 * kMiB);
  std::atomic<std::size_t> one{0}, two{0}, three{0};
  std::vector<ReservedBytes> held;
  const auto fill = [&](std::atomic<std::size_t>& client) {
    while (budget.admits(client, kMiB)) held.emplace_back(budget, client, kMiB);
    return client / kMiB;
  };
  EXPECT_EQ(fill(one), 6u) << "half";
  EXPECT_EQ(fill(two), 3u) << "half of the rest: the first does not give back";
  EXPECT_EQ(fill(three), 1u);
  EXPECT_EQ(budget.refusals(), 3u);
  std::atomic<std::size_t> small{0};
  EXPECT_TRUE(budget.admits(small, 1000));
  held.clear();
  EXPECT_EQ(budget.used() + one + two + three, 0u);
}
TEST(AByteBudget, EndsForSmallOnesToo) {
  ByteBudget budget(100'000);
  std::atomic<std::size_t> client{0};
  const ReservedBytes held(budget, client, 60'000);
  EXPECT_TRUE(budget.admits(0, 40'000));
  EXPECT_FALSE(budget.admits(0, 40'001));
}
TEST(ReservedBytes, AreGivenBackOnce) {
  ByteBudget budget(100);
  std::atomic<std::size_t> client{0};
  ReservedBytes first(budget, client, 10);
  ReservedBytes second(std::move(first));
  second.grow(5);
  EXPECT_EQ(budget.used(), 15u);
  second = ReservedBytes(budget, client, 1);
  EXPECT_EQ(client, 1u);
  second = {};
  EXPECT_EQ(budget.used() + client, 0u);
}
}  // namespace
}  // namespace frond::http
