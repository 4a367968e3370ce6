#include "tools/topics/topics.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include <fcntl.h>
#include <nlohmann/json.hpp>

#include "common/files/descriptor.h"
#include "common/text/utf8.h"
#include "tools/topics/topic_forms.h"

namespace frond::tools {
namespace {

using Topics = std::vector<Topic>;

struct Line {
  std::string_view text;  // without its end
  std::size_t number = 0;
  std::string place() const { return "line " + std::to_string(number); }
};

// Those with more than white space.
std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!one_line(line).empty()) lines.push_back({line, number});
  }
  return lines;
}

// SMART's form: ".I 1" begins a topic, ".W" its words, ".T" its title, any other letter something else.
bool is_smart(std::string_view line) { return line.starts_with(".I ") || line.starts_with(".I\t"); }

Result<Topics> parse_smart(const std::vector<Line>& lines) {
  Topics topics;
  for (std::size_t i = 0; i < lines.size();) {
    const Line& head = lines[i++];
    std::string title, words;
    std::string* part = nullptr;
    for (; i < lines.size() && !is_smart(lines[i].text); ++i) {
      const auto line = trimmed(lines[i].text);
      if (line.size() == 2 && line[0] == '.' && line[1] >= 'A' && line[1] <= 'Z')
        part = line[1] == 'W' ? &words : line[1] == 'T' ? &title : nullptr;
      else if (part != nullptr)
        (*part += line) += ' ';
    }
    topics.push_back(FROND_TRY(topic_of(head.text.substr(2), words.empty() ? title : words, head.place())));
  }
  return topics;
}

bool is_number(std::string_view word) {
  if (word.starts_with('-')) word.remove_prefix(1);
  return !word.empty() && std::all_of(word.begin(), word.end(), text::is_ascii_digit);
}

bool is_run_line(const Line& line) {
  const auto words = words_in(line.text);
  return words.size() == 6 && lower_case(words[1]) == "q0" && is_number(words[3]);
}

bool is_judgment(const Line& line) {
  const auto words = words_in(line.text);
  return words.size() == 4 && is_number(words[1]) && is_number(words[3]);
}

bool names_column(std::string_view name, std::span<const std::string_view> names) {
  const auto lower = lower_case(trimmed(name));
  return std::find(names.begin(), names.end(), lower) != names.end();
}

// "qid,query" and the like.
bool names_columns(std::string_view line, char between) {
  const auto at = line.find(between);
  return at != std::string_view::npos && names_column(line.substr(0, at), id_names()) &&
         names_column(line.substr(line.rfind(between) + 1), query_names());
}

// Why these are no topics on lines; empty: they may be.
std::string why_no_lines(const std::vector<Line>& lines) {
  if (std::all_of(lines.begin(), lines.end(), is_run_line)) return "is a run, not topics";
  if (std::all_of(lines.begin(), lines.end(), is_judgment)) return "holds relevance judgments, not topics";
  if (names_columns(lines.front().text, ',')) return "is CSV: give an id, a tab and words on each line";
  for (const auto& line : lines)
    if (trimmed(line.text).starts_with('{') && nlohmann::json::accept(line.text))
      return line.place() + ": a JSON object among lines that are none";
  return {};
}

Result<Topic> parse_line(const Line& line) {
  const auto tab = line.text.find('\t');
  if (tab != std::string_view::npos && tab > 0)
    return topic_of(line.text.substr(0, tab), line.text.substr(line.text.rfind('\t') + 1), line.place());
  std::size_t digits = 0;
  while (digits < line.text.size() && text::is_ascii_digit(line.text[digits])) ++digits;
  if (digits > 0 && digits < line.text.size() && line.text[digits] == ':')
    return topic_of(line.text.substr(0, digits), line.text.substr(digits + 1), line.place());
  return topic_of(std::to_string(line.number), line.text, line.place());
}

