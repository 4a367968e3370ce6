#include "common/objects/answers.h"

#include <gtest/gtest.h>

namespace frond::objects {
namespace {

Result<ListPage> list(const std::string& xml) { return parse_list(as_bytes(xml)); }

TEST(AList, HasObjectsAndFolders) {
  const auto page = list(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
      "<Name>bucket</Name><IsTruncated>true</IsTruncated><Contents><Key>a&amp;b</Key><LastModified>"
      "2009-10-12T17:50:30.000Z</LastModified><ETag>&quot;x&quot;</ETag><Size>434234</Size><Owner><ID>1</ID></Owner>"
      "</Contents><CommonPrefixes><Prefix>photos/</Prefix></CommonPrefixes>"
      "<NextContinuationToken>next</NextContinuationToken></ListBucketResult>");
  ASSERT_TRUE(page) << page.error().message();
  ASSERT_EQ(page->objects.size(), 1u);
  EXPECT_EQ(page->objects[0].key, "a&b");
  EXPECT_EQ(page->objects[0].bytes, 434234u);
  EXPECT_EQ(page->objects[0].modified, 1255369830);
  EXPECT_EQ(page->prefixes, std::vector<std::string>{"photos/"});
  EXPECT_EQ(page->next, "next");
}

TEST(AList, IsCorruptInAnyOtherShape) {
  for (const std::string xml :
       {"", "not XML", "<Error><Code>X</Code></Error>", "<ListBucketResult>",
        "<ListBucketResult><Contents><Size>minus one</Size></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><LastModified>now</LastModified></Contents></ListBucketResult>",
        "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
        "<ListBucketResult/><ListBucketResult/>"})
    EXPECT_EQ(list(xml), Code::kCorrupt) << xml;
}

TEST(AList, IsBounded) {
  std::string deep, wide = "<ListBucketResult>";
  for (int i = 0; i < 20; ++i) deep += i == 0 ? "<ListBucketResult>" : "<a>";
  EXPECT_EQ(list(deep), Code::kCorrupt);
  for (int i = 0; i < 10'100; ++i) wide += "<Contents/>";
  EXPECT_EQ(list(wide + "</ListBucketResult>"), Code::kCorrupt);
  EXPECT_EQ(list("<ListBucketResult><Name>" + std::string(5000, 'x') + "</Name></ListBucketResult>"), Code::kCorrupt);
  EXPECT_EQ(list(std::string(kMaxAnswerBytes + 1, ' ')), Code::kCorrupt);
}

TEST(AList, HasNoEntitiesOfItsOwn) {
  EXPECT_EQ(list("<!DOCTYPE x [<!ENTITY a \"aaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]>"
                 "<ListBucketResult><Name>&b;</Name></ListBucketResult>"),
            Code::kCorrupt);
}

TEST(AnUpload, HasAnId) {
  EXPECT_EQ(parse_upload_id(as_bytes("<InitiateMultipartUploadResult><UploadId>id</UploadId>"
                                     "</InitiateMultipartUploadResult>")),
            "id");
  EXPECT_EQ(parse_upload_id(as_bytes("<InitiateMultipartUploadResult/>")), Code::kCorrupt);
  EXPECT_TRUE(parse_completed(as_bytes("  \n<CompleteMultipartUploadResult/>")));
  EXPECT_EQ(parse_completed(as_bytes("<Error><Code>InternalError</Code></Error>")), Code::kCorrupt);
}

TEST(AnError, IsForPeople) {
  const StoreError error = parse_error(as_bytes("<Error><Code>SlowDown</Code><Message>a\nb\xc3\xa9</Message></Error>"));
  EXPECT_EQ(error.code, "SlowDown");
  EXPECT_EQ(error.message, "a?b??");
  EXPECT_EQ(parse_error(as_bytes("<html>")).code, "");
}

TEST(ATime, IsOfEitherKind) {
  EXPECT_EQ(parse_time("2009-10-12T17:50:30.000Z"), 1255369830);
  EXPECT_EQ(parse_time("Mon, 12 Oct 2009 17:50:30 GMT"), 1255369830);
  for (const char* text : {"", "yesterday", "2009-10-12", "0001-01-01T00:00:00Z"})
    EXPECT_EQ(parse_time(text), Code::kCorrupt) << text;
}

}  // namespace
}  // namespace frond::objects
