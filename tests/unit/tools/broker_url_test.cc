#include "tools/broker_url.h"

#include <gtest/gtest.h>

namespace frond::tools {
namespace {

std::string shown(std::string_view text) {
  const auto url = parse_broker_url(text);
  return url ? (url->tls ? "tls " : "") + url->authority() + "|" + url->prefix : "error: " + url.error().message();
}

TEST(BrokerUrl, TakesWhatPeopleType) {
  EXPECT_EQ(shown("http://127.0.0.1:8080"), "127.0.0.1:8080|");
  EXPECT_EQ(shown("broker:9000/"), "broker:9000|");
  EXPECT_EQ(shown("http://broker/search/"), "broker:80|/search");
  EXPECT_EQ(shown("http://[::1]:8080"), "[::1]:8080|");
  EXPECT_EQ(shown("https://broker/search"), "tls broker:443|/search");
  EXPECT_EQ(shown("https://broker:8443"), "tls broker:8443|");
}

TEST(BrokerUrl, SaysWhatIsWrong) {
  EXPECT_EQ(shown("ftp://x"), "error: broker address 'ftp://x': only http:// and https:// are spoken");
  for (const auto* bad :
       {"", "http://", ":80", "x:", "x:0", "x:65536", "x:80a", "[::1", "[::1]80", "x:80/a b", "x:80?q"})
    EXPECT_EQ(parse_broker_url(bad), Code::kInvalid) << bad;
}

TEST(UrlEncode, LeavesOnlyUnreservedCharacters) { EXPECT_EQ(url_encode("a b&c=\xc3\xa9~"), "a%20b%26c%3D%C3%A9~"); }

}  // namespace
}  // namespace frond::tools
