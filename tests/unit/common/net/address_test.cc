#include "common/net/address.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/net/endpoint.h"

namespace frond::net {
namespace {

using testing::HasSubstr;

std::string shown(const Result<HostPort>& address) {
  return address ? address->host + "|" + std::to_string(address->port) : "error: " + address.error().message();
}
std::string shown(const Result<Url>& url) {
  return url ? (url->tls ? "tls " : "") + url->authority() + "|" + url->path : "error: " + url.error().message();
}

TEST(AnAddress, IsAHostAndAPort) {
  EXPECT_EQ(shown(parse_host_port("127.0.0.1:80")), "127.0.0.1|80");
  EXPECT_EQ(shown(parse_host_port("leaf-0.leaves:0")), "leaf-0.leaves|0");
  EXPECT_EQ(shown(parse_host_port("*:65535")), "*|65535");
  EXPECT_EQ(shown(parse_host_port(":8080")), "|8080");
  EXPECT_EQ(shown(parse_host_port("[::1]:80")), "::1|80");
  EXPECT_EQ(shown(parse_host_port("[fe80::1%eth0]:80")), "fe80::1%eth0|80");
}

TEST(AnAddress, SaysWhatIsWrong) {
  EXPECT_EQ(parse_host_port("host:65536").error().message(),
            "'host:65536' is not HOST:PORT: the port is not a number from 0 to 65535");
  for (const char* wrong :
       {"",           "host",           "host:",     "host:65536", "host:-1", "host:+1",     "host:1x",    "host: 1",
        "host:80:80", "::1:80",         "::1",       "[::1]",      "[::1",    "[::1]80",     "[::1]x:80",  "[]:80",
        "[host]:80",  "[127.0.0.1]:80", "[::1%]:80", "a b:1",      "a\n:1",   "user@host:1", "http://h:1", "tcp://h:1",
        "h/p:1",      "a]:1",           "a?:1",      "a#:1"}) {
    EXPECT_THAT(shown(parse_host_port(wrong)), HasSubstr("error: '" + std::string(wrong) + "' is not HOST:PORT"));
  }
  EXPECT_TRUE(parse_host_port(std::string(255, 'a') + ":1"));
  EXPECT_FALSE(parse_host_port(std::string(256, 'a') + ":1"));
  EXPECT_FALSE(parse_host_port(std::string("a\0b:1", 5)));
  EXPECT_FALSE(parse_host_port(std::string("[::1\0]:1", 8)));
}

TEST(ATcpEndpoint, IsAnAddressBehindItsScheme) {
  EXPECT_EQ(shown(parse_tcp_endpoint("tcp://leaf:5555")), "leaf|5555");
  EXPECT_EQ(shown(parse_tcp_endpoint("tcp://[::1]:5555")), "::1|5555");
  for (const char* wrong : {"leaf:5555", "ipc://leaf:5555", "tcp://", "tcp://leaf", "TCP://leaf:1", "tcp://a/b:1"})
    EXPECT_THAT(shown(parse_tcp_endpoint(wrong)), HasSubstr("'" + std::string(wrong) + "' is not tcp://HOST:PORT"));
}

TEST(AnEndpoint, IsATcpEndpointOrThePathOfASocket) {
  EXPECT_EQ(parse_endpoint("tcp://leaf:5555")->tcp.port, 5555);
  EXPECT_FALSE(parse_endpoint("tcp://leaf:5555")->is_local());
  EXPECT_EQ(parse_endpoint("ipc:///run/frond/leaf 1")->path, "/run/frond/leaf 1");
  EXPECT_TRUE(parse_endpoint("ipc:///" + std::string(106, 'a')));
  EXPECT_EQ(parse_endpoint("ipc://leaf").error().message(),
            "'ipc://leaf' is not ipc://PATH: the path is not that of a file from / on");
  for (const std::string& wrong : {std::string("ipc://"), std::string("ipc:///run/"), "ipc:///" + std::string(107, 'a'),
                                   std::string("ipc:///a\nb"), std::string("ipc:///a\0b", 9), std::string("/run/leaf")})
    EXPECT_FALSE(parse_endpoint(wrong)) << wrong;
}

TEST(AUrl, HasAPortOfItsScheme) {
  EXPECT_EQ(shown(parse_url("http://broker")), "broker:80|");
  EXPECT_EQ(shown(parse_url("https://example.org/frond/")), "tls example.org:443|/frond");
  EXPECT_EQ(shown(parse_url("https://example.org:8443/a/b//")), "tls example.org:8443|/a/b");
  EXPECT_EQ(shown(parse_url("http://[::1]:81")), "[::1]:81|");
  EXPECT_EQ(shown(parse_url("http://[::1]")), "[::1]:80|");
}

TEST(AUrl, NeedsItsSchemeUnlessAsked) {
  EXPECT_FALSE(parse_url("broker:9000"));
  EXPECT_EQ(shown(parse_url("broker:9000/", Scheme::kOptional)), "broker:9000|");
  EXPECT_EQ(shown(parse_url("https://broker", Scheme::kOptional)), "tls broker:443|");
  for (const auto scheme : {Scheme::kRequired, Scheme::kOptional})
    EXPECT_THAT(shown(parse_url("ftp://x", scheme)), HasSubstr("neither http:// nor https://"));
}

TEST(AUrl, SaysWhatIsWrong) {
  for (const char* wrong : {"",
                            "http://",
                            "http:///a",
                            "http://:80",
                            "http://x:",
                            "http://x:0",
                            "http://x:65536",
                            "http://x:80a",
                            "http://[::1",
                            "http://[::1]80",
                            "http://[x]",
                            "http://::1",
                            "http://x:80/a b",
                            "http://x:80?q",
                            "http://x/a?q",
                            "http://x/a#b",
                            "http://x#b",
                            "http://u@x/",
                            "http://x/a\r\nHost: y",
                            "http://x\r\n",
                            "HTTP://x"}) {
    EXPECT_THAT(shown(parse_url(wrong)), HasSubstr("error: '" + std::string(wrong) + "' is not http[s]://")) << wrong;
    EXPECT_FALSE(parse_url(wrong, Scheme::kOptional)) << wrong;
  }
}

TEST(AnAuthority, IsCutWithoutBeingChecked) {
  const auto whole = split_authority("[x y]:z").value();
  EXPECT_EQ(whole.host, "x y");
  EXPECT_EQ(whole.port, "z");
  EXPECT_TRUE(whole.bracketed);
  EXPECT_EQ(split_authority("")->host, "");
  EXPECT_EQ(split_authority("a:")->port, "");
  EXPECT_EQ(split_authority("a")->port, std::nullopt);
  for (const char* wrong : {"a:1:2", "[a", "[a]b", "[a]:1:2"}) EXPECT_FALSE(split_authority(wrong)) << wrong;
}

}  // namespace
}  // namespace frond::net
