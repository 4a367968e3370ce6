#include "tools/import/record.h"

#include <simdjson.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/elasticsearch/document.h"
#include "common/elasticsearch/plain_json.h"
#include "common/schema/json.h"

namespace frond::tools {
namespace {
using elasticsearch::MappedField;
using Element = simdjson::dom::element;

constexpr std::size_t kMaxKeywordBytes = 1024, kMaxValues = 1024;

void append_text(std::string_view text, std::string& out) { out += nlohmann::json(text).dump(); }

// One value as JSON; false: it is none of the field's.
bool append_value(const MappedField& field, Element value, std::string& out) {
  const auto taken = elasticsearch::value_of(field, elasticsearch::tree_of(value));
  if (!taken || !taken->has_value() || elasticsearch::is_ignored(field, **taken)) return false;
  const auto* const word = std::get_if<std::string>(&**taken);
  if (word != nullptr && field.type == elasticsearch::Type::kKeyword && word->size() > kMaxKeywordBytes) return false;
  out += schema::json_scalar(**taken);
  return true;
}

// Calls visit(scalar) for each value at the path. Names with dots and objects in objects mean the same.
template <class Visit>
void for_each_value(Element at, std::string_view path, Visit&& visit) {
  if (at.is<simdjson::dom::array>()) {
    for (const Element one : simdjson::dom::array(at)) for_each_value(one, path, visit);
  } else if (path.empty()) {
    visit(at);
  } else if (at.is<simdjson::dom::object>()) {
    for (const auto& [key, value] : simdjson::dom::object(at)) {
      if (key == path) for_each_value(value, {}, visit);
      if (path.size() > key.size() && path.starts_with(key) && path[key.size()] == '.')
        for_each_value(value, path.substr(key.size() + 1), visit);
    }
  }
}

std::string line_of(const std::vector<MappedField>& fields, std::string_view id, Element document,
                    std::string_view source) {
  std::string line = "{\"id\":";
  append_text(id, line);
  for (const MappedField& field : fields) {
    std::string values;
    std::size_t count = 0;
    for_each_value(document, field.path, [&](Element value) {
      std::string one;
      if (count == kMaxValues || !append_value(field, value, one)) return;
      values.append(count++ == 0 ? "" : ",").append(one);
    });
    if (count == 0) continue;
    line += ',';
    append_text(field.column, line);
    line.append(":[").append(values).append("]");
  }
  line.append(",\"_source\":").append(source).append("}\n");
  return line;
}

// Reads one page; simdjson throws what is wrong with it.
class PageReader {
 public:
  explicit PageReader(const std::vector<MappedField>& fields) : fields_(fields) {}

  Result<SourcePage> read(const simdjson::padded_string& answer) {
    auto page = parser_.iterate(answer);
    for (auto member : page.get_object()) {
      const std::string_view name = member.unescaped_key();
      if (name == "pit_id" || name == "_scroll_id") page_.context = std::string(std::string_view(member.value()));
      if (name == "_shards") FROND_TRY(check_shards(member.value().get_object()));
      if (name == "hits") FROND_TRY(read_hits(member.value().get_object()));
    }
    return std::move(page_);
  }

 private:
  using Object = simdjson::ondemand::object;

  static Result<void> check_shards(Object shards) {
    std::uint64_t failed = 0;
    if (shards.find_field_unordered("failed").get(failed) || failed == 0) return {};
    return Error(Code::kUnavailable, std::to_string(failed) + " shards of the index did not answer");
  }
  Result<void> read_hits(Object hits) {
    for (auto member : hits) {
      const std::string_view name = member.unescaped_key();
      if (name == "total") (void)member.value().get_object().find_field_unordered("value").get(page_.total);
      if (name != "hits") continue;
      for (auto hit : member.value().get_array()) FROND_TRY(read_hit(hit.get_object()));
    }
    return {};
  }
  Result<void> read_hit(Object hit) {
    std::string id, source;
    for (auto member : hit) {
      const std::string_view name = member.unescaped_key();
      if (name == "_id") id = std::string(std::string_view(member.value()));
      if (name == "_source") {
        simdjson::ondemand::value value = member.value();
        if (value.type().value() == simdjson::ondemand::json_type::object)
          source = std::string(std::string_view(simdjson::to_json_string(value.get_object())));
      }
      if (name == "sort")
        page_.after = std::string(std::string_view(simdjson::to_json_string(member.value().get_array())));
    }
    if (id.empty()) return Error(Code::kCorrupt, "hit " + std::to_string(page_.hits()) + " has no _id");
    if (source.empty()) {
      page_.refused.push_back({std::move(id), "it has no _source"});
      return {};
    }
    // Between members only: in texts they are escaped.
    std::ranges::replace_if(
        source, [](char c) { return c == '\n' || c == '\r'; }, ' ');
    try {
      page_.lines.push_back(line_of(fields_, id, documents_.parse(source), source));
    } catch (const std::exception& wrong) {
      page_.refused.push_back({std::move(id), std::string("its _source: ") + wrong.what()});
    }
    return {};
  }

  const std::vector<MappedField>& fields_;
  simdjson::ondemand::parser parser_;
  simdjson::dom::parser documents_;
  SourcePage page_;
};

}  // namespace

Result<SourcePage> read_page(const std::vector<elasticsearch::MappedField>& fields, std::string_view answer) {
  try {
    return PageReader(fields).read(simdjson::padded_string(answer));
  } catch (const std::exception& thrown) {
    return Error(Code::kCorrupt, std::string("the answer is no page of hits: ") + thrown.what());
  }
}

}  // namespace frond::tools
