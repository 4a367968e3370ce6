#include "tools/client/answer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace frond::tools {
namespace {

using Json = nlohmann::ordered_json;

Error corrupt_answer(std::string_view what) { return Error(Code::kCorrupt, "answer: " + std::string(what)); }

std::string text_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<std::uint64_t> number_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_unsigned() ? std::optional<std::uint64_t>(*found) : std::nullopt;
}

// A value of JSON as text: of a string its characters.
std::string plain(const Json& value) {
  if (value.is_null()) return {};
  return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<void> read_hits(const Json& answer, Answer& out) {
  const auto hits = answer.find("hits");
  if (hits == answer.end() || !hits->is_array()) return corrupt_answer("no \"hits\"");
  for (const auto& hit : *hits) {
    const auto score = hit.is_object() ? hit.find("score") : hit.end();
    const auto sort = hit.is_object() ? hit.find("sort") : hit.end();
    const bool scored = score != hit.end() && score->is_number(), sorted = sort != hit.end() && sort->is_array();
    if (!scored && !sorted) return corrupt_answer("a hit without a score");
    out.hits.push_back({text_of(hit, "id"),
                        text_of(hit, "title"),
                        text_of(hit, "url"),
                        text_of(hit, "snippet"),
                        scored ? score->dump() : std::string(),
                        {}});
    if (sorted)
      for (const auto& value : *sort) out.hits.back().sort.push_back(plain(value));
  }
  return {};
}

// A bucket's value, or its range: "2000 to below 2010".
std::string bucket_name(const Json& bucket) {
  if (const auto percent = bucket.find("percent"); percent != bucket.end()) return plain(*percent) + " %";
  for (const char* const name : {"value", "name"})
    if (const auto value = bucket.find(name); value != bucket.end()) return *value == "" ? "(empty)" : plain(*value);
  const auto end = [&](const char* name) {
    const auto found = bucket.find(name);
    return found == bucket.end() ? std::string() : plain(*found);
  };
  const auto from = end("from"), to = end("to");
  if (to.empty()) return "from " + from;
  return (from.empty() ? "" : from + " to ") + "below " + to;
}

using Lines = decltype(AnswerFacet::lines);

// What a facet says; what is in its buckets stands below them, further in.
void add_lines(const Json& facet, const std::string& indent, Lines& lines);

void add_lines_of_inside(const Json& bucket, const std::string& indent, Lines& lines) {
  const auto facets = bucket.find("facets");
  if (facets == bucket.end() || !facets->is_object()) return;
  for (const auto& [name, facet] : facets->items()) {
    lines.emplace_back(indent + "  " + name, "");
    add_lines(facet, indent + "    ", lines);
  }
}

void add_lines(const Json& facet, const std::string& indent, Lines& lines) {
  if (!facet.is_object()) return;
  for (const auto& [member, value] : facet.items()) {
    if (member == "facets") continue;
    if (!value.is_array()) {
      const bool rest = member == "other" || member == "missing";  // worth a line if there are such documents
      if (!rest || value != 0) lines.emplace_back(indent + (rest ? "(" + member + ")" : member), plain(value));
      continue;
    }
    for (const auto& bucket : value) {
      if (!bucket.is_object()) continue;
      lines.emplace_back(
          indent + bucket_name(bucket),
          plain(bucket.contains("percent") ? bucket.value("value", Json()) : bucket.value("count", Json())));
      add_lines_of_inside(bucket, indent, lines);
    }
  }
  add_lines_of_inside(facet, indent, lines);
}

void read_facets(const Json& answer, Answer& out) {
  const auto facets = answer.find("facets");
  if (facets == answer.end() || !facets->is_object()) return;
  for (const auto& [name, facet] : facets->items()) {
    out.facets.push_back({name, {}});
    add_lines(facet, "", out.facets.back().lines);
  }
}

// Characters that a terminal shows, combining ones and wide ones counted as one.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

Error refusal(int status, std::string_view body) {
  const auto problem = Json::parse(body, nullptr, /*allow_exceptions=*/false);
  std::string why = "status " + std::to_string(status);
  if (problem.is_object()) {
    for (const char* name : {"title", "detail", "parameter"})
      if (const auto text = text_of(problem, name); !text.empty()) why += ": " + printable(text);
  }
  return Error(status >= 400 && status < 500 ? Code::kInvalid : Code::kUnavailable, std::move(why));
}

Result<Answer> parse_answer(int status, std::string_view body) {
  if (status != 200) return refusal(status, body);
  const auto answer = Json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (!answer.is_object()) return corrupt_answer("not a JSON object");
  Answer out;
  FROND_TRY(read_hits(answer, out));
  read_facets(answer, out);
  out.cursor = text_of(answer, "cursor");
  out.cache = text_of(answer, "cache");
  out.empty_query = text_of(answer, "empty_query");
  if (const auto meant = answer.find("did_you_mean"); meant != answer.end() && meant->is_object())
    out.did_you_mean = text_of(*meant, "q");
  if (const auto took = answer.find("took_ms"); took != answer.end() && took->is_number()) out.took_ms = *took;
  if (const auto total = answer.find("total"); total != answer.end() && total->is_object()) {
    out.total = number_of(*total, "value").value_or(0);
    out.total_exact = text_of(*total, "relation") != "gte";
    if (const auto all = total->find("all_words"); all != total->end() && all->is_object()) {
      out.all_words = number_of(*all, "value");
      out.all_words_exact = text_of(*all, "relation") != "gte";
    }
  }
  if (const auto signs = answer.find("signs_not_applied"); signs != answer.end() && signs->is_array()) {
    for (const auto& one : *signs)
      if (one.is_object())
        out.signs.push_back(printable(text_of(one, "text") + " (expected " + text_of(one, "expected") + ")"));
  }
  if (const auto coverage = answer.find("coverage"); coverage != answer.end() && coverage->is_object()) {
    const auto unsearched = coverage->find("degraded");
    if (unsearched != coverage->end() && unsearched->is_array()) out.unsearched = unsearched->size();
  }
  return out;
}

std::string summary(const Answer& answer) {
  const auto counted = [](std::uint64_t count, bool exact) {
    return fmt::format("{}{}", exact ? "" : "at least ", count);
  };
  std::string out = counted(answer.total, answer.total_exact) + (answer.total == 1 ? " document" : " documents");
  if (answer.all_words) out += ", " + counted(*answer.all_words, answer.all_words_exact) + " with all words,";
  out += fmt::format(" in {:g} ms", answer.took_ms);
  if (answer.cache == "hit") out += ", from the cache";
  if (answer.unsearched > 0)
    out +=
        fmt::format("; {} {} did not answer", answer.unsearched, answer.unsearched == 1 ? "partition" : "partitions");
  return out;
}

std::string facet_tables(const std::vector<AnswerFacet>& facets) {
  std::string out;
  for (const auto& [name, lines] : facets) {
    out += '\n' + printable(name) + '\n';
    std::size_t widest = 0, digits = 0;
    for (const auto& [what, number] : lines) {
      widest = std::max(widest, width(what));
      digits = std::max(digits, width(number));
    }
    widest = std::min<std::size_t>(widest, 60);
    for (const auto& [what, number] : lines)
      out += fmt::format("  {}{:{}}  {:>{}}\n", printable(what), "", widest - std::min(widest, width(what)),
                         printable(number), digits);
  }
  return out;
}

std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = ' ';
  return out;
}

