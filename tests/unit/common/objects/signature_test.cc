// The published examples: "Signature Calculations for the Authorization Header" of the S3 API reference, and the AWS
// Signature Version 4 test suite.
#include "common/objects/signature.h"

#include <gtest/gtest.h>

namespace frond::objects {
namespace {

const Credentials kDocumentation{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""};
const Credentials kSuite{"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", ""};
constexpr const char* kEmpty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

RequestToSign of_documentation(std::string method, std::string path, Fields query, Fields headers,
                               const std::string& payload = kEmpty) {
  headers.emplace_back("x-amz-date", "20130524T000000Z");
  headers.emplace_back("x-amz-content-sha256", payload);
  headers.emplace_back("host", "examplebucket.s3.amazonaws.com");
  return {std::move(method), std::move(path), std::move(query), std::move(headers), payload};
}
std::string sign(const RequestToSign& request) {
  return authorization(request, kDocumentation, {"us-east-1", "s3"}, "20130524T000000Z");
}

TEST(ASignature, OfAGetWithARangeIsThatOfTheDocumentation) {
  const auto request = of_documentation("GET", "/test.txt", {}, {{"range", "bytes=0-9"}});
  EXPECT_EQ(sha256_hex(as_bytes(canonical_request(request))),
            "7344ae5b7ee6c3e7e6b0fe0640412a37625d1fbfff95c48bbb2dc43964946972");
  EXPECT_EQ(sign(request),
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
            "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
            "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST(ASignature, OfAPutWithAPayloadAndAPathToEncodeIsThatOfTheDocumentation) {
  const std::string payload = sha256_hex(as_bytes("Welcome to Amazon S3."));
  EXPECT_EQ(payload, "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072");
  const auto request = of_documentation(
      "PUT", "/test$file.text", {},
      {{"date", "Fri, 24 May 2013 00:00:00 GMT"}, {"x-amz-storage-class", "REDUCED_REDUNDANCY"}}, payload);
  EXPECT_TRUE(sign(request).ends_with("98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"))
      << sign(request);
}

TEST(ASignature, OfParametersIsThatOfTheDocumentation) {
  EXPECT_TRUE(sign(of_documentation("GET", "/", {{"lifecycle", ""}}, {}))
                  .ends_with("fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"));
  EXPECT_TRUE(sign(of_documentation("GET", "/", {{"prefix", "J"}, {"max-keys", "2"}}, {}))
                  .ends_with("34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"));
}

struct Vector {
  const char *name, *method, *path;
  Fields query;
  const char* signature;
};
class TheTestSuite : public testing::TestWithParam<Vector> {};
TEST_P(TheTestSuite, Agrees) {
  const auto& [name, method, path, query, signature] = GetParam();
  const RequestToSign request{
      method, path, query, {{"x-amz-date", "20150830T123600Z"}, {"host", "example.amazonaws.com"}}, kEmpty};
  EXPECT_EQ(authorization(request, kSuite, {"us-east-1", "service"}, "20150830T123600Z"),
            std::string("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
                        "SignedHeaders=host;x-amz-date, Signature=") +
                signature)
      << name;
}
INSTANTIATE_TEST_SUITE_P(
    Vectors, TheTestSuite,
    testing::Values(
        Vector{"get-vanilla", "GET", "/", {}, "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
        Vector{"get-vanilla-query-order-key-case",
               "GET",
               "/",
               {{"Param2", "value2"}, {"Param1", "value1"}},
               "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
        Vector{
            "get-utf8", "GET", "/\xe1\x88\xb4", {}, "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"},
        Vector{"post-vanilla", "POST", "/", {}, "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"}));

TEST(ASignature, TrimsHeadersAndSortsThem) {
  const RequestToSign request{"GET", "/", {}, {{"my-header", "  a   b \t c  "}, {"host", "h"}}, kEmpty};
  EXPECT_EQ(canonical_request(request), std::string("GET\n/\n\nhost:h\nmy-header:a b c\n\nhost;my-header\n") + kEmpty);
}

}  // namespace
}  // namespace frond::objects
