// The memory that parsing a record takes, and that of an HTML page.
#include "indexer/ingest/records/parse_record.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "indexer/ingest/formats/csv.h"
#include "indexer/ingest/formats/formats.h"
#include "indexer/ingest/markup/html.h"

namespace frond::indexer::ingest {
namespace {

RawRecord record(const SourceFormat* format, std::string bytes, std::string name = "") {
  return {.format = format,
          .file = "in/" + name,
          .name = std::move(name),
          .number = 1,
          .offset = 0,
          .bytes = std::move(bytes)};
}

TEST(ParseCost, GrowsWithWhatMakesARecordDear) {
  constexpr std::size_t kBytes = 1 << 20;
  const auto cost = [](const SourceFormat* format, std::string bytes, std::string name = "a.txt") {
    return parse_cost(record(format, std::move(bytes), std::move(name))).bytes;
  };
  std::string text, numbers = "{\"id\":1,\"a\":[", page, thai;
  while (text.size() < kBytes) text += "some words, and more. ";
  while (numbers.size() < kBytes) numbers += "1,";
  while (page.size() < kBytes) page += "<p>some <b>words</b> and <a href=x>more</a></p>";
  while (thai.size() < kBytes) thai += "\xa1\xa2\xa3 ";
  EXPECT_GE(cost(&kJsonl, "{\"id\":1,\"body\":\"" + text + "\"}"), 4 * kBytes);
  EXPECT_LE(cost(&kJsonl, "{\"id\":1,\"body\":\"" + text + "\"}"), 8 * kBytes);
  EXPECT_GE(cost(&kJsonl, numbers), 16 * kBytes);
  EXPECT_LE(cost(&kFiles, text), 6 * kBytes);
  EXPECT_GE(cost(&kFiles, thai), 9 * kBytes);
  EXPECT_GE(cost(&kFiles, page, "a.html"), 20 * kBytes);
  EXPECT_GE(cost(&kFiles, "<!DOCTYPE html>" + page, "a"), 20 * kBytes);
  EXPECT_GE(cost(&kFiles, text, "a.html"), cost(&kFiles, text) + 3 * kBytes);
  EXPECT_EQ(parse_cost(record(&kFiles, text, "a.txt")).tree_bytes, 0u);
  EXPECT_EQ(cost(&kJson, numbers), cost(&kJsonl, numbers));
  EXPECT_GE(cost(&kCsv, std::string(kBytes, ',')), 64 * kBytes);
  EXPECT_LE(cost(&kCsv, text), 9 * kBytes);
  EXPECT_LE(cost(&kWikiextractor, text), 6 * kBytes);
  EXPECT_EQ(parse_cost(record(&kWikiextractor, page)).tree_bytes, 0u);
  // A character of two bytes takes three in UTF-8.
  std::string wide = "\xff\xfe";
  while (wide.size() < kBytes) wide += std::string("NNNN \0", 6);
  EXPECT_GE(cost(&kFiles, wide), 9 * kBytes);
}

// The limit of a page's elements is enough for ordinary pages.
TEST(ParseCost, LeavesPagesWhatTheyNeed) {
  const std::string words = "some words and more ";
  for (const std::string& row : std::vector<std::string>{
           "<p>" + words, "<br>", "<td>x", "<tr><td>1<td>2<td>3", "<p class=\"a b\" id=x>" + words + "</p>",
           "<ul><li><a href=\"/a/b?c=d\">x</a></ul>", "<div><div><div><b><i>x</i></b></div></div></div>",
           "<table><tr><td>" + words + "</td></tr></table>", words, "<input type=text name=a value=b disabled>",
           "<svg><path d=\"M 0 0\"/></svg>", "&amp;&eacute;x<!-- note -->"}) {
    for (const std::size_t bytes : {0u, 1'000u, 100'000u, 4'000'000u}) {
      std::string page = "<!DOCTYPE html><title>t</title>";
      while (page.size() < bytes) page += row;
      const ParseCost cost = parse_cost(record(&kFiles, page, "a.html"));
      EXPECT_TRUE(html_to_text(page, {cost.tree_bytes})) << bytes << " bytes of " << row;
      EXPECT_LT(cost.tree_bytes, cost.bytes + 1);
    }
  }
}

// Pieces of all sizes keep what was written to them, and are used again.
TEST(PageArena, KeepsPiecesApartAndWithinTheLimit) {
  std::mt19937 random(5);
  constexpr std::size_t kLimit = 20 << 20;
  PageArena arena(kLimit);
  struct Piece {
    unsigned char* at;
    std::size_t bytes;
    unsigned char mark;
  };
  std::vector<Piece> pieces;
  // The limit is not reached here, so there is no jump that would skip destructors.
  if (setjmp(arena.exhausted()) != 0) FAIL() << "exhausted";
  for (int i = 0; i < 20'000; ++i) {
    if (pieces.size() > 200) {
      const std::size_t which = random() % pieces.size();
      std::swap(pieces[which], pieces.back());
      for (const std::size_t at : {std::size_t{0}, pieces.back().bytes / 2, pieces.back().bytes - 1})
        ASSERT_EQ(pieces.back().at[at], pieces.back().mark) << i;
      PageArena::release(&arena, pieces.back().at);
      pieces.pop_back();
    }
    const std::size_t bytes = 1 + random() % (std::size_t{1} << (3 + random() % 15));
    auto* const at = static_cast<unsigned char*>(PageArena::allocate(&arena, bytes));
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(at) % 8, 0u);
    pieces.push_back({at, bytes, static_cast<unsigned char>(i)});
    std::memset(at, pieces.back().mark, bytes);
    ASSERT_LE(arena.bytes(), kLimit);
  }
}

// Allocates pieces of `bytes` bytes until the arena is exhausted. Returns how many bytes it gave.
std::size_t exhaust(PageArena& arena, std::size_t bytes) {
  volatile std::size_t given = 0;
  if (setjmp(arena.exhausted()) != 0) return given;
  for (;;) {
    PageArena::allocate(&arena, bytes);
    given = given + bytes;
  }
}

TEST(PageArena, JumpsWhereItsLimitIsReached) {
  constexpr std::size_t kLimit = 2 << 20;
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{100'000}, 50 * kLimit}) {
    PageArena arena(kLimit);
    const std::size_t given = exhaust(arena, bytes);
    EXPECT_LE(given, kLimit);
    EXPECT_GE(given, bytes < kLimit ? kLimit / 2 : 0) << bytes;
  }
}

TEST(ParseCost, CountsTheSeparatorsOfJson) {
  std::mt19937 random(7);
  for (const std::size_t size : {0, 1, 63, 64, 65, 1000, 70'000}) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>(random()));
    std::uint64_t expected = 0;
    for (const char c : {',', ':', '{', '}', '[', ']'}) expected += count_of(bytes, c);
    EXPECT_EQ(separators_of(bytes), expected) << size;
    EXPECT_EQ(expected, static_cast<std::uint64_t>(std::count_if(bytes.begin(), bytes.end(), [](char c) {
                return std::string_view(",:{}[]").find(c) != std::string_view::npos;
              })));
  }
}

TEST(ParseCost, OfAFormCountsWhatBecomesMuchLonger) {
  for (const std::string character : {"\u3316", "\u33af", "\u337f"}) {
    std::string text;
    for (int i = 0; i < 1000; ++i) text += character;
    EXPECT_GE(form_cost(text) + text_cost(text.size()), 2 * 18 * 1000u) << character;
  }
  EXPECT_EQ(form_cost("カタカナ 、。 中文 \u3013 \xe3"), 0u);
}

}  // namespace
}  // namespace frond::indexer::ingest
