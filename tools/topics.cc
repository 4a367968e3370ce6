#include "tools/topics.h"

#include <cctype>
#include <fstream>
#include <iterator>
#include <optional>

#include <nlohmann/json.hpp>

#include "common/text/utf8.h"

namespace frond::tools {
namespace {

using Topics = std::vector<Topic>;

Error invalid(std::string what) { return Error(Code::kInvalid, std::move(what)); }

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Runs of white space and control characters become one space; none at the ends.
std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) > ' ' && c != 0x7f)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

std::string latin1_to_utf8(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out += c;
    } else {
      out += static_cast<char>(0xc0 | byte >> 6);
      out += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return out;
}

Topic topic_of(std::string_view id, std::string_view text) {
  std::string words = one_line(text);
  if (!text::is_utf8(words)) words = one_line(latin1_to_utf8(words));
  std::string name = one_line(id);
  for (char& c : name)
    if (c == ' ') c = '_';  // spaces separate the columns of a run file
  return {std::move(name), std::move(words)};
}

// The text between the next `open` after `from` and the next `close`. Moves `from` behind `close`.
std::optional<std::string_view> between(std::string_view text, std::size_t& from, std::string_view open,
                                        std::string_view close) {
  const auto begin = text.find(open, from);
  if (begin == std::string_view::npos) return std::nullopt;
  const auto inside = begin + open.size();
  const auto end = text.find(close, inside);
  if (end == std::string_view::npos) return std::nullopt;
  from = end + close.size();
  return text.substr(inside, end - inside);
}

Result<Topics> parse_doc_form(std::string_view text) {
  Topics topics;
  std::size_t at = 0;
  while (const auto document = between(text, at, "<DOC>", "</DOC>")) {
    std::size_t inner = 0;
    const auto number = between(*document, inner, "<DOCNO>", "</DOCNO>");
    if (!number) return invalid("topic " + std::to_string(topics.size() + 1) + ": <DOC> without <DOCNO>");
    topics.push_back(topic_of(*number, document->substr(inner)));
  }
  if (text.find("<DOC>", at) != std::string_view::npos)
    return invalid("topic " + std::to_string(topics.size() + 1) + ": <DOC> without </DOC>");
  return topics;
}

// The text after `tag` up to the next tag. TREC topics may leave out closing tags.
std::string_view field(std::string_view topic, std::string_view tag) {
  const auto at = topic.find(tag);
  if (at == std::string_view::npos) return {};
  const auto rest = topic.substr(at + tag.size());
  return rest.substr(0, rest.find('<'));
}

std::string_view without_label(std::string_view text, std::string_view label) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  if (text.starts_with(label)) text.remove_prefix(label.size());
  return text;
}

Result<Topics> parse_trec(std::string_view text) {
  Topics topics;
  std::size_t at = 0;
  while (const auto body = between(text, at, "<top>", "</top>")) {
    auto topic =
        topic_of(without_label(field(*body, "<num>"), "Number:"), without_label(field(*body, "<title>"), "Topic:"));
    if (topic.id.empty()) return invalid("topic " + std::to_string(topics.size() + 1) + ": <top> without <num>");
    topics.push_back(std::move(topic));
  }
  if (text.find("<top>", at) != std::string_view::npos)
    return invalid("topic " + std::to_string(topics.size() + 1) + ": <top> without </top>");
  return topics;
}

// The first member of `names` that the object has, as text.
std::string member(const nlohmann::json& object, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto found = object.find(name);
    if (found == object.end()) continue;
    if (found->is_string()) return found->get<std::string>();
    if (found->is_number()) return found->dump();
  }
  return {};
}

Result<Topic> parse_json_line(std::string_view line, const std::string& number) {
  const auto object = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return invalid("line " + number + ": not a JSON object");
  const auto id = member(object, {"id", "_id", "qid"});
  const auto text = member(object, {"query", "text", "title"});
  if (text.empty()) return invalid("line " + number + ": no \"query\"");
  return topic_of(id.empty() ? number : id, text);
}

Topic parse_plain_line(std::string_view line, const std::string& number) {
  const auto tab = line.find('\t');
  if (tab != std::string_view::npos && tab > 0) return topic_of(line.substr(0, tab), line.substr(line.rfind('\t') + 1));
  std::size_t digits = 0;
  while (digits < line.size() && std::isdigit(static_cast<unsigned char>(line[digits]))) ++digits;
  if (digits > 0 && digits < line.size() && line[digits] == ':')
    return topic_of(line.substr(0, digits), line.substr(digits + 1));
  return topic_of(number, line);
}

Result<Topics> parse_lines(std::string_view text) {
  Topics topics;
  std::size_t number = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (one_line(line).empty()) continue;
    auto name = std::to_string(number);
    if (line.front() == '{')
      topics.push_back(FROND_TRY(parse_json_line(line, name)));
    else
      topics.push_back(parse_plain_line(line, name));
  }
  return topics;
}

}  // namespace

Result<Topics> parse_topics(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  Topics topics;
  if (text.find("<top>") != std::string_view::npos)
    topics = FROND_TRY(parse_trec(text));
  else if (text.find("<DOC>") != std::string_view::npos)
    topics = FROND_TRY(parse_doc_form(text));
  else
    topics = FROND_TRY(parse_lines(text));
  if (topics.empty()) return invalid("holds no topic");
  return topics;
}

Result<Topics> read_topics(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file)) return Error(Code::kNotFound, file.string() + ": can't be read");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  auto topics = parse_topics(text);
  if (!topics) return std::move(topics).error().within(file.string());
  return topics;
}

}  // namespace frond::tools
