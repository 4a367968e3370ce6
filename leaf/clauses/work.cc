#include "leaf/clauses/work.h"

#include <algorithm>
#include <variant>
#include <vector>

namespace frond::leaf::clauses {
namespace {

class Estimate {
 public:
  explicit Estimate(const ResolvedQuery& query) : query_(query), documents_(query.statistics.documents) {}

  Work of(const Node& node) const {
    Work work = std::visit([this](const auto& what) { return of_what(what); }, node.what);
    work.matches = std::min(work.matches, documents_);
    return work;
  }

 private:
  std::uint64_t df(ListNumber list) const { return query_.lists[list].df; }
  Work of_lists(const std::vector<ListNumber>& lists) const {
    Work work;
    for (const ListNumber list : lists) work.postings += df(list);
    work.matches = work.postings;
    return work;
  }
  // All of the nodes; their matches are those of any.
  Work of_any(const std::vector<Node>& nodes) const {
    Work work;
    for (const Node& node : nodes) {
      const Work one = of(node);
      work.postings += one.postings;
      work.values += one.values;
      work.matches += one.matches;
    }
    return work;
  }

  Work of_what(const NoneNode&) const { return {}; }
  Work of_what(const AllNode&) const { return {0, 0, documents_}; }
  Work of_what(const TermNode& node) const { return {df(node.list), 0, df(node.list)}; }
  Work of_what(const PhraseNode& node) const {
    Work work{0, 0, documents_};
    for (const PhraseNode::Word& word : node.words) {
      const Work one = of_lists(word.lists);
      work.postings += one.postings;
      work.matches = std::min(work.matches, one.matches);
    }
    return work;
  }
  Work of_what(const AnyTermNode& node) const { return of_lists(node.lists); }
  Work of_what(const ColumnNode&) const { return {0, documents_, documents_}; }
  Work of_what(const TextNode&) const { return {0, documents_, documents_}; }
  Work of_what(const IdsNode& node) const { return {0, 0, node.ids.size()}; }
  Work of_what(const BoolNode& node) const {
    Work work = of_any(node.should);
    if (node.minimum == 0) work.matches = documents_;
    for (const auto* const required : {&node.must, &node.filter, &node.must_not})
      for (const Node& one : *required) {
        const Work more = of(one);
        work.postings += more.postings;
        work.values += more.values;
        if (required != &node.must_not) work.matches = std::min(work.matches, more.matches);
      }
    return work;
  }
  Work of_what(const MaxNode& node) const { return of_any(node.of); }
  Work of_what(const ConstantNode& node) const { return of_any(node.of); }

  const ResolvedQuery& query_;
  const std::uint64_t documents_;
};

}  // namespace

Work work_of(const ResolvedQuery& query) { return Estimate(query).of(query.root); }

}  // namespace frond::leaf::clauses
