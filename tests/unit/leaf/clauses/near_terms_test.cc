// What the walk over a dictionary finds, compared with every distance computed by itself.
#include "leaf/clauses/resolve/near_terms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <random>
#include <vector>

#include "common/text/field_term.h"
#include "common/text/utf8.h"
#include "leaf/clauses/resolve/edit_walk.h"

namespace frond::leaf::clauses {
namespace {

// Terms in memory. Counts what is visited.
class ListedTerms final : public partition::GenerationTerms {
 public:
  std::map<std::string, std::uint64_t> terms;
  mutable std::size_t visits = 0;

  Result<std::uint64_t> df(std::string_view term) const override {
    const auto found = terms.find(std::string(term));
    if (found == terms.end()) return Error(Code::kNotFound, "no such term");
    return found->second;
  }
  std::unique_ptr<partition::DfReader> reader() const override { return nullptr; }
  const partition::TermTotals& totals() const override { return totals_; }
  Result<void> for_each_from(std::string_view first, const Visit& visit) const override {
    for (auto at = terms.lower_bound(std::string(first)); at != terms.end(); ++at) {
      ++visits;
      if (!visit(at->first, at->second)) break;
    }
    return {};
  }
  Result<void> verify_checksums() const override { return {}; }
  Result<void> intact() const override { return {}; }
  Result<void> check_files() const override { return {}; }

