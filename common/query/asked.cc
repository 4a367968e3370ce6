#include "common/query/asked.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "common/text/word_sequence.h"

namespace frond::query {
namespace {

class Asking {
 public:
  explicit Asking(const AnalyzerOf& analyzer_of) : analyzer_of_(analyzer_of) {}

  // Whether anything is left.
  bool reduce(Clause& clause) const {
    return std::visit([this](auto& node) { return reduce_node(node); }, clause.node);
  }

 private:
  bool reduce_node(const auto& /*of values*/) const { return true; }
  bool reduce_node(const Words& words) const { return !analyzer_of_(words.field).query_terms(words.text).empty(); }
  bool reduce_node(const Phrase& phrase) const {
    text::Analyzer& analyzer = analyzer_of_(phrase.field);
    bool any = false;
    text::WordSequence().for_each(analyzer, phrase.text, [&](std::string_view term) { any = any || !term.empty(); });
    if (any || !phrase.prefix) return any;
    // The begun word at the end is one also if it looks like a stop word.
    text::AnalyzerConfig config = analyzer.config();
    config.stemmer = text::Stemmer::kNone;
    config.stop_words = false;
    text::Analyzer plain(config, /*cache_bits=*/0);
    text::WordSequence().for_each(plain, phrase.text, [&](std::string_view term) { any = !term.empty(); });
    return any;
  }
  // Whether any was left out.
  bool reduce_all(std::vector<Clause>& clauses) const {
    std::size_t left = 0;
    for (std::size_t i = 0; i < clauses.size(); ++i) {
      if (!reduce(clauses[i])) continue;
      if (left != i) clauses[left] = std::move(clauses[i]);
      ++left;
    }
    const bool any = left < clauses.size();
    clauses.erase(clauses.begin() + static_cast<std::ptrdiff_t>(left), clauses.end());
    return any;
  }
  bool reduce_node(Bool& both) const {
    const std::size_t written = both.should.size();
    const bool must = reduce_all(both.must), filter = reduce_all(both.filter), required = must || filter;
    const bool optional = reduce_all(both.should), excluded = reduce_all(both.must_not);
    if (!required && !optional && !excluded) return true;
    const bool needs_too_many =
        both.minimum && both.minimum->kind == MinimumMatch::Kind::kCount && both.minimum->number > written;
    if (needs_too_many) {
      both = {{}, {}, {}, {{None()}}, {}};
      return true;
    }
    const bool nothing_required = both.must.empty() && both.filter.empty();
    if (nothing_required && both.should.empty() && both.must_not.empty()) return false;
    if (both.minimum && both.minimum->kind != MinimumMatch::Kind::kAllFirst) {
      std::size_t needed = std::min(matches_needed(*both.minimum, both.should.size()), both.should.size());
      if (required && needed == 0 && nothing_required && !both.should.empty()) needed = 1;
      both.minimum = MinimumMatch{MinimumMatch::Kind::kCount, static_cast<std::uint32_t>(needed)};
    }
    return true;
  }
  bool reduce_node(Max& max) const { return !reduce_all(max.of) || !max.of.empty(); }
  bool reduce_node(Constant& constant) const { return reduce(constant.of.front()); }
  bool reduce_node(Boost& boost) const { return reduce(boost.of.front()); }

  const AnalyzerOf& analyzer_of_;
};

}  // namespace

std::optional<Clause> asked(Clause bound, const AnalyzerOf& analyzer_of) {
  if (Asking(analyzer_of).reduce(bound)) return bound;
  return {};
}

}  // namespace frond::query
