#pragma once
// Plain text: white space folded, and Markdown without its marks.
#include <string>
#include <string_view>

namespace frond::indexer::ingest {

struct TitledText {
  std::string title, body;
};

// Appends pieces of text to one string. A run of white space and control characters becomes one space, or one line end
// if line() was called in between; at the beginning it is dropped. U+00A0 is white space.
class TextFolder {
 public:
  explicit TextFolder(std::string& out) : out_(out) {}
  void text(std::string_view utf8);
  void space() { owed_ = owed_ == '\n' ? '\n' : ' '; }
  void line() { owed_ = '\n'; }

 private:
  std::string& out_;
  char owed_ = '\0';
};
std::string folded(std::string_view utf8);

// The sign of the link that documentation has at its headings.
inline constexpr std::string_view kPilcrow = "\xc2\xb6";
// A title without what belongs to its heading: pilcrows at its end, or behind a word and before a space; "{#id .class}"
// at its end.
std::string tidy_title(std::string_view title);

// Without control characters except tab and line end. Lines and spaces stay.
std::string readable(std::string_view utf8);

// The first heading of a text that underlines its headings, as reStructuredText does. Empty: there is none near the
// beginning.
std::string underlined_heading(std::string_view utf8);

// The text of Markdown without the marks of headings, lists, emphasis and code, and without link targets, attributes of
// headings, comments and front matter. The title is the front matter's, or else the first heading, which also stays in
// the body.
TitledText markdown_to_text(std::string_view utf8);

// Manual pages (roff with the man or mdoc macros) to text.

// Whether a text is a manual page: it begins with requests, among them .TH, .Dd or .so.
bool looks_like_man_page(std::string_view text);

// The text of a page, one line a source line or heading. Macros and escapes are removed, common special characters
// become their characters; macro definitions, conditional parts for typesetters and equations are dropped. Not a roff
// interpreter: registers and strings that the page defines are empty. The title is "ls(1) - list directory contents",
// or as much of it as the page has.
TitledText man_page_to_text(std::string_view utf8);

}  // namespace frond::indexer::ingest
