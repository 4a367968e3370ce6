#include "tools/topics/topic_forms.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace frond::tools {
namespace {

using Topics = std::vector<Topic>;

constexpr std::array<std::string_view, 4> kTopicNames{"top", "topic", "doc", "query"};  // the first that a file has
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kLabels{
    {{"num", "number:"}, {"title", "topic:"}, {"desc", "description:"}, {"narr", "narrative:"}}};

struct Element {
  std::string name;
  std::string_view inside;
};

// A topic as it stands in the file.
struct Body {
  Tag tag;
  std::string_view text;  // between its tags
  std::string place;      // "topic 3 (line 17)"
};

// Without tags, and without TREC's label.
std::string text_of(const Element& element) {
  std::string text = without_tags(element.inside);
  const auto label =
      std::find_if(kLabels.begin(), kLabels.end(), [&](const auto& one) { return one.first == element.name; });
  const auto begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  if (label != kLabels.end() && lower_case(std::string_view(text).substr(begin, label->second.size())) == label->second)
    text.erase(0, begin + label->second.size());
  return text;
}

// All elements of a topic, also those inside others. One that is not closed ends where the next tag begins.
std::vector<Element> elements_of(std::string_view body) {
  std::vector<Tag> tags;
  for_each_tag(body, [&](const Tag& tag) {
    tags.push_back(tag);
    return true;
  });
  std::vector<std::size_t> ends(tags.size());
  std::map<std::string, std::size_t>
      closed;                      // where what closes an element of this name begins, behind the tag at hand
  std::size_t next = body.size();  // … and where the next tag does
  for (auto i = tags.size(); i-- > 0;) {
    if (tags[i].closes) {
      closed[tags[i].name] = tags[i].begin;
    } else if (!tags[i].name.empty()) {
      const auto end = closed.find(tags[i].name);
      ends[i] = end == closed.end() ? next : end->second;
      if (end != closed.end()) closed.erase(end);
    }
    if (!tags[i].name.empty()) next = tags[i].begin;
  }
  std::vector<Element> elements;
  for (std::size_t i = 0; i < tags.size(); ++i)
    if (ends[i] != 0) elements.push_back({tags[i].name, body.substr(tags[i].end, ends[i] - tags[i].end)});
  return elements;
}

const Element* find(const std::vector<Element>& elements, std::string_view name) {
  const auto found = std::find_if(elements.begin(), elements.end(), [&](const Element& e) { return e.name == name; });
  return found == elements.end() ? nullptr : &*found;
}

const Element* find(const std::vector<Element>& elements, std::span<const std::string_view> names) {
  for (const auto name : names)
    if (const auto* element = find(elements, name)) return element;
  return nullptr;
}

std::string id_of(const Body& topic, const std::vector<Element>& elements) {
  for (const auto name : id_names())
    if (const auto value = attribute(topic.tag.attributes, name)) return without_tags(*value);
  const auto* element = find(elements, id_names());
  return element != nullptr ? text_of(*element) : std::string();
}

// Of <DOC>: what is behind the id.
std::string all_words(std::string_view body) {
  std::size_t begin = 0;
  for_each_tag(body, [&](const Tag& tag) {
    if (tag.closes && tag.name == "docno") begin = tag.end;
    return begin == 0;
  });
  return without_tags(body.substr(begin));
}

bool is_id(const Element& element) {
  return std::find(id_names().begin(), id_names().end(), element.name) != id_names().end();
}

Result<std::string> words_of(const Body& topic, const std::vector<Element>& elements, std::string_view field) {
  if (!field.empty()) {
    if (const auto* element = find(elements, lower_case(field))) return text_of(*element);
  } else if (topic.tag.name == "doc") {
    return all_words(topic.text);
  } else if (const auto* element = find(elements, query_names())) {
    return text_of(*element);
  } else if (elements.empty()) {
    return without_tags(topic.text);
  }
  std::string there;
  for (const auto& element : elements)
    if (!is_id(element) && there.find("<" + element.name + ">") == std::string::npos && there.size() < 200)
      there += (there.empty() ? "<" : ", <") + one_line(element.name) + ">";
  return invalid(topic.place + ": " +
                 (field.empty() ? "none of <title>, <query>, <text>, <question>" : "no <" + lower_case(field) + ">") +
                 (there.empty() ? std::string() : "; it has " + there + ": name one by --topic-field"));
}

Result<Topic> topic_of(const Body& topic, std::string_view field) {
  const auto elements = elements_of(topic.text);
  const auto id = id_of(topic, elements);
  if (trimmed(id).empty())
    return invalid(topic.place + ": <" + topic.tag.name + "> without " +
                   (topic.tag.name == "doc" ? "<docno>" : "<num>, and no attribute is its number"));
  return tools::topic_of(id, FROND_TRY(words_of(topic, elements, field)), topic.place);
}

// The name of the elements that are topics; empty: there are none.
std::string_view topic_name(std::string_view text) {
  std::array<bool, kTopicNames.size()> seen{};
  for_each_tag(text, [&](const Tag& tag) {
    for (std::size_t i = 0; i < seen.size(); ++i)
      if (!tag.closes && tag.name == kTopicNames[i]) seen[i] = true;
    return true;
  });
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (seen[i]) return kTopicNames[i];
  return {};
}

}  // namespace

bool has_topic_elements(std::string_view text) {
  if (trimmed(text.substr(0, 4096)).starts_with('<')) return true;
  bool found = false;
  for_each_tag(text, [&](const Tag& tag) {
    const bool begins_line = tag.begin == 0 || text[tag.begin - 1] == '\n';
    found =
        !tag.closes && begins_line && std::find(kTopicNames.begin(), kTopicNames.end(), tag.name) != kTopicNames.end();
    return !found;
  });
  return found;
}

Result<Topics> parse_topic_elements(std::string_view text, std::string_view field) {
  const auto name = topic_name(text);
  const std::string open = "<" + std::string(name) + ">", close = "</" + std::string(name) + ">";
  if (name.empty()) return invalid("has tags, but none of <top>, <topic>, <DOC> and <query>");
  Topics topics;
  std::optional<Body> topic;
  std::size_t at = 0, line = 1, counted = 0;  // lines are counted as far as `counted`
  const auto line_at = [&](std::size_t to) {
    line += static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                                                text.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
    counted = to;
    return "line " + std::to_string(line);
  };
  for (;;) {
    const auto tag = next_tag(text, at);
    const auto end = tag ? tag->begin : text.size();
    const auto between = text.substr(at, end - at);
    if (!topic && !trimmed(between).empty())
      return invalid(line_at(at + between.find_first_not_of(" \t\r\n\v\f")) + ": text outside of " + open);
    if (!tag) break;
    at = tag->end;
    if (tag->name != name) continue;
    if (tag->closes) {
      if (!topic) return invalid(line_at(tag->begin) + ": " + close + " without " + open);
      topic->text = text.substr(topic->tag.end, tag->begin - topic->tag.end);
      topics.push_back(FROND_TRY(topic_of(*topic, field)));
      topic.reset();
    } else if (topic) {
      break;  // what the one before has no end for
    } else {
      topic = Body{*tag, {}, {}};
      topic->place = "topic " + std::to_string(topics.size() + 1) + " (" + line_at(tag->begin) + ")";
    }
  }
  if (topic) return invalid(topic->place + ": " + open + " without " + close);
  return topics;
}

}  // namespace frond::tools