Result<Topics> parse_lines(std::vector<Line> lines) {
  if (auto why = why_no_lines(lines); !why.empty()) return invalid(std::move(why));
  if (names_columns(lines.front().text, '\t')) lines.erase(lines.begin());
  Topics topics;
  for (const auto& line : lines) topics.push_back(FROND_TRY(parse_line(line)));
  return topics;
}

// What the first bytes say that is no text; empty: nothing.
std::string_view why_no_text(std::string_view bytes) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kHeads{{
      {"\x1f\x8b", "is compressed by gzip more than once"},
      {"\x28\xb5\x2f\xfd", "is compressed by zstd: pass it as <(zstdcat FILE)"},
      {"BZh", "is compressed by bzip2: pass it as <(bzcat FILE)"},
      {"\xfd"
       "7zXZ",
       "is compressed by xz: pass it as <(xzcat FILE)"},
      {"PK\x03\x04", "is a ZIP archive: pass a file of it as <(unzip -p ARCHIVE FILE)"},
      {"%PDF", "is a PDF file"},
      {"\xff\xfe", "is UTF-16: pass it as <(iconv -f UTF-16 -t UTF-8 FILE)"},
      {"\xfe\xff", "is UTF-16: pass it as <(iconv -f UTF-16 -t UTF-8 FILE)"},
  }};
  for (const auto& [head, why] : kHeads)
    if (bytes.starts_with(head)) return why;
  return {};
}

}  // namespace

Result<Topics> parse_topics(std::string_view text, std::string_view field) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  if (const auto why = why_no_text(text); !why.empty()) return invalid(std::string(why));
  if (const auto at = text.find('\0'); at != std::string_view::npos)
    return invalid("is no text: byte " + std::to_string(at) + " is zero");
  if (has_topic_elements(text)) return parse_topic_elements(text, field);
  if (has_json_topics(text)) return parse_json_topics(text, field);
  if (!field.empty()) return invalid("has no elements or members of which one could be " + std::string(field));
  auto lines = lines_of(text);
  if (lines.empty()) return invalid("holds no topic");
  return is_smart(lines.front().text) ? parse_smart(lines) : parse_lines(std::move(lines));
}

Result<std::string> read_topic_file(const std::filesystem::path& path) {
  const auto file = FROND_TRY(files::open_input(path));
  const int copy = ::fcntl(file.get(), F_DUPFD_CLOEXEC, 0);
  const auto close = [](gzFile_s* stream) { ::gzclose(stream); };
  const std::unique_ptr<gzFile_s, decltype(close)> in(copy < 0 ? nullptr : ::gzdopen(copy, "rb"), close);
  if (!in) return files::system_error(Code::kUnavailable, "reading", path);
  std::string text, piece(256 << 10, '\0');
  for (;;) {
    const int got = ::gzread(in.get(), piece.data(), static_cast<unsigned>(piece.size()));
    int error = Z_OK;
    const char* what = ::gzerror(in.get(), &error);
    if (got < 0 || (error != Z_OK && error != Z_STREAM_END))
      return error == Z_ERRNO ? files::system_error(Code::kUnavailable, "reading", path)
                              : Error(Code::kCorrupt, path.string() + ": gzip: " + what);
    if (got == 0) return text;
    text.append(piece, 0, static_cast<std::size_t>(got));
    if (text.size() > kMaxTopicBytes)
      return invalid(path.string() + ": more than " + std::to_string(kMaxTopicBytes >> 20) + " MiB");
  }
}

Result<Topics> read_topics(const std::filesystem::path& file, std::string_view field) {
  auto topics = parse_topics(FROND_TRY(read_topic_file(file)), field);
  if (!topics) return std::move(topics).error().within(file.string());
  return topics;
}

Result<void> check_distinct_ids(const Topics& topics) {
  std::unordered_map<std::string_view, std::size_t> first;
  for (std::size_t i = 0; i < topics.size(); ++i)
    if (const auto [at, fresh] = first.emplace(topics[i].id, i); !fresh)
      return invalid("topics " + std::to_string(at->second + 1) + " and " + std::to_string(i + 1) + " have one id, \"" +
                     topics[i].id + "\"");
  return {};
}

}  // namespace frond::tools
