#pragma once
// What a web server says that its answer is: "text/html; charset=UTF-8".
#include <optional>
#include <string>
#include <string_view>

#include "indexer/ingest/skipped.h"

namespace frond::indexer::ingest {

struct MediaType {
  std::string essence;       // "text/html", in lower case. Empty: none, or nonsense
  std::string_view charset;  // a view of what was parsed. Empty: none
};
MediaType media_type(std::string_view content_type);
// Of a MediaType's essence.
bool is_xhtml(std::string_view essence);

enum class TextType {
  kHtml,     // also XHTML
  kText,     // shown as it is
  kUnknown,  // decided by the content
};
// What text a page of this type holds; or why it is skipped.
struct PageType {
  TextType text = TextType::kUnknown;
  std::optional<SkipReason> skip_because;
};
PageType page_type(std::string_view essence);

// What a page is, by the type that its server named and by its content: many servers name a wrong one. Unknown content
// that is text is kText. `begin`: the first kSniffBytes of the page.
PageType page_type(TextType named, std::string_view begin);

}  // namespace frond::indexer::ingest
