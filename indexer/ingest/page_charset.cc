// charset_of_html() of charset.h.
#include <algorithm>

#include "indexer/ingest/charset.h"
#include "indexer/ingest/encoding_label.h"
#include "indexer/ingest/header_fields.h"
#include "indexer/ingest/html_tags.h"
#include "indexer/ingest/lines.h"

namespace frond::indexer::ingest {
namespace {

constexpr std::size_t kMetaPrescanBytes = 16 << 10;

// The value behind `key` and an equals sign, in quotation marks or up to a space, ';' or '?'. Empty: there is none.
std::string_view value_of(std::string_view text, std::string_view key) {
  const auto same = [](char a, char b) { return small_letter(a) == b; };
  for (;;) {
    const auto found = std::search(text.begin(), text.end(), key.begin(), key.end(), same);
    if (found == text.end()) return {};
    text = without_spaces(text.substr(static_cast<std::size_t>(found - text.begin()) + key.size()));
    if (!text.starts_with('=')) continue;
    text = without_spaces(text.substr(1));
    if (!text.starts_with('"') && !text.starts_with('\'')) return text.substr(0, text.find_first_of(" \t\r\n\f;?'\""));
    const std::size_t end = text.find(text.front(), 1);
    return end == text.npos ? std::string_view() : text.substr(1, end - 1);
  }
}

// What a page can mean by a label that it has in itself: it was read as ASCII so far.
std::string_view meant(std::string_view label) {
  const Encoding* const encoding = encoding_of(label);
  if (!encoding) return {};
  return encoding->form == CodeForm::kWide ? "utf-8" : label;
}

std::string_view charset_of_meta(std::string_view attributes) {
  std::string_view charset, content;
  bool of_type = false;
  while (const std::optional<Attribute> attribute = take_attribute(attributes)) {
    if (same_name(attribute->name, "http-equiv")) of_type = same_name(attribute->value, "content-type");
    if (same_name(attribute->name, "content") && content.empty()) content = value_of(attribute->value, "charset");
    if (same_name(attribute->name, "charset") && charset.empty()) charset = attribute->value;
  }
  const std::string_view direct = meant(charset);
  return direct.empty() && of_type ? meant(content) : direct;
}

}  // namespace

std::string_view charset_of_html(std::string_view bytes, std::string_view http) {
  if (encoding_of(http)) return http;
  const std::string_view head = bytes.substr(0, kMetaPrescanBytes);
  std::string_view in_xml;
  for (std::size_t at = head.find('<'); at < head.size(); at = head.find('<', at)) {
    const std::string_view rest = head.substr(at);
    if (rest.starts_with("<!--")) {
      at = comment_end(head, at);
    } else if (rest.starts_with("<?xml")) {
      in_xml = meant(value_of(rest.substr(0, rest.find('>')), "encoding"));
      at += 5;
    } else if (rest.size() > 1 && is_tag_letter(rest[1])) {
      const TagName name = tag_name_at(head, at + 1);
      const TagEnd end = tag_end(head, at + 1);
      if (name.view() == "body") break;
      if (name.view() == "meta") {
        const std::string_view label = charset_of_meta(attributes_of(head.substr(at, end.at - at)));
        if (!label.empty()) return label;
      }
      at = end.at;
    } else {
      ++at;
    }
  }
  return in_xml;
}

}  // namespace frond::indexer::ingest
