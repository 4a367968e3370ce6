#include "broker/http/answers/answer_json.h"

#include <array>
#include <charconv>
#include <set>

#include <nlohmann/json.hpp>

#include "common/schema/json.h"

namespace frond::broker::http {
namespace {

// The API calls the unsearched partitions "degraded" (common/wire/reasons.h).
void append_coverage(std::string& out, const merge::Page& page) {
  out += "\"coverage\":{\"partitions_total\":";
  append_number(out, page.partitions_total);
  out += ",\"partitions_answered\":";
  append_number(out, page.partitions_answered());
  out += ",\"degraded\":[";
  for (std::size_t i = 0; i < page.unsearched.size(); ++i) {
    out += i == 0 ? "{\"partition\":" : ",{\"partition\":";
    append_number(out, page.unsearched[i].partition);
    out.append(",\"reason\":\"").append(name_of(page.unsearched[i].reason)).append("\"}");
  }
  out += "]}";
}

// Bytes before the value of a member that is not the first.
constexpr std::size_t named(std::string_view name) { return name.size() + std::string_view(",\"\":").size(); }

// What is behind the first `begin` bytes, without the `skipped` ones that follow them.
Pieces::Piece piece_since(const std::string& out, std::size_t begin, std::size_t skipped) {
  if (out.size() == begin) return {};
  begin += skipped;
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(out.size() - begin)};
}

Pieces::Hit append_hit(std::string& out, const merge::PageHit& hit, const RenderOptions& options) {
  using std::string_view_literals::operator""sv;
  Pieces::Hit pieces{.score = hit.hit.score};
  out.append(R"({"id":)"sv);
  std::size_t begin = out.size();
  schema::append_json_string(out, hit.id);
  pieces.id = piece_since(out, begin, 0);
  if (options.scored) {
    out.append(R"(,"score":)"sv);
    append_score(out, hit.hit.score);
  }
  begin = out.size();
  if (!hit.sort_bytes.empty()) append_sort(out, hit.sort_bytes, *options.arrangement);
  pieces.sort = piece_since(out, begin, named("sort"));
  if ((options.fields & wire::kFieldTitle) != 0) schema::append_json_string(out.append(R"(,"title":)"sv), hit.title);
  if ((options.fields & wire::kFieldUrl) != 0) schema::append_json_string(out.append(R"(,"url":)"sv), hit.url);
  if ((options.fields & wire::kFieldSnippet) != 0) append_text(out, "snippet", snippet_html(hit.snippet));
  begin = out.size();
  if (hit.columns.size() > 2) out.append(",").append(hit.columns, 1, hit.columns.size() - 2);
  pieces.columns = piece_since(out, begin, 1);
  if (options.explain && options.scored) append_count(out, "score_fixed", hit.hit.score);
  if (options.explain) append_count(out, "ordinal", hit.hit.ordinal);
  if (!hit.explanation.empty()) out.append(",\"explanation\":").append(hit.explanation);
  out += '}';
  return pieces;
}

// `name`, and the relation of the value to the true one.
void append_bound(std::string& out, std::string_view name, const merge::Count& count) {
  append_count(out, name, count.value);
  append_text(out, "relation", count.exact ? "eq" : "gte");
}

void append_total(std::string& out, const merge::Page& page) {
  out += ",\"total\":{";
  append_bound(out, "value", page.total);
  if (page.all_words) {
    out += ",\"all_words\":{";
    append_bound(out, "value", *page.all_words);
    out += '}';
  }
  out += '}';
}

void append_hits(std::string& out, const merge::Page& page, const RenderOptions& options, Pieces& pieces) {
  out += ",\"hits\":[";
  pieces.hits.reserve(page.hits.size());
  for (std::size_t i = 0; i < page.hits.size(); ++i) {
    if (i > 0) out += ',';
    pieces.hits.push_back(append_hit(out, page.hits[i], options));
  }
  out += ']';
}

// Each engine once, sorted by name; the profile says which engine ran where.
void append_engines(std::string& out, const merge::Page::Profile& profile) {
  std::set<std::string_view> names;
  for (const auto& leaf : profile.leaves)
    for (const auto& partition : leaf.partitions)
      if (!partition.engine.empty()) names.insert(partition.engine);
  out += '[';
  for (const auto name : names) {
    if (!out.ends_with('[')) out += ',';
    schema::append_json_string(out, name);
  }
  out += ']';
}

void append_explain(std::string& out, const merge::Page& page, const RenderOptions& options) {
  out += ",\"explain\":{";
  append_text(out, "mode_used", name_of(page.mode_used));
  append_name(out, "engines");
  append_engines(out, page.profile);
  if (options.scored) {
    append_name(out, "k1");
    append_real(out, options.bm25.k1);
    append_name(out, "b");
    append_real(out, options.bm25.b);
  }
  out += ",\"terms\":[";
  for (const wire::QueryTerm& term : options.terms) {
    out += out.ends_with('[') ? "{" : ",{";
    append_text(out, "term", term.text);
    append_count(out, "occurrences", term.occurrences);
    out += '}';
  }
  out += "]}";
}

}  // namespace

