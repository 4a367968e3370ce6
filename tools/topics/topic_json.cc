#include "tools/topics/topic_forms.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace frond::tools {
namespace {

using Json = nlohmann::json;
using Topics = std::vector<Topic>;

constexpr std::array<std::string_view, 4> kWords{"query", "text", "title", "question"};

Json parsed(std::string_view text) { return Json::parse(text, nullptr, /*allow_exceptions=*/false); }

std::optional<std::string> text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return value.dump();
  return std::nullopt;
}

// The first of `names` that the object has, in any case of letters, as text.
std::optional<std::string> member(const Json& object, std::span<const std::string_view> names) {
  for (const auto name : names)
    for (const auto& [key, value] : object.items())
      if (lower_case(key) == name)
        if (auto text = text_of(value)) return text;
  return std::nullopt;
}

std::string names_in(const Json& object) {
  std::string names;
  for (const auto& [key, value] : object.items())
    if (names.size() < 200) names += (names.empty() ? "\"" : ", \"") + one_line(key) + "\"";
  return names;
}

// `id`: of an object that has none.
Result<Topic> topic_of(const Json& object, const std::string& id, std::string_view field, const std::string& place) {
  if (!object.is_object()) return invalid(place + ": not a JSON object");
  const std::string name = lower_case(field);
  const std::string_view named = name;
  const auto words = member(object, field.empty() ? std::span<const std::string_view>(kWords) : std::span(&named, 1));
  if (!words)
    return invalid(
        place + ": no " + (field.empty() ? "\"query\", \"text\", \"title\" or \"question\"" : "\"" + name + "\"") +
        (object.empty() ? std::string()
                        : "; it has " + names_in(object) + (field.empty() ? ": name one by --topic-field" : "")));
  return tools::topic_of(member(object, id_names()).value_or(id), *words, place);
}

Result<Topics> parse_array(const Json& array, std::string_view field) {
  Topics topics;
  for (const auto& element : array) {
    const auto number = std::to_string(topics.size() + 1);
    topics.push_back(FROND_TRY(topic_of(element, number, field, "topic " + number)));
  }
  return topics;
}

Result<Topics> parse_whole(const Json& file, std::string_view field) {
  if (file.is_array()) return parse_array(file, field);
  for (const char* name : {"topics", "queries"})
    if (const auto found = file.find(name); found != file.end() && found->is_array()) return parse_array(*found, field);
  if (std::all_of(file.begin(), file.end(), [](const Json& value) { return value.is_string(); }) &&
      !member(file, kWords)) {
    Topics topics;
    for (const auto& [id, words] : file.items())
      topics.push_back(FROND_TRY(tools::topic_of(id, words.get<std::string>(), "topic \"" + one_line(id) + "\"")));
    return topics;
  }
  if (std::all_of(file.begin(), file.end(), [](const Json& value) { return value.is_object(); })) {
    Topics topics;
    for (const auto& [id, object] : file.items())
      topics.push_back(FROND_TRY(topic_of(object, id, field, "topic \"" + one_line(id) + "\"")));
    return topics;
  }
  Topics one{FROND_TRY(topic_of(file, "1", field, "topic 1"))};
  return one;
}

Result<Topics> parse_json_lines(std::string_view text, std::string_view field) {
  Topics topics;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    const auto name = std::to_string(number);
    topics.push_back(FROND_TRY(topic_of(parsed(line), name, field, "line " + name)));
  }
  return topics;
}

}  // namespace

bool has_json_topics(std::string_view text) {
  const auto at = text.find_first_not_of(" \t\r\n\v\f");
  if (at == std::string_view::npos) return false;
  const auto line = text.substr(at, text.find('\n', at) - at);
  return text[at] == '{' || (text[at] == '[' && (trimmed(line) == "[" || trimmed(line.substr(1)).starts_with('{')));
}

Result<Topics> parse_json_topics(std::string_view text, std::string_view field) {
  const auto begin = text.find_first_not_of(" \t\r\n\v\f");
  const auto line = text.substr(begin, text.find('\n', begin) - begin);
  const bool lines = parsed(line).is_object() && !trimmed(text.substr(begin + line.size())).empty();
  if (lines) return parse_json_lines(text, field);
  const auto file = parsed(text);
  if (file.is_array() || file.is_object()) return parse_whole(file, field);
  try {
    const Json whole = Json::parse(text);
  } catch (const Json::parse_error& error) {
    return invalid(line_of(text, std::min<std::size_t>(error.byte, text.size())) + ": not JSON");
  } catch (const Json::out_of_range&) {
    return invalid("a number is too large for a double");
  }
  return invalid("not JSON");
}

}  // namespace frond::tools
