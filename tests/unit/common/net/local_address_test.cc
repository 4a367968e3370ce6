#include "common/net/local_address.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "tests/support/scratch_folder.h"

namespace frond::net {
namespace {

TEST(ALocalAddress, IsAPathBehindOneOfTwoSchemes) {
  EXPECT_EQ(*parse_local_address("unix:run/a.sock"), "run/a.sock");
  EXPECT_EQ(*parse_local_address("ipc:///run/a.sock"), "/run/a.sock");
  for (const auto& wrong :
       std::vector<std::string>{"", "unix:", "ipc://", "run/a.sock", "tcp://a:1", "unix:" + std::string(108, 'a')})
    EXPECT_EQ(parse_local_address(wrong), Code::kInvalid) << wrong;
  EXPECT_EQ(parse_local_address(std::string("unix:a\0b", 8)), Code::kInvalid);
  EXPECT_TRUE(parse_local_address("unix:" + std::string(107, 'a')));
}

TEST(ALocalAddress, StandsWhereOthersDo) {
  EXPECT_TRUE(expect_leaf_endpoint("ipc://a") && expect_leaf_endpoint("tcp://h:1"));
  EXPECT_FALSE(expect_leaf_endpoint("unix:a") || expect_leaf_endpoint("h:1"));
  EXPECT_TRUE(expect_listen_address("unix:a") && expect_listen_address("h:1"));
  EXPECT_FALSE(expect_listen_address("ipc://a") || expect_listen_address("tcp://h:1"));
  EXPECT_EQ(parse_server("unix:a")->authority(), "localhost");
  EXPECT_EQ(parse_server("http://h:1")->authority(), "h:1");
  EXPECT_EQ(parse_server("h:1"), Code::kInvalid);
}

TEST(ALocalAddress, IsTakenFromADeadListenerOnly) {
  const support::ScratchFolder scratch;
  const Endpoint at = local_endpoint(scratch / "a.sock");
  boost::asio::io_context io;
  boost::system::error_code failed;
  const auto listen = [&](Acceptor& acceptor) {
    open(acceptor, at, failed);
    if (!failed) acceptor.bind(at, failed);
    if (!failed) acceptor.listen(1, failed);
    return !failed;
  };
  {
    Acceptor first(io), second(io);
    EXPECT_TRUE(listen(first)) << failed.message();
    EXPECT_FALSE(listen(second)) << "somebody listens there";
    EXPECT_EQ(port_of(at), 0);
    EXPECT_TRUE(address_of(at).is_loopback());
  }
  Acceptor third(io), fourth(io);
  EXPECT_TRUE(listen(third)) << failed.message();
  third.close();
  std::filesystem::remove(scratch / "a.sock");
  support::write_file(scratch / "a.sock", "mine");
  EXPECT_FALSE(listen(fourth)) << "it is no socket";
  EXPECT_EQ(support::read_file(scratch / "a.sock"), "mine");
}

}  // namespace
}  // namespace frond::net
