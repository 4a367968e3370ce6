#pragma once
// The last step of wikitext_to_text().
#include <string>
#include <string_view>

namespace frond::indexer::ingest {

// White space in lines folded, and lines without letters or digits dropped. Brackets that lost their content, such as
// "( ; )" where a pronunciation was, are removed.
std::string folded_lines(std::string_view text);

}  // namespace frond::indexer::ingest
