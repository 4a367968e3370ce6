// Accounts of addresses: apart from each other, and never more than there are places.
#include "common/keys/meter.h"

#include <gtest/gtest.h>

#include <cstring>

namespace frond::keys {
namespace {
using std::chrono::seconds;

const Instant kTableStart = Instant(seconds(1000));

http::ClientAddress address(std::uint32_t number) {
  http::ClientAddress address{};
  address[10] = address[11] = 0xff;
  std::memcpy(address.data() + 12, &number, sizeof number);
  return address;
}
int taken(AddressTable& table, std::uint32_t number, Instant when) {
  for (int count = 0;; ++count) {
    const auto entry = table.enter(address(number), when);
    if (!entry.verdict || count == 1000) return count;
    table.leave(entry.place);
  }
}

TEST(AnAddressTable, CountsEachAddressForItself) {
  AddressTable table({.rate = 5});
  EXPECT_EQ(taken(table, 1, kTableStart), 5);
  EXPECT_EQ(taken(table, 2, kTableStart), 5);
  EXPECT_EQ(taken(table, 1, kTableStart), 0);
  EXPECT_EQ(table.size(kTableStart), 2u);
}
TEST(AnAddressTable, ForgetsWhoHasPaid) {
  AddressTable table({.rate = 5});
  for (std::uint32_t i = 0; i < 100; ++i) taken(table, i, kTableStart);
  EXPECT_GT(table.size(kTableStart), 90u);
  EXPECT_EQ(table.size(kTableStart + seconds(1)), 0u);
}
TEST(AnAddressTable, KeepsItsSizeUnderAFloodOfAddresses) {
  AddressTable table({.rate = 100});
  for (std::uint32_t i = 0; i < 4 * AddressTable::capacity(); ++i) {
    const auto entry = table.enter(address(i), kTableStart);
    ASSERT_TRUE(entry.verdict) << "an address that comes for the first time";
    table.leave(entry.place);
  }
  EXPECT_LE(table.size(kTableStart), AddressTable::capacity());
  EXPECT_GT(table.size(kTableStart), AddressTable::capacity() / 2);
}
TEST(AnAddressTable, KeepsWhoOwesMostUnderAFlood) {
  AddressTable table({.rate = 100});
  const auto greedy = table.enter(address(7), kTableStart);
  table.charge(greedy.place, kTableStart, 1000);
  table.leave(greedy.place);
  for (std::uint32_t i = 100; i < 100 + AddressTable::capacity(); ++i) taken(table, i, kTableStart + seconds(1));
  EXPECT_EQ(taken(table, 7, kTableStart + seconds(1)), 0);
}
TEST(AnAddressTable, NeverForgetsWhoHasRequestsAtWork) {
  AddressTable table({.in_flight = 1});
  const auto held = table.enter(address(7), kTableStart);
  ASSERT_TRUE(held.verdict);
  for (std::uint32_t i = 100; i < 100 + 2 * AddressTable::capacity(); ++i) taken(table, i, kTableStart);
  EXPECT_EQ(table.enter(address(7), kTableStart).verdict.kind, Verdict::Kind::kTooMany);
  table.leave(held.place);
  EXPECT_TRUE(table.enter(address(7), kTableStart).verdict);
}
TEST(AnAddressTable, CountsWhoFindsNoPlaceTogether) {
  AddressTable table({.in_flight = 3});
  std::vector<AddressTable::Place> held;
  std::uint64_t refused = 0;
  for (std::uint32_t i = 0; i < 8 * AddressTable::capacity(); ++i) {
    const auto entry = table.enter(address(i), kTableStart);
    if (entry.verdict)
      held.push_back(entry.place);
    else
      ++refused;
  }
  EXPECT_EQ(held.size(), AddressTable::kSets * (AddressTable::kWays + 3));
  EXPECT_GT(refused, 0u);
  for (const auto place : held) table.leave(place);
  EXPECT_EQ(table.size(kTableStart), 0u);
}

}  // namespace
}  // namespace frond::keys
