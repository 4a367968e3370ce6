#include "broker/elasticsearch/yaml.h"

#include <algorithm>
#include <iterator>

#include <nlohmann/json.hpp>

#include "common/base/text.h"
#include "common/text/utf8.h"

namespace frond::broker::elasticsearch {
namespace {

using Ordered = nlohmann::ordered_json;

// A JSON string is one of YAML, but for the characters that YAML calls not printable.
std::string quoted(const std::string& text) {
  const std::string json = Ordered(text).dump(-1, ' ', false, Ordered::error_handler_t::replace);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string yaml;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const auto c = static_cast<unsigned char>(json[i]);
    const bool is_c1 = c == 0xC2 && static_cast<unsigned char>(json[i + 1]) < 0xA0;
    if (c != 0x7F && !is_c1) {
      yaml += json[i];
      continue;
    }
    const auto shown = is_c1 ? static_cast<unsigned char>(json[++i]) : c;
    yaml.append("\\x").append({kDigits[shown >> 4], kDigits[shown & 15]});
  }
  return yaml;
}

// Names of members stand as they are where YAML takes them for nothing else.
std::string member_name(const std::string& key) {
  constexpr const char* kWords[] = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
  const std::string lower = lower_case(key);
  const bool plain = !key.empty() && (text::is_ascii_letter(key.front()) || key.front() == '_') &&
                     std::ranges::all_of(key, [](char c) {
                       return text::is_ascii_letter_or_digit(c) || c == '_' || c == '.' || c == '-';
                     });
  return plain && std::ranges::find(kWords, lower) == std::end(kWords) ? key : quoted(key);
}

bool is_inline(const Ordered& json) { return json.is_primitive() || json.empty(); }

// What stands behind a name or a dash; `indent`: of lines that follow.
void append(std::string& out, const Ordered& json, std::size_t indent);

void append_lines(std::string& out, const Ordered& json, std::size_t indent, bool goes_on) {
  for (const auto& [key, value] : json.items()) {
    if (!goes_on) out.append(indent, ' ');
    goes_on = false;
    if (json.is_array()) {
      out += '-';
      if (is_inline(value)) {
        append(out, value, indent);
      } else {
        out += ' ';
        append_lines(out, value, indent + 2, true);
      }
    } else {
      out.append(member_name(key)).append(":");
      append(out, value, value.is_array() ? indent : indent + 2);
    }
  }
}

void append(std::string& out, const Ordered& json, std::size_t indent) {
  if (is_inline(json)) {
    out += ' ';
    out += json.is_string() ? quoted(json.get_ref<const std::string&>()) : json.dump();
    out += '\n';
    return;
  }
  out += '\n';
  append_lines(out, json, indent, false);
}

}  // namespace

std::string yaml_of(std::string_view json) {
  const Ordered parsed = Ordered::parse(json, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded()) return std::string(json);
  std::string out = "---";
  append(out, parsed, 0);
  return out;
}

}  // namespace frond::broker::elasticsearch
