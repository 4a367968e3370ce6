#pragma once
// Text that reads on: folded white space, and Markdown without its marks.
#include <string>
#include <string_view>

namespace frond::indexer::ingest {

struct TitledText {
  std::string title, body;
};

// Appends pieces of text to one string: runs of white space and control characters become one space, or one line's end
// where line() was asked for in between; none at the beginning. U+00A0 is white space.
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

// Without control characters but tab and line end; lines and spaces stay.
std::string readable(std::string_view utf8);

// The first heading of a text that underlines its headings, as reStructuredText does; empty when there is none near the
// beginning.
std::string underlined_heading(std::string_view utf8);

// The words of a Markdown text: no heading, list, emphasis and code marks, no link targets, no comments, no front
// matter. The title is the front matter's, else the first heading; it stays in the body when it is a heading.
TitledText markdown_to_text(std::string_view utf8);

}  // namespace frond::indexer::ingest
