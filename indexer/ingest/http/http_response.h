#pragma once
// Lines of "Name: value", as heads of WARC records, HTTP messages and web pages in TREC collections have them. Views of
// the text that was parsed.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "indexer/ingest/files/skipped.h"
#include "indexer/ingest/http/content_coding.h"

namespace frond::indexer::ingest {

// Where the empty line after a head's fields ends. Lines end with "\r\n" or "\n". npos: `text` has no empty line.
std::size_t head_end(std::string_view text);

class HeaderFields {
 public:
  static constexpr std::size_t kMaxFields = 1000;  // further ones are ignored

  // `lines` has no status line. Lines without a colon, and those that go on with the line before, are ignored.
  static HeaderFields parse(std::string_view lines);
  // The trimmed value of the first field of this name, in any case. Empty: there is none.
  std::string_view value(std::string_view name) const;
  bool has(std::string_view name) const;

 private:
  struct Field {
    std::string_view name, value;
  };
  const Field* find(std::string_view name) const;
  std::vector<Field> fields_;
};

// What a web server says that its answer is: "text/html; charset=UTF-8".
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

// An HTTP response as WARC records and TREC's web collections hold it: its head, as far as the reader of its page needs
// it (RFC 9112).
struct HttpResponse {
  std::size_t head_bytes = 0;  // up to the body
  int status = 0;
  MediaType type;  // views of the head
  std::vector<Coding> codings;
  bool codings_known = true;  // false: the body has a coding that is not read
};

// A response that begins with its status line. Heads of interim responses (status 1xx) before it count to its head. No
// value: `text` does not begin with a response, or its head has no end.
std::optional<HttpResponse> http_response(std::string_view text);

}  // namespace frond::indexer::ingest
