#include "tools/client/broker_client.h"

#include <gtest/gtest.h>

namespace frond::tools {
namespace {

TEST(UrlEncode, LeavesOnlyUnreservedCharacters) { EXPECT_EQ(url_encode("a b&c=\xc3\xa9~"), "a%20b%26c%3D%C3%A9~"); }

}  // namespace
}  // namespace frond::tools
