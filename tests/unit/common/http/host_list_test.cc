// The host names under which a server accepts requests.
#include "common/http/server/router.h"

#include <gtest/gtest.h>

namespace frond::http {
namespace {

HostList list(std::vector<std::string> names) {
  auto parsed = HostList::parse(names);
  EXPECT_TRUE(parsed) << parsed.error().message();
  return *parsed;
}

TEST(AHostList, WithoutNamesAdmitsEverybody) {
  for (const char* host : {"", "a.example", "a.example:80", "[::1]", "10.0.0.1:8080"})
    EXPECT_TRUE(HostList().admits(host)) << host;
}
TEST(AHostList, AdmitsItsNamesInAnyCaseAtAnyPort) {
  const HostList hosts = list({"Search.example.", "other_name"});
  for (const char* host : {"search.example", "SEARCH.example:8443", "search.example.", "search.example.:80",
                           "other_name:1", "search.example:"})
    EXPECT_TRUE(hosts.admits(host)) << host;
}
TEST(AHostList, AdmitsAddressesAndLocalhost) {
  const HostList hosts = list({"search.example"});
  for (const char* host : {"10.1.2.3", "10.1.2.3:8080", "[fd00::1]:8080", "[::1]", "localhost:8080", "LOCALHOST"})
    EXPECT_TRUE(hosts.admits(host)) << host;
}
TEST(AHostList, AdmitsNothingElse) {
  const HostList hosts = list({"search.example"});
  for (const char* host : {"", ":80", "evil.example", "search.example.evil.example", "evilsearch.example", "example",
                           "10.1.2.3.evil.example", "10.1.2.3.4", "[::1", "[evil.example]", "[]",
                           "localhost.evil.example", "search.example@evil.example", "search.example:80:evil.example"})
    EXPECT_FALSE(hosts.admits(host)) << host;
}
TEST(AHostList, TakesNoNamesThatAreNone) {
  for (const char* name :
       {"", ".", "http://a.example", "a.example:80", "a.example/", "*", "*.example", "a b", "[::1]"}) {
    const auto parsed = HostList::parse(std::vector<std::string>{"good.example", name});
    ASSERT_FALSE(parsed) << name;
    EXPECT_EQ(parsed.error().code(), Code::kInvalid);
    EXPECT_NE(parsed.error().message().find("'" + std::string(name) + "'"), std::string::npos);
  }
}

}  // namespace
}  // namespace frond::http
