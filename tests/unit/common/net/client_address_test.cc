// Which addresses count as one client.
#include "common/net/client_address.h"

#include <gtest/gtest.h>

namespace frond::net {
namespace {
using boost::asio::ip::make_address;

TEST(ClientAddress, IsAnAddressOfIpv4OrANetworkOfIpv6) {
  const auto same = [](const char* one, const char* other) {
    return client_address(make_address(one)) == client_address(make_address(other));
  };
  EXPECT_TRUE(same("192.0.2.1", "192.0.2.1"));
  EXPECT_TRUE(same("192.0.2.1", "::ffff:192.0.2.1")) << "on a socket that takes both";
  EXPECT_FALSE(same("192.0.2.1", "192.0.2.2"));
  EXPECT_TRUE(same("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff")) << "the second half is the client's choice";
  EXPECT_FALSE(same("2001:db8:1:2::1", "2001:db8:1:3::1"));
  EXPECT_FALSE(same("::1", "0.0.0.1"));
}

}  // namespace
}  // namespace frond::net
