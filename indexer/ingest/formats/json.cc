#include <algorithm>

#include "common/text/json_surrogates.h"
#include "common/text/utf8.h"
#include "indexer/ingest/files/file_kind.h"
#include "indexer/ingest/formats/formats.h"
#include "indexer/ingest/formats/json_document.h"
#include "indexer/ingest/lines.h"
#include "indexer/ingest/records/document.h"
#include "indexer/ingest/records/record_cutter.h"

namespace frond::indexer::ingest {
namespace {

// The first object of a JSON array, or of objects over several lines: as far as the beginning has it.
std::string_view first_object(std::string_view text) {
  text.remove_prefix(std::min(text.find('{'), text.size()));
  int depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return text.substr(0, at + 1);
    }
  }
  return {};
}

bool opens_object(std::string_view text) {
  if (!text.starts_with('{')) return false;
  const std::string_view rest = without_spaces(text.substr(1));
  return rest.starts_with('"') || rest.starts_with('}');
}

const FieldNames& names_of(const Beginning& head) { return names_or_usual(head.names); }

// Whether the name says that an object is a line.
bool is_named_lines(const Beginning& head) {
  return has_suffix(head.path, ".jsonl") || has_suffix(head.path, ".ndjson");
}

enum class Layout { kOther, kLines, kValues };  // of a file: no JSON, an object a line, objects over several lines

Layout layout_of(const Beginning& head) {
  if (head.text.starts_with('[') && opens_object(without_spaces(head.text.substr(1)))) return Layout::kValues;
  if (!opens_object(head.text)) return Layout::kOther;
  const std::string_view line = first_line(head.text);
  const bool one_line = line.size() == head.text.size();
  if (one_line) return has_suffix(head.path, ".json") ? Layout::kValues : Layout::kLines;
  const std::string_view rest = without_spaces(head.text.substr(line.size()));
  // A first record that is broken does not make one value of the others.
  if (fields_of_json(trimmed(line), names_of(head)).object || (line.size() > 1 && opens_object(first_line(rest))))
    return Layout::kLines;
  return Layout::kValues;
}

// Whether JSON holds documents: outside of folders, or by its name, or because its first object has a field of text.
bool holds_documents(const Beginning& head, Layout layout) {
  if (!head.in_folder || is_named_lines(head)) return true;
  const std::string_view object = first_object(head.text);
  if (object.empty()) {  // it is longer than the head
    return std::ranges::any_of(names_of(head).body, [&](const std::string& name) {
      return head.text.find("\"" + name.substr(name.rfind('.') + 1) + "\"") != head.text.npos;
    });
  }
  const JsonFields fields = fields_of_json(object, names_of(head));
  // A single object is more often a configuration than a document.
  const bool alone = layout == Layout::kValues && head.text.starts_with('{');
  return alone ? fields.id && fields.body : fields.title_or_body;
}

// Files whose names say so are JSON from the first line on that is; what stands before it is a bad record. In a folder,
// .json may also be JSON that holds no documents.
Sniffed sniff(const Beginning& head, Layout wanted) {
  const bool lines = is_named_lines(head), named = lines || has_suffix(head.path, ".json");
  Beginning json = head;
  while (named && !json.text.empty() && layout_of(json) == Layout::kOther) {
    (void)take_line(json.text);
    json.text = without_spaces(json.text);
  }
  if (layout_of(json) != Layout::kOther) return {layout_of(json) == wanted && holds_documents(json, wanted), {}};
  const bool other_json = head.in_folder && !lines && head.text.find_first_of("[{\"") == 0;
  if (!named || other_json) return {};
  return {true, kind_without_records(head.bytes)};
}
Sniffed sniff_jsonl(const Beginning& head) { return sniff(head, Layout::kLines); }
Sniffed sniff_json(const Beginning& head) { return sniff(head, Layout::kValues); }

// The longest JSON that is cheap whatever it holds, and the bytes that a byte of it takes: a number of one digit and a
// comma take 8 bytes in the parser's index and 32 on its tape.
constexpr std::size_t kSmallJson = 16 << 10;
constexpr std::uint64_t kWorstJson = 24;