std::string printable_snippet(std::string_view html, std::string_view on, std::string_view off) {
  const std::pair<std::string_view, std::string_view> replacements[] = {
      {"<mark>", on}, {"</mark>", off}, {"&lt;", "<"},  {"&gt;", ">"},
      {"&amp;", "&"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&apos;", "'"}};
  const auto replace_front = [&](std::string& out) {
    for (const auto& [what, with] : replacements) {
      if (!html.starts_with(what)) continue;
      out += with;
      html.remove_prefix(what.size());
      return true;
    }
    return false;
  };
  std::string out;
  while (!html.empty()) {
    if (replace_front(out)) continue;
    out += printable(html.substr(0, 1));
    html.remove_prefix(1);
  }
  return out;
}

AnswerMarks answer_marks(std::string_view body) {
  AnswerMarks marks;
  while (!body.empty()) {
    const auto line = body.substr(0, body.find('\n'));
    const auto hits = std::min(line.find("\"hits\":"), line.find("\"count\":"));
    const auto head = line.substr(0, hits);
    marks.answered += hits != std::string_view::npos;
    marks.cache_hits += head.find("\"cache\":\"hit\"") != std::string_view::npos;
    marks.unsearched += head.find("\"degraded\":[{") != std::string_view::npos;
    body.remove_prefix(std::min(line.size() + 1, body.size()));
  }
  return marks;
}

}  // namespace frond::tools