 private:
  partition::TermTotals totals_;
};

std::vector<char32_t> letters_of(std::string_view text) {
  std::vector<char32_t> letters;
  for (std::size_t at = 0; at < text.size();) {
    const text::CodePoint one = text::decode_utf8(text, at);
    letters.push_back(one.value);
    at += one.bytes;
  }
  return letters;
}

std::uint32_t edits_between(const std::vector<char32_t>& a, const std::vector<char32_t>& b, bool swaps) {
  std::vector<std::vector<std::uint32_t>> cells(a.size() + 1, std::vector<std::uint32_t>(b.size() + 1));
  for (std::uint32_t i = 0; i <= a.size(); ++i)
    for (std::uint32_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cells[i][j] = i + j;
        continue;
      }
      const std::uint32_t replaced = cells[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cells[i][j] = std::min({cells[i - 1][j] + 1, cells[i][j - 1] + 1, replaced});
      if (swaps && i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cells[i][j] = std::min(cells[i][j], cells[i - 2][j - 2] + 1);
    }
  return cells[a.size()][b.size()];
}

query::NearTerms expected(const query::NearWord& asked, const std::string& prefix, const ListedTerms& dictionary) {
  query::NearTerms wanted;
  const auto own = dictionary.terms.find(prefix + asked.word);
  if (own != dictionary.terms.end()) wanted.df = own->second;
  if (asked.only_absent && wanted.df > 0) return wanted;
  const auto word = letters_of(asked.word);
  struct One {
    query::NearTerm term;
    float nearness = 0;
  };
  std::vector<One> all;
  for (const auto& [term, df] : dictionary.terms) {
    if (!term.starts_with(prefix) || (prefix.empty() && text::is_field_term(term))) continue;
    const std::string text = term.substr(prefix.size());
    const auto other = letters_of(text);
    const std::size_t same = std::min<std::size_t>(asked.same_letters, word.size());
    if (other.size() < same ||
        !std::equal(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(same), other.begin()))
      continue;
    const std::uint32_t edits = edits_between(word, other, asked.swaps);
    const float nearness = query::nearness(edits, word.size(), other.size());
    if (edits == 0 || edits > asked.edits || df < asked.least_df || nearness < asked.least_nearness ||
        (asked.more_frequent && df <= wanted.df))
      continue;
    all.push_back({{text, df, edits}, nearness});
  }
  std::ranges::stable_sort(all, [](const One& a, const One& b) { return a.nearness > b.nearness; });
  std::size_t of_one = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool nearest_of_one = all[i].term.edits == 1 && of_one++ < asked.most;
    if (i < asked.most || nearest_of_one) wanted.terms.push_back(all[i].term);
  }
  return wanted;
}

schema::Schema schema_of_two() {
  schema::Schema schema;
  schema.fields.push_back({.name = "title", .field_search = true});
  schema.fields.push_back({.name = "body"});
  schema.fields.push_back({.name = "note", .field_search = true});
  return schema;
}

TEST(NearTerms, AreThoseOfEveryDistanceComputed) {
  const std::uint64_t seed = std::random_device{}();
  std::printf("seed %lu\n", static_cast<unsigned long>(seed));
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  const std::string_view alphabet[] = {"a", "b", "c", "é", "ß", "水", "😀"};
  const auto word = [&](std::size_t most) {
    std::string made;
    for (std::size_t left = 1 + below(most); left > 0; --left) made += alphabet[std::min(below(7), below(7))];
    return made;
  };
  const schema::Schema schema = schema_of_two();
  for (int round = 0; round < 120; ++round) {
    ListedTerms dictionary;
    const std::size_t longest = 2 + below(9);
    for (std::size_t i = below(400); i > 0; --i) {
      const std::string prefix = below(2) == 0 ? "" : text::field_term(below(2) == 0 ? 0 : 2, "");
      dictionary.terms[prefix + word(longest)] = 1 + below(9);
    }
    for (int i = 0; i < 10; ++i) {
      query::NearWord asked;
      const std::size_t field = below(3);
      asked.field = field == 0 ? "" : field == 1 ? "title" : "note";
      asked.word = word(longest);
      asked.edits = static_cast<std::uint32_t>(below(3));
      asked.swaps = below(2) == 0;
      asked.same_letters = static_cast<std::uint32_t>(below(4));
      if (below(2) == 0) asked.least_nearness = static_cast<float>(below(10)) / 10.0F;
      asked.least_df = below(3);
      asked.more_frequent = below(4) == 0;
      asked.only_absent = below(4) == 0;
      asked.most = static_cast<std::uint32_t>(1 + below(20));
      std::size_t looks = 1'000'000;
      const auto got = near_terms(asked, schema, dictionary, looks, [] { return false; });
      ASSERT_TRUE(got) << got.error().message();
      const std::string prefix = field == 0 ? "" : text::field_term(field == 1 ? 0 : 2, "");
      EXPECT_EQ(*got, expected(asked, prefix, dictionary)) << asked.word << " in round " << round;
    }
  }
}

TEST(NearTerms, OfABeginningAreTheFirstInByteOrder) {
  ListedTerms dictionary;
  const std::string prefix = text::field_term(0, "");
  for (const char* const word : {"ab", "b", "ba", "bab", "bb", "c"}) dictionary.terms[prefix + word] = 2;
  for (int i = 0; i < 1000; ++i) dictionary.terms[text::field_term(2, "b" + std::to_string(i))] = 1;
  const auto found = [&](const char* word, std::uint32_t most, std::size_t looks = 10) {
    return near_terms({.field = "title", .word = word, .edits = query::kAnyEnding, .most = most}, schema_of_two(),
                      dictionary, looks, [] { return false; });
  };
  EXPECT_EQ(found("b", 9), (query::NearTerms{2, {{"ba", 2, 1}, {"bab", 2, 1}, {"bb", 2, 1}}}));
  dictionary.visits = 0;
  EXPECT_EQ(found("b", 1), (query::NearTerms{2, {{"ba", 2, 1}}}));
  EXPECT_LE(dictionary.visits, 3u);
  EXPECT_EQ(found("", 9)->terms.size(), 6u);
  EXPECT_FALSE(found("", 9, 3)->whole);
}

TEST(NearTerms, AreFoundWithoutALookAtAllTerms) {
  ListedTerms dictionary;
  for (int i = 0; i < 200'000; ++i) {
    char text[16];
    std::snprintf(text, sizeof text, "%c%06d", i % 2 == 0 ? 'g' : 'h', i);
    dictionary.terms[text] = 1;
  }
  dictionary.terms["h099999"] = 7;
  const auto asked = query::NearWord{.word = "h09999", .same_letters = 1};
  std::size_t looks = 1'000'000;
  const auto found = near_terms(asked, {}, dictionary, looks, [] { return false; });
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, expected(asked, "", dictionary));
  EXPECT_LT(dictionary.visits, 50'000u);  // of 100,000 that begin with h
}

TEST(NearTerms, HaveLimits) {
  ListedTerms dictionary;
  for (int i = 0; i < 1000; ++i) dictionary.terms["wo" + std::to_string(i)] = 1;
  const query::NearWord asked{.word = "wo1"};
  std::size_t looks = 100;
  const auto cut = near_terms(asked, {}, dictionary, looks, [] { return false; });
  EXPECT_EQ(looks, 0u);
  looks = 100'000;
  ASSERT_TRUE(cut);
  EXPECT_FALSE(cut->whole);
  EXPECT_EQ(near_terms(asked, {}, dictionary, looks, [] { return true; }), Code::kDeadline);
  const schema::Schema schema = schema_of_two();
  for (const char* const field : {"nosuch", "body"})
    EXPECT_EQ(near_terms({.field = field, .word = "x"}, schema, dictionary, looks, [] { return false; }),
              Code::kInvalid);
}

TEST(AnEditWalk, CountsSwapsOfEachLetterOnce) {
  const auto edits = [](const char* word, const char* text, bool swaps) {
    const auto found = EditWalk(word, 2, swaps).look_at(text);
    return found ? static_cast<int>(found->edits) : -1;
  };
  EXPECT_EQ(edits("ab", "ba", true), 1);
  EXPECT_EQ(edits("ab", "ba", false), 2);
  EXPECT_EQ(edits("ca", "abc", true), -1);  // a swap, and a letter between both
  EXPECT_EQ(edits("", "ab", true), 2);
  EXPECT_EQ(edits("ab", "", true), 2);
  EXPECT_EQ(edits("abc", "", true), -1);
}

}  // namespace
}  // namespace frond::leaf::clauses
