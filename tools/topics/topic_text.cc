#include "tools/topics/topic_forms.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/text/utf8.h"

namespace frond::tools {
namespace {

constexpr std::array<std::string_view, 13> kIdNames{"num",      "number",  "id",        "_id",         "qid",
                                                    "query_id", "queryid", "topic_id",  "question_id", "tid",
                                                    "docno",    "docid",   "identifier"};
constexpr std::array<std::string_view, 4> kQueryNames{"title", "query", "text", "question"};

std::string latin1_to_utf8(std::string_view text) {
  std::string out;
  for (const char c : text) text::append_utf8(static_cast<unsigned char>(c), out);
  return out;
}

std::string on_one_line(std::string_view text) {
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

}  // namespace

Error invalid(std::string what) { return Error(Code::kInvalid, std::move(what)); }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string one_line(std::string_view text) {
  return on_one_line(text::is_utf8(text) ? std::string(text) : latin1_to_utf8(text));
}

Result<Topic> topic_of(std::string_view id, std::string_view text, const std::string& place) {
  Topic topic{one_line(id), one_line(text)};
  if (topic.id.empty()) return Error(Code::kInvalid, place + ": no id");
  if (topic.text.empty()) return Error(Code::kInvalid, place + ": no words");
  std::replace(topic.id.begin(), topic.id.end(), ' ', '_');  // spaces separate the columns of a run file
  return topic;
}

std::string line_of(std::string_view text, std::size_t at) {
  return "line " + std::to_string(1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

std::span<const std::string_view> id_names() { return kIdNames; }
std::span<const std::string_view> query_names() { return kQueryNames; }

}  // namespace frond::tools
