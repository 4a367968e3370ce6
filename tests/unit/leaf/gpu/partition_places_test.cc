// Which device gets which partition.
#include "leaf/gpu/partition_places.h"

#include <gtest/gtest.h>

namespace frond::leaf::gpu {
namespace {

TEST(PartitionPlaces, DealsPartitionsBySize) {
  PartitionPlaces places({1000, 1000, 1000});
  const std::uint64_t sizes[] = {900, 300, 300, 300, 300, 300, 300};
  for (std::uint64_t i = 0; i < std::size(sizes); ++i) places.add(i + 1, sizes[i]);
  for (std::size_t device = 0; device < 3; ++device) {
    EXPECT_EQ(places.load(device).bytes, 900u) << device;
    EXPECT_EQ(places.load(device).partitions, device == 0 ? 1u : 3u) << device;
  }
}

TEST(PartitionPlaces, GivesALargerDeviceMore) {
  PartitionPlaces places({3000, 1000});
  for (std::uint64_t i = 1; i <= 8; ++i) places.add(i, 100);
  EXPECT_EQ(places.load(0).partitions, 6u);
  EXPECT_EQ(places.load(1).partitions, 2u);
}

TEST(PartitionPlaces, KeepsAPartitionWhereItIs) {
  PartitionPlaces places({1000, 1000});
  places.add(1, 500);
  const std::size_t home = places.find({2, 100}).home;
  places.add(2, 900);
  EXPECT_EQ(places.find({2, 0}).home, home);
  EXPECT_EQ(places.known_home(2), home);
  EXPECT_EQ(places.load(home).bytes, 100u);
  EXPECT_EQ(places.known_home(3), std::nullopt);
}

TEST(PartitionPlaces, HaveOnAllDevicesWhatComesWhileAllIsSmall) {
  PartitionPlaces places({1000, 600});
  const auto everywhere = [&places](std::uint64_t partition) { return places.find({partition, 0}).everywhere; };
  places.add(1, 200);
  places.add(2, 100);
  places.add(3, 1);
  EXPECT_TRUE(everywhere(1));
  EXPECT_TRUE(everywhere(2));
  EXPECT_FALSE(everywhere(3)) << "with it all take more than half of the smallest device";
  places.remove(2);
  EXPECT_FALSE(everywhere(3)) << "it is where it was";
  places.add(4, 50);
  EXPECT_TRUE(everywhere(4));
  places.add(5, 200);
  EXPECT_FALSE(everywhere(5));
  EXPECT_TRUE(everywhere(1)) << "likewise";
  places.lose(1);
  places.add(6, 40);
  EXPECT_TRUE(everywhere(6)) << "there is room on the device that is left";
}

TEST(PartitionPlaces, DealsThoseOfALostDeviceToTheOthers) {
  PartitionPlaces places({1000, 1000, 1000});
  for (std::uint64_t i = 1; i <= 12; ++i) places.add(i, 10 * i);
  places.lose(1);
  EXPECT_EQ(places.load(1).partitions, 0u);
  EXPECT_EQ(places.load(0).partitions + places.load(2).partitions, 12u);
  EXPECT_LE(places.load(0).bytes, 450u);
  EXPECT_LE(places.load(2).bytes, 450u);
  for (std::uint64_t i = 1; i <= 12; ++i) EXPECT_NE(places.find({i, 0}).home, 1u);
  places.add(13, 1);
  EXPECT_NE(places.find({13, 1}).home, 1u);
  places.lose(0);
  EXPECT_EQ(places.load(2).partitions, 13u);
  places.lose(2);
  EXPECT_EQ(places.find({1, 0}).home, 2u) << "there is no other";
  for (std::uint64_t i = 1; i <= 13; ++i) places.remove(i);
  EXPECT_EQ(places.load(2).bytes, 0u);
}

}  // namespace
}  // namespace frond::leaf::gpu
