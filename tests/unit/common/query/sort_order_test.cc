// Orders of hits: their text, and bytes that sort as they say.
#include "common/query/sort_order.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/query_schema.h"

namespace frond::query {
namespace {

std::string parsed(std::string_view text) {
  const auto order = parse_sort(text);
  return order ? sort_text(*order) : order.error().message();
}

TEST(SortOrder, SaysEverythingInItsText) {
  EXPECT_EQ(parsed("year"), "year:asc:last");
  EXPECT_EQ(parsed("year:desc:first, tag:first,_score ,_order:desc"),
            "year:desc:first,tag:asc:first,_score:desc,_order:desc");
  EXPECT_EQ(parsed("_score:asc,_order,year"), "_score:asc,_order:asc");
  EXPECT_EQ(*parse_sort("_order,_score"), *parse_sort("_order"));
  for (const char* text : {"year:desc:first", "_score,price", "_order:desc"})
    EXPECT_EQ(parsed(parsed(text)), parsed(text));
}

TEST(SortOrder, NamesTheKeyThatIsWrong) {
  EXPECT_EQ(parsed(""), "key '' begins with no name of a field, _score or _order");
  EXPECT_EQ(parsed("year,"), "key '' begins with no name of a field, _score or _order");
  EXPECT_EQ(parsed("year:down"), "key 'year:down' has 'down', where asc or desc and then first or last can be");
  EXPECT_EQ(parsed("year:last:asc"), "key 'year:last:asc' has 'asc', where asc or desc and then first or last can be");
  EXPECT_EQ(parsed("_score:desc:first"),
            "key '_score:desc:first' has first, and all documents have a score and a place");
  EXPECT_EQ(parsed("year,tag,year:desc"), "key 'year:desc' is there twice");
  EXPECT_EQ(parsed("a,b,c,d,e,f,g,h,i"), "key 'i' is one more than 8 keys");
  const auto refused = [](std::string_view text) {
    return check_sort(*parse_sort(text), support::query_schema()).error().message();
  };
  EXPECT_TRUE(check_sort(*parse_sort("tag,published,_score"), support::query_schema()));
  EXPECT_EQ(refused("yaer"), "field 'yaer' is not in the schema; the nearest names are year, lang, open");
  EXPECT_EQ(refused("tag,title"), "field 'title' is text, and only columns can order hits");
}

// What a random document has of year, tag and its score.
struct Sorted {
  std::optional<std::int64_t> year;
  std::optional<std::string> tag;
  scoring::Score score = 0;
  Ordinal ordinal = 0;
};

template <class T>
int compared(const std::optional<T>& a, const std::optional<T>& b, const SortKey& key) {
  if (a.has_value() != b.has_value()) return a.has_value() == key.missing_first ? 1 : -1;
  if (!a || *a == *b) return 0;
  return (*a < *b) == key.descending ? 1 : -1;
}

std::string bytes_of(const SortOrder& order, const Sorted& document) {
  std::string bytes;
  std::optional<std::uint64_t> year;
  if (document.year) year = schema::ordering_key(schema::FieldType::kInteger, *document.year);
  SortBytes::add_number(order[0], year, bytes);
  SortBytes::add_keyword(order[1], document.tag, bytes);
  SortBytes::add_score(order[2], document.score, bytes);
  SortBytes::add_order(order[3], document.ordinal, bytes);
  return bytes;
}

TEST(SortBytes, HaveTheOrderOfTheHitsAndTheirValues) {
  std::mt19937 random(11);
  const auto pick = [&](unsigned count) { return static_cast<unsigned>(random() % count); };
  for (int round = 0; round < 2000; ++round) {
    const char* const ways[] = {"asc:first", "asc:last", "desc:first", "desc:last"};
    const char* const plain[] = {"asc", "desc"};
    const std::string text = std::string("year:") + ways[pick(4)] + ",tag:" + ways[pick(4)] +
                             ",_score:" + plain[pick(2)] + ",_order:" + plain[pick(2)];
    const SortOrder order = *parse_sort(text);
    const auto document = [&] {
      Sorted one;
      if (pick(4) != 0) one.year = static_cast<std::int64_t>(pick(3)) - 1;
      if (pick(4) != 0) {
        one.tag.emplace();
        for (unsigned left = pick(4); left > 0; --left) *one.tag += std::string("\0\1a\xff", 4)[pick(4)];
      }
      one.score = pick(3);
      one.ordinal = pick(1000);
      return one;
    };
    const Sorted a = document(), b = document();
    int want = compared(a.year, b.year, order[0]);
    if (want == 0) want = compared(a.tag, b.tag, order[1]);
    if (want == 0) want = compared(std::optional(a.score), std::optional(b.score), order[2]);
    if (want == 0) want = compared(std::optional(a.ordinal), std::optional(b.ordinal), order[3]);
    const std::string bytes = bytes_of(order, a);
    const int got = bytes.compare(bytes_of(order, b));
    EXPECT_EQ(got < 0 ? -1 : got > 0 ? 1 : 0, want) << text;
    const auto values = read_sort_bytes(bytes, order, support::query_schema());
    ASSERT_TRUE(values && values->size() == 4) << text;
    EXPECT_EQ((*values)[0].value, a.year ? std::optional<schema::Value>(*a.year) : std::nullopt);
    EXPECT_EQ((*values)[1].value, a.tag ? std::optional<schema::Value>(*a.tag) : std::nullopt);
    EXPECT_EQ((*values)[2].score, a.score);
    EXPECT_EQ((*values)[3].ordinal, a.ordinal);
  }
}

TEST(SortBytes, OfOthersAreRefused) {
  const SortOrder order = *parse_sort("year,tag:desc,_score,_order");
  const std::string bytes = bytes_of(order, {5, std::string("a\0b", 3), 7, 9});
  const auto fields = support::query_schema();
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_EQ(read_sort_bytes(bytes.substr(0, size), order, fields), Code::kCorrupt) << size;
  EXPECT_EQ(read_sort_bytes(bytes + "x", order, fields), Code::kCorrupt);
  EXPECT_EQ(read_sort_bytes(bytes, *parse_sort("year,_order"), fields), Code::kCorrupt);
  EXPECT_EQ(read_sort_bytes("", *parse_sort("nosuch"), fields), Code::kCorrupt);
  std::string long_word;
  SortBytes::add_keyword(order[1], std::string(schema::kMaxKeywordBytes, '\0'), long_word);
  EXPECT_TRUE(read_sort_bytes(long_word, *parse_sort("tag:desc"), fields));
  EXPECT_LE(long_word.size() * kMaxSortKeys, kMaxSortBytes);
  SortBytes::add_keyword(order[1], std::string(schema::kMaxKeywordBytes + 1, 'x'), long_word = "");
  EXPECT_EQ(read_sort_bytes(long_word, *parse_sort("tag:desc"), fields), Code::kCorrupt);
  EXPECT_EQ(read_sort_bytes("\1\xff\xff\xff\xff\xff\xff\xff\xff", *parse_sort("price"), fields),
            Code::kCorrupt);  // NaN
}

}  // namespace
}  // namespace frond::query
