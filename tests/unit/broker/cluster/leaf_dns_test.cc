// A name's addresses as leaves. The name is localhost, which needs no server to be looked up.
#include "broker/cluster/leaf_dns.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "tests/support/scripted_cluster.h"

namespace frond::broker::cluster {
namespace {

TEST(LeafDns, TriesAnAddressAgainThatCouldNotBeUsed) {
  boost::asio::io_context io{1};
  const SteadyClock steady;
  TimerQueue timers{steady};
  const TimerDriver driver(io, timers);
  Logger log{"test", LogLevel::kError};
  int tried = 0;
  ClusterMap map(timers, log, {.collection = "c"},
                 [&](const std::string&, const News&) -> Result<std::unique_ptr<LeafClient>> {
                   if (++tried <= 2) return Error(Code::kInvalid, "too many open files");
                   return std::unique_ptr<LeafClient>(std::make_unique<support::ScriptedLeaf>(timers));
                 });
  const auto set = [&](const std::vector<std::string>& leaves) { return map.set_leaves(leaves); };
  const LeafDns dns(io, timers, set, log, "localhost", 7000, std::chrono::milliseconds(1));
  const Deadline end = Deadline::after(steady, std::chrono::seconds(20));
  while (map.leaves().empty() && !end.passed(steady)) io.run_one_for(std::chrono::milliseconds(100));
  ASSERT_FALSE(map.leaves().empty()) << tried << " attempts";
  EXPECT_TRUE(map.leaves()[0]->endpoint.ends_with(":7000"));
}

}  // namespace
}  // namespace frond::broker::cluster