void append_number(std::string& out, std::uint64_t value) {
  std::array<char, 24> digits{};
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

void append_thousandths(std::string& out, std::uint64_t value) {
  append_number(out, value / 1000);
  out += '.';
  const auto thousandths = value % 1000;
  out += static_cast<char>('0' + thousandths / 100);
  out += static_cast<char>('0' + thousandths / 10 % 10);
  out += static_cast<char>('0' + thousandths % 10);
}

void append_name(std::string& out, std::string_view name) {
  out += out.ends_with('{') ? "\"" : ",\"";
  out.append(name).append("\":");
}

void append_text(std::string& out, std::string_view name, std::string_view text) {
  append_name(out, name);
  schema::append_json_string(out, text);
}

void append_count(std::string& out, std::string_view name, std::uint64_t value) {
  append_name(out, name);
  append_number(out, value);
}

void append_real(std::string& out, double value) {
  std::array<char, 32> digits{};
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

void append_score(std::string& out, topk::Score score) {
  append_real(out, static_cast<double>(score) / scoring::kScoreScale);
}

std::string snippet_html(std::string_view marked) {
  std::string out;
  out.reserve(marked.size() + marked.size() / 4);
  bool open = false;
  for (const char c : marked) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case '\x02':
        if (!open) out += "<mark>";
        open = true;
        break;
      case '\x03':
        if (open) out += "</mark>";
        open = false;
        break;
      default:
        out += c;
    }
  }
  if (open) out += "</mark>";
  return out;
}

std::string render_rest(const merge::Page& page, const RenderOptions& options, Pieces* to) {
  std::string out;
  Pieces pieces;
  out.reserve(256 + page.hits.size() * 512);
  append_coverage(out, page);
  pieces.coverage = piece_since(out, 0, named("coverage") - 1);
  pieces.scored = options.scored;
  pieces.total = {page.total.value, options.count || page.total.exact};
  if (options.count) {
    append_bound(out, "count", page.total);
  } else {
    append_total(out, page);
    append_hits(out, page, options, pieces);
  }
  std::size_t begin = out.size();
  if (!options.cursor.empty()) append_text(out, "cursor", options.cursor);
  pieces.cursor = piece_since(out, begin, named("cursor"));
  begin = out.size();
  if (!page.facets.empty()) append_facets(out, page.facets, *options.arrangement);
  pieces.facets = piece_since(out, begin, named("facets"));
  begin = out.size();
  out += options.near;
  pieces.near = piece_since(out, begin, named("did_you_mean"));
  out += options.understood;
  if (options.explain) append_explain(out, page, options);
  if (options.profile) append_profile(out, page.profile);
  out += '}';
  if (to != nullptr) *to = std::move(pieces);
  return out;
}

std::string_view render_empty(bool only_stop_words) {
  return only_stop_words ? ",\"empty_query\":\"stop_words\"" : ",\"empty_query\":\"no_words\"";
}

std::string render_understood(std::string_view understood, std::span<const query::ParameterNote> notes) {
  std::string out;
  if (!understood.empty()) append_text(out, "understood", understood);
  for (const auto& [parameter, note] : notes) {
    out += &parameter == &notes.front().parameter ? ",\"signs_not_applied\":[{" : ",{";
    append_text(out, "text", note.found);
    append_count(out, "position", note.code_point);
    append_text(out, "expected", note.expected);
    if (!note.nearest.empty()) append_text(out, "nearest", note.nearest);
    if (parameter != "q") append_text(out, "parameter", parameter);
    out += '}';
  }
  if (!notes.empty()) out += ']';
  return out;
}

std::string render_answer(std::uint64_t took_us, bool timed_out, Generation generation, std::string_view cache,
                          std::string_view rest) {
  std::string out;
  out.reserve(rest.size() + 128);
  out += "{\"took_ms\":";
  append_thousandths(out, took_us);
  out += timed_out ? ",\"timed_out\":true,\"generation\":" : ",\"timed_out\":false,\"generation\":";
  append_number(out, generation);
  out.append(",\"cache\":\"").append(cache).append("\",").append(rest);
  return out;
}

}  // namespace frond::broker::http
