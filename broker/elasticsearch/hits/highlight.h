#pragma once
// Where a query's terms are in the fields of a hit: fragments of text with the terms between tags. Pure functions.
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "broker/elasticsearch/search/index_search.h"

namespace frond::broker::elasticsearch {

// What a query looks for, by column.
struct HighlightTerms {
  std::set<std::string, std::less<>> terms = {}, prefixes = {}, patterns = {};
  std::vector<std::vector<std::string>> phrases = {};  // whose words count where they stand together
};
using QueryTerms = std::map<std::string, HighlightTerms, std::less<>>;

struct HighlightField {
  const MappedField* field = nullptr;
  std::string before = "<em>", after = "</em>";
  std::size_t size = 100, fragments = 5;            // characters; of 0 fragments the whole text is one
  bool any_field = false;                           // terms of other fields count, too
  bool html = false;                                // the text is escaped
  std::size_t no_match = 0;                         // characters of what has no term
  bool words = false;                               // fragments are the terms alone
  std::shared_ptr<const QueryTerms> own = nullptr;  // of a "highlight_query"; null: those of the search
};
// What a search's "highlight" asks for of an index. 400; 501: what Frond lacks, by name.
Expected<std::vector<HighlightField>> read_highlight(const Json& json, const Mapping& mapping);

QueryTerms terms_of(const query::Clause& clause, text::Analyzer& analyzer);

// {"field":["… <em>term</em> …"]}; null: nothing is there.
Json highlighted(const Json& source, const std::vector<HighlightField>& fields, const QueryTerms& terms,
                 text::Analyzer& analyzer);
// Of those hits that are of this index. `asked`: what read_highlight() has read; `query`: empty: nothing is looked for.
void add_highlights(const Json& asked, const Mapping& mapping, const std::optional<query::Clause>& query,
                    std::size_t index, std::vector<Hit>& hits);

}  // namespace frond::broker::elasticsearch
