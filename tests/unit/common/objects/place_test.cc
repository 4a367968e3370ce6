#include "common/objects/place.h"

#include <gtest/gtest.h>

namespace frond::objects {
namespace {

TEST(APlace, IsABucketAndAPrefix) {
  const auto place = parse_place("s3://my.bucket-1/a/b_c/", {.endpoint = "http://localhost:9000"});
  ASSERT_TRUE(place) << place.error().message();
  EXPECT_EQ(place->bucket, "my.bucket-1");
  EXPECT_EQ(place->prefix, "a/b_c/");
  EXPECT_EQ(place->root, "/my.bucket-1/");
  EXPECT_EQ(place->host, "localhost:9000");
  EXPECT_FALSE(place->server.tls);
}

TEST(APlace, IsAtAmazonWithoutAnEndpoint) {
  const auto place = parse_place("s3://bucket", {.region = "eu-west-1"});
  ASSERT_TRUE(place);
  EXPECT_EQ(place->host, "bucket.s3.eu-west-1.amazonaws.com");
  EXPECT_EQ(place->root, "/");
  EXPECT_EQ(place->prefix, "");
  EXPECT_TRUE(place->server.tls);
}

TEST(APlace, HasItsBucketWhereTheStyleSays) {
  EXPECT_EQ(parse_place("s3://bucket", {.path_style = "on"})->root, "/bucket/");
  const auto place = parse_place("s3://bucket", {.endpoint = "https://store.example:8443", .path_style = "off"});
  EXPECT_EQ(place->host, "bucket.store.example:8443");
}

TEST(APlace, IsRefusedInAnyOtherShape) {
  for (const char* text : {"s3://", "s3:/bucket", "bucket", "s3://Bucket", "s3://b", "s3://-bucket", "s3://a..b",
                           "s3://bucket//a", "s3://bucket/../a", "s3://bucket/a b", "s3://bucket/.a", "s3://bucket/a?b",
                           "s3://user@bucket", "s3://bucket:80/a"})
    EXPECT_EQ(parse_place(text, {}), Code::kInvalid) << text;
  EXPECT_EQ(parse_place("s3://bucket", {.endpoint = "ftp://host"}), Code::kInvalid);
  EXPECT_EQ(parse_place("s3://bucket", {.endpoint = "http://host/path"}), Code::kInvalid);
  EXPECT_EQ(parse_place("s3://bucket", {.region = "a/b"}), Code::kInvalid);
}

}  // namespace
}  // namespace frond::objects
