#include "indexer/ingest/html_tags.h"

namespace frond::indexer::ingest {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

constexpr std::array<std::string_view, 8> kRaw = {"script",  "style",    "title", "textarea",
                                                  "noembed", "noframes", "xmp",   "iframe"};

}  // namespace

TagName tag_name_at(std::string_view html, std::size_t at) {
  TagName name;
  for (std::size_t i = 0; i < TagName::kMaxLetters && at + i < html.size(); ++i) {
    const char c = html[at + i];
    if (is_space(c) || c == '>' || c == '/') break;
    name.letters[i] = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  }
  return name;
}

std::size_t tag_end(std::string_view html, std::size_t at) {
  char quote = '\0';
  for (; at < html.size(); ++at) {
    const char c = html[at];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '>') {
      return at + 1;
    } else if ((c == '"' || c == '\'') && html[at - 1] == '=') {
      quote = c;
    }
  }
  return html.size();
}

bool is_raw_element(const TagName& name) { return std::ranges::find(kRaw, name.view()) != kRaw.end(); }

std::size_t raw_element_end(std::string_view html, std::size_t at, const TagName& name) {
  for (at = html.find("</", at); at != html.npos; at = html.find("</", at + 2))
    if (tag_name_at(html, at + 2) == name) return at;
  return html.size();
}

}  // namespace frond::indexer::ingest
