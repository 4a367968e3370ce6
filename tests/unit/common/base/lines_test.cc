// Lines are what people mean by them, whatever wrote the file.
#include "common/base/lines.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace frond {
namespace {

using Texts = std::vector<std::string>;

Texts lines_of(std::string_view text) {
  Texts all;
  Lines lines(text);
  while (const auto line = lines.next()) {
    all.emplace_back(*line);
    EXPECT_EQ(lines.number(), all.size());
  }
  return all;
}

TEST(Lines, AreWithoutTheirEndsAndWithoutAMark) {
  EXPECT_EQ(lines_of(""), Texts());
  EXPECT_EQ(lines_of("\xef\xbb\xbf"), Texts());
  EXPECT_EQ(lines_of("a"), Texts{"a"});
  EXPECT_EQ(lines_of("a\n"), Texts{"a"});
  EXPECT_EQ(lines_of("\xef\xbb\xbf"
                     "a\r\n\r\nb\r"),
            (Texts{"a", "", "b"}));
  EXPECT_EQ(lines_of("a\rb\n\xef\xbb\xbf"
                     "c"),
            (Texts{"a\rb",
                   "\xef\xbb\xbf"
                   "c"}))
      << "only at the beginning";
}

}  // namespace
}  // namespace frond
