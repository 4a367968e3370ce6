#include "common/objects/signature.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tests/support/scratch_folder.h"

namespace frond::objects {
namespace {

TEST(ACredentialsFile, HasItsDefaultSection) {
  const auto found = parse_credentials(
      "# a comment\n[other]\naws_access_key_id = wrong\n\n[default]\r\naws_access_key_id = id\r\nregion = x\n"
      "aws_secret_access_key=s/e+c=ret\naws_session_token = token");
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->key_id, "id");
  EXPECT_EQ(found->secret, "s/e+c=ret");
  EXPECT_EQ(found->session_token, "token");
}

TEST(ACredentialsFile, MayHaveNoSection) {
  const auto found = parse_credentials("aws_access_key_id=id\naws_secret_access_key=secret\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->session_token, "");
}

TEST(ACredentialsFile, IsRefusedWithoutItsContent) {
  for (const std::string text :
       {"", "aws_access_key_id = id\n", "aws_secret_access_key = topsecret\n", "[other]\naws_access_key_id=a\n",
        "aws_access_key_id = id\naws_secret_access_key = top\x01secret\n",
        "aws_access_key_id = id\naws_secret_access_key = topsecret two\n"}) {
    const auto found = parse_credentials(text);
    ASSERT_EQ(found, Code::kInvalid) << text;
    EXPECT_EQ(found.error().message().find("secret\x20two"), std::string::npos);
    EXPECT_EQ(found.error().message().find("topsecret"), std::string::npos) << found.error().message();
  }
}

TEST(Credentials, ComeFromAFileOrTheEnvironment) {
  ::unsetenv("AWS_SECRET_ACCESS_KEY");
  ::setenv("AWS_ACCESS_KEY_ID", "from-environment", 1);
  EXPECT_EQ(CredentialSource("").get(), Code::kInvalid);
  ::setenv("AWS_SECRET_ACCESS_KEY", "secret\n", 1);
  const auto found = CredentialSource("").get();
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->key_id, "from-environment");
  EXPECT_EQ(found->secret, "secret");

  const support::ScratchFolder folder;
  const CredentialSource source(folder / "credentials");
  EXPECT_EQ(source.get(), Code::kInvalid);
  std::ofstream(folder / "credentials") << "aws_access_key_id = from-file\naws_secret_access_key = s\n";
  ASSERT_TRUE(source.get());
  EXPECT_EQ(source.get()->key_id, "from-file");
}

}  // namespace
}  // namespace frond::objects
