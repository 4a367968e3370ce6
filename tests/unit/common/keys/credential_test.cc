// Where a request's key may stand.
#include "common/keys/api_key.h"

#include <gtest/gtest.h>

namespace frond::keys {
namespace {
using Kind = Credential::Kind;
using Fields = std::vector<std::pair<std::string, std::string>>;

const std::string kKey = "frond_" + std::string(43, 'k');

Kind kind_of(Fields fields) {
  const http::Request request{.headers = std::move(fields)};
  const Credential found = credential_of(request);
  EXPECT_EQ(found.key == kKey, found.kind == Kind::kKey);
  return found.kind;
}

TEST(ACredential, StandsWhereClientsPutIt) {
  EXPECT_EQ(kind_of({{"authorization", "Bearer " + kKey}}), Kind::kKey);
  EXPECT_EQ(kind_of({{"authorization", "bearer   " + kKey}}), Kind::kKey);
  EXPECT_EQ(kind_of({{"authorization", "ApiKey " + kKey}}), Kind::kKey);
  EXPECT_EQ(kind_of({{"host", "x"}, {"x-api-key", kKey}, {"accept", "*/*"}}), Kind::kKey);
}
TEST(ACredential, IsMissing) {
  EXPECT_EQ(kind_of({}), Kind::kNone);
  EXPECT_EQ(kind_of({{"cookie", kKey}}), Kind::kNone);
}
TEST(ACredential, IsOfAnotherScheme) {
  EXPECT_EQ(kind_of({{"authorization", "Basic dXNlcjpwYXNz"}}), Kind::kOther);
  EXPECT_EQ(kind_of({{"authorization", kKey}}), Kind::kOther);
  EXPECT_EQ(kind_of({{"authorization", ""}}), Kind::kOther);
  EXPECT_EQ(kind_of({{"authorization", "Bearer"}}), Kind::kOther);
  EXPECT_EQ(kind_of({{"authorization", "Bearer" + kKey}}), Kind::kOther);
}
TEST(ACredential, LooksLikeNoKey) {
  EXPECT_EQ(kind_of({{"authorization", "Bearer "}}), Kind::kMalformed);
  EXPECT_EQ(kind_of({{"authorization", "Bearer short"}}), Kind::kMalformed);
  EXPECT_EQ(kind_of({{"authorization", "Bearer " + kKey + " "}}), Kind::kMalformed);
  EXPECT_EQ(kind_of({{"authorization", "Bearer " + kKey + ", " + kKey}}), Kind::kMalformed);
  EXPECT_EQ(kind_of({{"x-api-key", std::string(5000, 'a')}}), Kind::kMalformed);
}
TEST(ACredential, IsAmbiguousTwice) {
  EXPECT_EQ(kind_of({{"authorization", "Bearer " + kKey}, {"x-api-key", kKey}}), Kind::kAmbiguous);
  EXPECT_EQ(kind_of({{"authorization", "Basic x"}, {"authorization", "Bearer " + kKey}}), Kind::kAmbiguous);
  EXPECT_EQ(kind_of({{"x-api-key", kKey}, {"x-api-key", kKey}}), Kind::kAmbiguous);
}

}  // namespace
}  // namespace frond::keys