ParseCost json_cost(const RawRecord& record) {
  const std::string_view json = record.text();
  if (json.size() <= kSmallJson) return {kWorstJson * json.size(), 0};
  const std::uint64_t separators = separators_of(json);
  // Each, and the value behind it, takes 4 bytes in the index and up to 16 on the tape.
  return {text_cost(json.size()) + 40 * separators, 0};
}

constexpr std::size_t kShortNumber = 18;  // digits and a sign that fit into 64 bits
constexpr std::size_t kShownWord = 40;
constexpr std::string_view kEndsOfWords = " \t\r\n,:[]{}\"";

std::string_view word_at(std::string_view json, std::size_t at) {
  return json.substr(at, json.find_first_of(kEndsOfWords, at) - at);
}

bool is_whole_number(std::string_view word) { return word.find_first_of(".eE") == word.npos; }

// Behind the string that begins at json[at].
std::size_t string_end(std::string_view json, std::size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at)
    if (json[at] == '\\') ++at;
  return std::min(at + 1, json.size());
}

}  // namespace

constinit const SourceFormat kJsonl = {
    .name = "jsonl",
    .evidence = Evidence::kOpening,
    .one_encoding = true,
    .has_names = true,
    .has_prior = true,
    .sniff = sniff_jsonl,
    .cut = line_cutter,
    .parse = parse_json,
    .cost = json_cost,
};
constinit const SourceFormat kJson = {
    .name = "json",
    .evidence = Evidence::kOpening,
    .one_encoding = true,
    .has_names = true,
    .has_prior = true,
    .sniff = sniff_json,
    .cut = json_cutter,
    .parse = parse_json,
    .cost = json_cost,
};

bool is_json_number(std::string_view word) {
  const auto pass_digits = [&word] {
    const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
    word.remove_prefix(digits);
    return digits;
  };
  if (word.starts_with('-')) word.remove_prefix(1);
  const bool zero = word.starts_with('0');
  const std::size_t digits = pass_digits();
  if (digits == 0 || (zero && digits > 1)) return false;
  if (word.starts_with('.')) {
    word.remove_prefix(1);
    if (pass_digits() == 0) return false;
  }
  if (word.starts_with('e') || word.starts_with('E')) {
    word.remove_prefix(1);
    if (word.starts_with('+') || word.starts_with('-')) word.remove_prefix(1);
    if (pass_digits() == 0) return false;
  }
  return word.empty();
}

Result<JsonWords> JsonWords::set_aside(std::string_view json, std::size_t max_depth) {
  JsonWords aside;
  aside.source_ = text::with_whole_surrogates(json);
  const std::string_view source = aside.source_;
  aside.lenient = source != json;
  std::string& out = aside.json;
  out.reserve(source.size() + 64);
  std::size_t depth = 0;
  const auto append = [&](std::string_view text) {
    if (depth < max_depth) out.append(text);
  };
  for (std::size_t at = 0; at < source.size();) {
    const char c = source[at];
    if (c == '"') {
      const std::size_t end = string_end(source, at);
      append(source.substr(at, end - at));
      at = end;
    } else if (kEndsOfWords.find(c) != kEndsOfWords.npos) {
      if (c == '[' || c == '{') {
        if (depth + 1 == max_depth) append("null");
        ++depth;
        aside.deep = aside.deep || depth == max_depth;
      }
      append(source.substr(at, 1));
      if ((c == ']' || c == '}') && depth > 0) --depth;
      ++at;
    } else {
      const std::string_view word = word_at(source, at);
      const bool number = is_json_number(word);
      if (word == "true" || word == "false" || word == "null" ||
          (number && is_whole_number(word) && word.size() <= kShortNumber)) {
        append(word);
      } else if (number || word == "NaN" || word == "Infinity" || word == "-Infinity") {
        aside.lenient = aside.lenient || !number;
        append(std::to_string(aside.begins_.size()) + "e0");
        aside.begins_.push_back(static_cast<std::uint32_t>(at));
      } else {
        const std::string shown(word.substr(0, text::utf8_boundary(word, std::min(word.size(), kShownWord))));
        return Error(Code::kInvalid, "broken JSON: '" + shown + "' is no value");
      }
      at += word.size();
    }
  }
  return aside;
}

std::string_view JsonWords::written(double place) const {
  const auto index = static_cast<std::size_t>(place);
  return index < begins_.size() ? word_at(source_, begins_[index]) : std::string_view();
}

}  // namespace frond::indexer::ingest
