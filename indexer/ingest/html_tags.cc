#include "indexer/ingest/html_tags.h"

namespace frond::indexer::ingest {
namespace {

constexpr std::string_view kTagSpaces = " \t\n\r\f";
bool is_space(char c) { return kTagSpaces.find(c) != kTagSpaces.npos; }

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

TagEnd tag_end(std::string_view html, std::size_t at) {
  enum class In { kNames, kBeforeValue, kValue } in = In::kNames;
  for (; at < html.size(); ++at) {
    const char c = html[at];
    if (c == '>') return {at + 1, true, in == In::kNames && html[at - 1] == '/'};
    if (in == In::kNames) {
      if (c == '=') in = In::kBeforeValue;
    } else if (is_space(c)) {
      if (in == In::kValue) in = In::kNames;
    } else if (in == In::kBeforeValue) {
      in = In::kValue;
      if (c != '"' && c != '\'') continue;
      at = std::min(html.find(c, at + 1), html.size());
      in = In::kNames;
    }
  }
  return {html.size()};
}

std::string_view attributes_of(std::string_view tag) {
  tag.remove_prefix(std::min(tag.find_first_of(" \t\n\r\f/", 1), tag.size()));
  return tag.substr(0, tag.empty() ? 0 : tag.size() - 1);
}

std::optional<Attribute> take_attribute(std::string_view& attributes) {
  attributes.remove_prefix(std::min(attributes.find_first_not_of(" \t\n\r\f/"), attributes.size()));
  if (attributes.empty()) return std::nullopt;
  const std::size_t name_end = std::min(attributes.find_first_of(" \t\n\r\f/=", 1), attributes.size());
  Attribute attribute{attributes.substr(0, name_end), {}};
  attributes.remove_prefix(name_end);
  const std::size_t equals = attributes.find_first_not_of(kTagSpaces);
  if (equals == attributes.npos || attributes[equals] != '=') return attribute;
  attributes.remove_prefix(std::min(attributes.find_first_not_of(kTagSpaces, equals + 1), attributes.size()));
  if (attributes.empty()) return attribute;
  const char quote = attributes.front();
  const bool quoted = quote == '"' || quote == '\'';
  if (quoted) attributes.remove_prefix(1);
  const std::size_t end =
      std::min(quoted ? attributes.find(quote) : attributes.find_first_of(kTagSpaces), attributes.size());
  attribute.value = attributes.substr(0, end);
  attributes.remove_prefix(std::min(end + quoted, attributes.size()));
  return attribute;
}

std::size_t comment_end(std::string_view html, std::size_t at) {
  // "<!-->" and "<!--->" are whole comments.
  for (at = html.find("--", at + 2); at != html.npos; at = html.find("--", at + 1)) {
    const std::string_view behind = html.substr(at + 2, 2);
    if (behind.starts_with('>')) return at + 3;
    if (behind == "!>") return at + 4;
  }
  return html.size();
}

std::size_t find_end_tag(std::string_view html, std::size_t at, const TagName& name) {
  for (at = html.find("</", at); at != html.npos; at = html.find("</", at + 2))
    if (tag_name_at(html, at + 2) == name) return at;
  return html.npos;
}

std::size_t find_script_end(std::string_view html, std::size_t at) {
  enum class In { kScript, kComment, kInnerScript } in = In::kScript;
  const TagName script = tag_name_at("script", 0);
  for (at = html.find('<', at); at < html.size(); ++at) {
    if (in == In::kScript) at = std::min(html.find('<', at), html.size());
    const std::string_view rest = html.substr(at);
    if (rest.starts_with('-')) {
      if (in != In::kScript && rest.starts_with("-->")) in = In::kScript;
    } else if (!rest.starts_with('<')) {
      continue;
    } else if (rest.starts_with("</")) {
      if (tag_name_at(html, at + 2) != script) continue;
      if (in != In::kInnerScript) return at;
      in = In::kComment;
    } else if (in == In::kScript) {
      if (rest.starts_with("<!--")) in = In::kComment, ++at;
    } else if (in == In::kComment && tag_name_at(html, at + 1) == script) {
      in = In::kInnerScript;
    }
  }
  return html.npos;
}

}  // namespace frond::indexer::ingest
