#pragma once
// A query as one generation answers it: the tree of a clause with the terms of the generation in place of words, their
// weights, and nothing left to look up. The same for all partitions, so that any partitioning gives the same hits.
//
// What a document's score is: each node that the document matches has a score, 0 … scoring::kMaxScore.
//   term      scoring::contribution() of its weight, with the field's lengths for the lists of a field; of a weights
//             clause times the token's weight
//   phrase    the same with the number of its places as frequency, and the sum of its words' weights
//   any term  1 (a prefix or a wildcard over text)
//   bool      the sum of `must` and of those of `should` that match
//   max       the best, and `tie_breaker` of the sum of the others
//   constant  its score
//   others    0
// and times the node's boost, rounded down. Sums end at kMaxScore, whatever is added, in any order.
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "common/query/clause.h"
#include "common/scoring/bm25.h"

namespace frond::leaf::clauses {

inline constexpr std::uint32_t kAllText = 0xffffffff;  // in place of a field: the lists of all text fields

// A list that the query reads, by its place in ResolvedQuery::lists.
using ListNumber = std::uint32_t;
struct QueryList {
  std::string term;                // of the list; of a field: text::field_term()
  std::uint32_t field = kAllText;  // whose lengths its scores use
  std::uint64_t df = 0;            // in the generation, at least 1
};

struct Node;
struct NoneNode {};
struct AllNode {};
struct TermNode {
  ListNumber list = 0;
  float weight = 0;
};
// A document matches if each word stands at a place of its own in one text field, so that place − number of all words
// differ by at most `slop`. How often it matches is the number of places of the first word for which there are places
// for the others.
struct PhraseNode {
  struct Word {
    std::uint32_t number = 0;       // in the text; words without a term count, too. The first has 0; ascending
    std::vector<ListNumber> lists;  // one; of the last word any of these, if it is the beginning of a word
  };
  std::vector<Word> words;  // at least two
  std::uint32_t slop = 0;
  std::uint32_t field = kAllText;  // kAllText: in any field that has positions
  float weight = 0;
};
// Of its words.
inline std::vector<std::uint32_t> numbers_of(const PhraseNode& phrase) {
  std::vector<std::uint32_t> numbers;
  for (const PhraseNode::Word& word : phrase.words) numbers.push_back(word.number);
  return numbers;
}
struct AnyTermNode {
  std::vector<ListNumber> lists;  // at least one
};
// Values of a column: a leaf clause with typed values.
struct ColumnNode {
  std::uint32_t field = 0;
  query::Clause leaf;
};
// Documents with words in the field.
struct TextNode {
  std::uint32_t field = 0;
};
struct IdsNode {
  std::vector<std::string> ids;
};
struct BoolNode {
  std::vector<Node> must, should, must_not, filter;
  std::size_t minimum = 0;  // of `should`; at most as many as there are
};
struct MaxNode {
  std::vector<Node> of;
  query::Factor tie_breaker;
};
struct ConstantNode {
  std::vector<Node> of;  // one
  scoring::Score score = 0;
};
struct Node {
  std::variant<NoneNode, AllNode, TermNode, PhraseNode, AnyTermNode, ColumnNode, TextNode, IdsNode, BoolNode, MaxNode,
               ConstantNode>
      what;
  query::Factor boost;
};

struct ResolvedQuery {
  Node root;
  std::vector<QueryList> lists;  // their terms differ
  scoring::Bm25Parameters bm25;
  scoring::CollectionStatistics statistics;
  std::map<std::uint32_t, scoring::LengthNorm> norms;  // of all text (kAllText) and of the fields of `lists`
};

}  // namespace frond::leaf::clauses
