#pragma once
// Why a document has its score: the clauses of a query that it matches, and what each of them gives.
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/schema/schema.h"
#include "leaf/clauses/searched_partition.h"

namespace frond::leaf::clauses {

inline constexpr std::size_t kMaxShownClauses = 256;  // of one document

// A clause that the document matches. Its score follows from its members (docs/http-api.md, "Explanations").
struct Explanation {
  std::string clause;  // for people
  std::uint64_t score = 0;
  // "bm25", "impact", "prior": from `numbers`; "constant"; "sum", "max", "times": from `of`; "rest" of a sum. Empty: it
  // adds nothing.
  std::string_view how = {};
  std::string numbers = {};  // further members of the JSON object: `,"weight":1.5`
  std::vector<Explanation> of = {};
};
// A JSON object, of at most kMaxShownClauses clauses: of a sum, the rest is one clause; of others `of` is left out, and
// `"cut":true` says so.
std::string explanation_json(const Explanation& explanation);

// One thread.
class Explainer {
 public:
  // Borrows both. Of the plan it reads the query and its lists, the partition, lengths, priors and the deadline.
  Explainer(const ClausePlan& plan, const schema::Schema& schema, const Clock& clock);

  // The document's score, as search() has it. Empty: the document does not match. kCorrupt, kUnavailable, kDeadline.
  Result<std::optional<Explanation>> explain(DocId docid);

 private:
  using Made = std::optional<Explanation>;

  Result<Made> of_node(const Node& node, DocId docid);
  Result<Made> of(const NoneNode&, DocId) { return Made(); }
  Result<Made> of(const AllNode&, DocId) { return Made(Explanation{"*:*"}); }
  Result<Made> of(const TermNode& node, DocId docid);
  Result<Made> of(const PhraseNode& node, DocId docid);
  Result<Made> of(const AnyTermNode& node, DocId docid);
  Result<Made> of(const ColumnNode& node, DocId docid);
  Result<Made> of(const TextNode& node, DocId docid);
  Result<Made> of(const IdsNode& node, DocId docid);
  Result<Made> of(const BoolNode& node, DocId docid);
  Result<Made> of(const MaxNode& node, DocId docid);
  Result<Made> of(const ConstantNode& node, DocId docid);

  Result<Frequency> frequency_of(ListNumber list, DocId docid) const;  // 0: the document does not have the term
  Result<std::uint32_t> places_of(const PhraseNode& node, DocId docid) const;
  Explanation bm25(std::string clause, std::uint32_t field, float weight, double idf, Frequency frequency,
                   DocId docid) const;
  double idf_of(ListNumber list) const;
  std::string in_field(std::uint32_t field, std::string_view text) const;
  std::string name_of(ListNumber list) const;

  const ClausePlan& plan_;
  const schema::Schema& schema_;
  const Clock& clock_;
  std::map<const IdsNode*, std::set<DocId>> ids_;
  std::map<const ColumnNode*, std::string> texts_;
};

}  // namespace frond::leaf::clauses
