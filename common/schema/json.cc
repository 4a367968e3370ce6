#include "common/schema/json.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <unordered_set>

#include <nlohmann/json.hpp>

#include "common/text/json_surrogates.h"
#include "common/text/utf8.h"

namespace frond::schema {
namespace {

// Builds the tree. Stops at the first error.
class TreeBuilder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return add({}); }
  bool boolean(bool value) override { return add({Value(value)}); }
  bool number_integer(number_integer_t value) override { return add({Value(static_cast<std::int64_t>(value))}); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return add({Value(static_cast<double>(value))});
    return add({Value(static_cast<std::int64_t>(value))});
  }
  bool number_float(number_float_t value, const string_t&) override { return add({Value(value)}); }
  bool string(string_t& value) override { return add({Value(std::move(value))}); }
  bool binary(binary_t&) override { return fail("is no JSON"); }
  bool key(string_t& name) override {
    Open& open = open_.back();
    if (!open.names.insert(name).second) return fail("has two members '" + name + "'");
    std::get<Json::Object>(open.json->tree).push_back({std::move(name), {}});
    return true;
  }
  bool start_object(std::size_t) override { return start({Json::Object()}); }
  bool end_object() override { return end(); }
  bool start_array(std::size_t) override { return start({Json::Array()}); }
  bool end_array() override { return end(); }
  bool parse_error(std::size_t byte, const std::string&, const nlohmann::detail::exception& problem) override {
    constexpr int kOutOfRange = 406;  // a number larger than any double, which is JSON
    if (problem.id == kOutOfRange) return fail("has a number that is too large");
    error = "the text is not JSON at byte " + std::to_string(byte);
    return false;
  }

  Json root;
  std::string error;

 private:
  struct Open {
    Json* json;  // does not move while it is open: what holds it gets no further members until then
    std::unordered_set<std::string> names;
  };

  Json* place(Json json) {
    if (open_.empty()) return &(root = std::move(json));
    Json* const parent = open_.back().json;
    if (auto* array = std::get_if<Json::Array>(&parent->tree)) return &array->emplace_back(std::move(json));
    return &(std::get<Json::Object>(parent->tree).back().value = std::move(json));
  }
  bool add(Json json) {
    place(std::move(json));
    return true;
  }
  bool start(Json json) {
    if (open_.size() == kMaxJsonDepth) return fail("is nested more than " + std::to_string(kMaxJsonDepth) + " times");
    open_.push_back({place(std::move(json)), {}});
    return true;
  }
  bool end() {
    open_.pop_back();
    return true;
  }
  // An error of what is open.
  bool fail(const std::string& what) {
    std::string path;
    for (std::size_t i = 0; i + 1 < open_.size(); ++i) {
      if (const auto* array = open_[i].json->array())
        path += "[" + std::to_string(array->size() - 1) + "]";
      else
        path = member_path(path, open_[i].json->object()->back().name);
    }
    error = (path.empty() ? "the JSON" : path) + " " + what;
    return false;
  }

  std::vector<Open> open_;
};

}  // namespace

std::string_view Json::kind() const {
  static constexpr std::string_view kScalars[] = {"a number", "a number", "true or false", "a string"};
  if (const Value* const value = scalar()) return kScalars[value->index()];
  return array() != nullptr ? "an array" : object() != nullptr ? "an object" : "null";
}

Result<Json> parse_json(std::string_view text) {
  TreeBuilder builder;
  if (!nlohmann::json::sax_parse(text::with_whole_surrogates(text), &builder))
    return Error(Code::kInvalid, std::move(builder.error));
  return std::move(builder.root);
}

void append_json_string(std::string& out, std::string_view text) {
  unsigned char escaped = 0;  // without a branch a byte: what is neither printable ASCII nor stands as it is
  for (const char c : text)
    escaped |=
        static_cast<unsigned char>((static_cast<unsigned char>(c - ' ') >= 0x7f - ' ') | (c == '"') | (c == '\\'));
  if (escaped != 0 && !text::is_utf8(text)) {
    out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return;
  }
  constexpr std::string_view kHex = "0123456789abcdef", kShort = "\bb\tt\nn\ff\rr\"\"\\\\";  // and their letters
  out += '"';
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = escaped != 0 ? begin : text.size();
    while (end < text.size() && static_cast<unsigned char>(text[end]) >= ' ' && text[end] != '"' && text[end] != '\\')
      ++end;
    out.append(text.substr(begin, end - begin));
    begin = end + 1;
    if (end == text.size()) break;
    std::size_t at = 0;
    while (at < kShort.size() && kShort[at] != text[end]) at += 2;
    const auto byte = static_cast<unsigned char>(text[end]);
    if (at < kShort.size())
      out.append("\\").append(1, kShort[at + 1]);
    else
      out.append("\\u00").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
  }
  out += '"';
}

std::string json_string(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 16);
  append_json_string(out, text);
  return out;
}

std::string json_scalar(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return json_string(*text);
  return text_of(FieldType::kInteger, value);
}

std::string member_path(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : std::string(path) + "." + std::string(name);
}

}  // namespace frond::schema
