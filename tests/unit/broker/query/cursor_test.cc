// Places in rankings as text.
#include "broker/query/cursor.h"

#include <gtest/gtest.h>

#include <string>

namespace frond::broker::query {
namespace {

Cursor a_cursor() { return {{7, 0x9e3779b97f4a7c15}, query_hash("x"), {std::string("\x01\0\xff y", 5), 123}}; }

TEST(Cursor, IsReadAsItWasWritten) {
  for (std::size_t length = 0; length < 8; ++length) {
    Cursor cursor = a_cursor();
    cursor.after.bytes.assign(length, '\xfe');
    const std::string text = cursor_text(cursor);
    EXPECT_EQ(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"), text.npos);
    EXPECT_EQ(read_cursor(text), cursor) << text;
  }
  Cursor longest = a_cursor();
  longest.after.bytes.assign(frond::query::kMaxSortBytes, 'x');
  EXPECT_LE(cursor_text(longest).size(), kMaxCursorBytes);
  EXPECT_EQ(read_cursor(cursor_text(longest)), longest);
}

TEST(Cursor, IsRefusedIfItIsCutOrChanged) {
  const std::string text = cursor_text(a_cursor());
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_EQ(read_cursor(text.substr(0, length)), Code::kInvalid) << length;
  for (std::size_t i = 0; i < text.size(); ++i)
    for (const char c : {'A', 'z', '-', '=', ' ', '\0'}) {
      std::string changed = text;
      changed[i] = c;
      if (changed == text) continue;
      EXPECT_EQ(read_cursor(changed), Code::kInvalid) << i << c;
    }
  EXPECT_EQ(read_cursor(text + "A"), Code::kInvalid);
  EXPECT_EQ(read_cursor(std::string(kMaxCursorBytes + 1, 'A')), Code::kInvalid);
}

}  // namespace
}  // namespace frond::broker::query
