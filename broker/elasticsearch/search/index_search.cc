#include "broker/elasticsearch/search/index_search.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>

#include "broker/http/search/question.h"
#include "broker/query/cursor.h"
#include "common/elasticsearch/document.h"
#include "common/elasticsearch/json_body.h"
#include "common/query/json/clause_json.h"
#include "common/schema/date.h"

namespace frond::broker::elasticsearch {
namespace {

using query::Clause;

// Like a document without a value in a long.
constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min(),
                       kLast = std::numeric_limits<std::int64_t>::max();

query::SortKey key_of(const SortColumn& column) {
  query::SortKey key;
  key.by = column.by == SortColumn::By::kScore   ? query::SortKey::By::kScore
           : column.by == SortColumn::By::kOrder ? query::SortKey::By::kOrder
                                                 : query::SortKey::By::kColumn;
  if (column.field != nullptr) key.field = column.field->column;
  key.descending = column.descending;
  key.missing_first = column.missing_first;
  return key;
}

// Whether the documents are ordered by the same before it: then it changes nothing, and has the same value.
const SortColumn* same_before(const std::vector<SortColumn>& columns, const SortColumn& column) {
  const auto same = std::find_if(columns.data(), &column, [&](const SortColumn& one) {
    return one.by == column.by && one.field == column.field && one.by != SortColumn::By::kUnmapped;
  });
  return same == &column ? nullptr : same;
}

Json shown_value(const SortColumn& column, const Json& value) {
  if (value.is_null()) return missing_value(column);
  if (column.field == nullptr) return value;
  if (column.field->type == Type::kBoolean) return value == true ? 1 : 0;
  if (column.field->type == Type::kDate) {
    const auto date = schema::parse_date(value.get<std::string>());
    return date ? Json(date->first_ms) : value;
  }
  if (column.field->type == Type::kFloat) return Json::parse(score_text(value));
  return value;
}

// Of a search alone: what there is to show, without buckets.
// `place`: of a scroll, the cursor behind which it goes on.
void add_hits(const SearchAsk& ask, const std::vector<SortColumn>& sort, bool several, const std::string& place,
              http::SearchParameters& to) {
  to.k = several ? ask.from + ask.size : ask.size;
  to.offset = several ? 0 : ask.from;
  to.exact_total = ask.totals;
  to.fields = 0;
  const bool source = ask.source.shown || !ask.fields.empty() || !ask.docvalue_fields.empty() ||
                      !ask.highlight.is_null() || ask.versions || ask.sequence_numbers;
  if (source) to.columns = {std::string(http::kSource)};
  for (const SortColumn& column : sort)
    if (column.by != SortColumn::By::kUnmapped && same_before(sort, column) == nullptr)
      to.sort.push_back(key_of(column));
  if (ask.scrolls) {
    to.search_after = place;
    to.cursors = several;
    to.cache = !several;
    if (ask.by_score()) to.sort.push_back({.by = query::SortKey::By::kScore, .descending = true});
  }
  if (!ask.sort.empty() && to.sort.empty()) to.sort.push_back({.by = query::SortKey::By::kOrder, .field = {}});
}

Clause both(Clause query, Clause filter) {
  query::Bool made;
  made.must.push_back(std::move(query));
  made.filter.push_back(std::move(filter));
  return Clause{std::move(made)};
}

// Of a scroll behind its first page: the search that this was.
Expected<ReadParts> next_page(const SearchAsk& ask, const ScrolledIndex& at, const std::vector<SortColumn>& sort,
                              bool several) {
  ReadParts parts;
  parts.kept = at.read;
  parts.over = at.over;
  if (at.over) return parts;
  auto query = query::parse_clause(at.read.at("query").get<std::string>(), "query");
  if (!query) return illegal_argument("Cannot parse scroll id");
  parts.hits.mode = wire::Mode::kOr;
  parts.hits.query = *std::move(query);
  parts.hits.allow_partial = ask.partial;
  add_hits(ask, sort, several, at.cursor, parts.hits);
  parts.scale = at.read.at("scale");
  if (const Json& k1 = at.read.at("k1"); !k1.is_null()) parts.hits.k1 = k1.get<double>();
  if (const Json& b = at.read.at("b"); !b.is_null()) parts.hits.b = b.get<double>();
  const auto lies_in = [](const std::optional<double>& value, double most) {
    return !value || (*value >= 0 && *value <= most);
  };
  if (!lies_in(parts.hits.k1, scoring::kMaxK1) || !lies_in(parts.hits.b, 1) ||
      !(parts.scale > 0 && std::isfinite(parts.scale)))
    return illegal_argument("Cannot parse scroll id");
  return parts;
}

// Of an answer's "coverage": why its partitions were not searched; empty: all were.
std::string lacking_in(std::string_view raw) {
  const Json coverage = Json::parse(raw, nullptr, /*allow_exceptions=*/false);
  const auto degraded = coverage.find("degraded");
  if (degraded == coverage.end() || degraded->empty()) return {};
  return "partitions that were not searched: " + std::to_string(degraded->size()) + ", the first " +
         dumped(degraded->front());
}

// The only column that is asked for.
constexpr std::string_view kSourceMember = "\"source\":";

std::string_view without_ends(std::string_view text) {
  return text.size() < 2 ? text : text.substr(1, text.size() - 2);
}

// Of a JSON string.
std::string text_of(std::string_view json) {
  if (json.find('\\') == json.npos) return std::string(without_ends(json));
  return Json::parse(json).get<std::string>();
}

}  // namespace

Json missing_value(const SortColumn& column) {
  const bool largest = column.missing_first == column.descending;
  const std::string_view type =
      column.field != nullptr ? name_of(column.field->type) : std::string_view(column.unmapped_type);
  if (type == "keyword" || type == "text") return nullptr;
  if (type == "float" || type == "double" || type == "half_float") return largest ? "Infinity" : "-Infinity";
  if (type == "integer" || type == "short" || type == "byte" || type == "boolean")
    return largest ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int32_t>::min();
  return largest ? kLast : kFirst;
}

std::string score_text(double score) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), static_cast<float>(score)).ptr;
  std::string text(digits.data(), end);
  if (text.find_first_of(".e") == text.npos) text += ".0";
  return text;
}

Expected<std::vector<SortColumn>> sort_columns(const SearchAsk& ask, const Mapping& mapping) {
  std::vector<SortColumn> columns;
  for (const AskedSort& one : ask.sort) {
    const MappedField* const field = mapping.find(one.field);
    if (field != nullptr && field->has_words() && !one.mode.empty() && one.mode != "min" && one.mode != "max")
      return illegal_argument("[" + one.field + "] is a keyword, whose sort has no mode [" + one.mode + "]");
  }
  for (const AskedSort& one : ask.sort) {
    if (one.in_window()) return not_supported("this [sort] here");
    if (&one != &ask.sort.front() && ask.sort.front().field == "_doc")
      return not_supported("a sort by others behind [_doc]");
    if (one.field == "_shard_doc")
      return ApiError{.type = "query_shard_exception",
                      .reason = "No mapping found for [_shard_doc] in order to sort on"};
    SortColumn column{.descending = one.descending, .missing_first = one.missing_first};
    if (one.field == "_score") {
      column.by = SortColumn::By::kScore;
    } else if (one.field == "_doc") {
      column.by = SortColumn::By::kOrder;
    } else if (const MappedField* const field = mapping.find(one.field)) {
      if (!field->has_values())
        return illegal_argument(
            "Text fields are not optimised for operations that require per-document field data like aggregations and "
            "sorting, "
            "so these operations are disabled by default. Please use a keyword field instead: [" +
            one.field + "]");
      column.field = field;
    } else if (one.field.starts_with('_')) {
      return not_supported("a sort by [" + one.field + "]");
    } else if (one.unmapped_type) {
      column.by = SortColumn::By::kUnmapped;
      column.unmapped_type = *one.unmapped_type;
    } else {
      return ApiError{.type = "query_shard_exception",
                      .reason = "No mapping found for [" + one.field + "] in order to sort on"};
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

Expected<ReadParts> parameters_of(const SearchAsk& ask, const SearchedIndex& index, text::Analyzer& analyzer,
                                  Statistics& statistics, std::int64_t now_ms, bool several) {
  return typed([&]() -> Expected<ReadParts> {
    const auto sort = FROND_EXPECT_OK(sort_columns(ask, *index.mapping));
    double boost = 1;
    for (const auto& [pattern, by] : ask.index_boosts)
      if (matches_pattern(pattern, index.name)) {
        boost = by;
        break;  // the first counts
      }
    const bool scored = (ask.by_score() || ask.sorts_scores()) && ask.size > 0;
    ReadParts parts;
    if (const auto at = ask.scrolled.find(index.name); at != ask.scrolled.end())
      return next_page(ask, at->second, sort, several);
    QueryScope scope{.mapping = *index.mapping,
                     .index = index.name,
                     .analyzer = analyzer,
                     .statistics = statistics,
                     .now_ms = now_ms,
                     .documents = index.documents};
    const auto read = [&]() -> Expected<Clause> {
      if (ask.query.is_null()) return QueryReader(scope).read({{"match_all", Json::object()}}, boost, scored);
      return QueryReader(scope).read(ask.query, boost, scored);
    };
    Clause query = FROND_EXPECT_OK(read());
    if (scope.shares.size() > 1) {
      scope.makes_up = false;
      query = FROND_EXPECT_OK(read());
    }
    if (scope.better_scale() != 1) {
      scope.scale = scope.better_scale();
      query = FROND_EXPECT_OK(read());
    }
    parts.scale = scope.scale;
    const auto unscored = [&](const Json& json) { return QueryReader(scope).read(json, 1, /*scored=*/false); };
    Clause everything{query::All()};
    if (!index.filters.empty()) {
      query::Bool any;
      for (const Json& filter : index.filters) any.should.push_back(FROND_EXPECT_OK(unscored(filter)));
      everything = Clause{std::move(any)};
      query = both(std::move(query), everything);
    }
    http::SearchParameters made;
    made.mode = wire::Mode::kOr;
    made.query = query;
    made.allow_partial = ask.partial;
    parts.hits = made;
    if (ask.size == 0) {
      parts.hits.k = 0;
      parts.hits.count = true;
      parts.hits.rank = wire::Rank::kNone;
    } else {
      add_hits(ask, sort, several, /*place=*/{}, parts.hits);
      if (scored) {
        parts.hits.k1 = scope.bm25().k1;
        parts.hits.b = scope.bm25().b;
      }
    }
    if (!ask.post_filter.is_null()) parts.hits.query = both(query, FROND_EXPECT_OK(unscored(ask.post_filter)));
    if (ask.scrolls)
      parts.kept = {{"query", query::clause_json(*parts.hits.query)},
                    {"scale", parts.scale},
                    {"k1", parts.hits.k1 ? Json(*parts.hits.k1) : Json()},
                    {"b", parts.hits.b ? Json(*parts.hits.b) : Json()}};
    if (ask.aggregations.is_null()) return parts;
    const bool all_match = index.filters.empty() && (ask.query.is_null() || ask.query.contains("match_all"));
    parts.aggregations = FROND_EXPECT_OK(read_aggregations(ask.aggregations, scope, all_match));
    auto facets = FROND_EXPECT_OK(facets_of(parts.aggregations));
    auto everywhere = FROND_EXPECT_OK(facets_everywhere(parts.aggregations));
    // One hit, which is not shown: a search of none has no facets.
    made.k = 1;
    made.rank = wire::Rank::kNone;
    made.fields = 0;
    if (!everywhere.empty()) {
      parts.everywhere = made;
      parts.everywhere->query = std::move(everything);
      parts.everywhere->facets = std::move(everywhere);
    }
    if (facets.empty()) return parts;
    if (!ask.post_filter.is_null() || ask.size == 0) {
      made.facets = std::move(facets);
      (ask.post_filter.is_null() ? parts.hits : parts.counted.emplace()) = std::move(made);
    } else {
      parts.hits.facets = std::move(facets);
    }
    return parts;
  });
}

void count_apart(ReadParts& parts, std::size_t indices) {
  parts.hits.exact_total = true;
  const auto set = [&](http::SearchParameters& one) {
    if (one.facets.empty()) return;
    one.facets_apart = static_cast<std::uint32_t>(indices);
    one.cache = false;
  };
  set(parts.hits);
  if (parts.counted) set(*parts.counted);
  if (parts.everywhere) set(*parts.everywhere);
}

Expected<std::string> cursor_of(const SearchAsk& ask, const SearchedIndex& index, const ReadParts& parts,
                                const GenerationId& generation) {
  const auto columns = FROND_EXPECT_OK(sort_columns(ask, *index.mapping));
  broker::query::Cursor cursor{
      .generation = generation, .query = http::ranking_of(parts.hits, index.name), .after = {}};
  std::string& bytes = cursor.after.bytes;
  cursor.after.ordinal = ~Ordinal{0} >> 2;  // behind all documents with these values
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const SortColumn& column = columns[i];
    const Json& value = (*ask.search_after)[i];
    const query::SortKey key = key_of(column);
    if (column.by == SortColumn::By::kUnmapped || same_before(columns, column) != nullptr) continue;
    if (column.by != SortColumn::By::kField) {
      if (!value.is_number())
        return illegal_argument("Failed to parse search_after value for field [" + ask.sort[i].field + "].");
      if (column.by == SortColumn::By::kOrder) return not_supported("search_after of [_doc]");
      const double score = std::clamp(value.get<double>() * parts.scale * scoring::kScoreScale, 0.0, 4294967295.0);
      query::SortBytes::add_score(key, static_cast<scoring::Score>(score), bytes);
      continue;
    }
    std::optional<schema::Value> typed;
    if (value != missing_value(column) && !value.is_null()) {
      auto read =
          value_of(*column.field, column.field->type == Type::kBoolean && value.is_number() ? Json(value != 0) : value);
      if (!read)
        return illegal_argument("Failed to parse search_after value for field [" + ask.sort[i].field +
                                "]: " + read.error().reason);
      typed = *std::move(read);
    }
    if (column.field->has_words()) {
      const auto* const word = typed ? std::get_if<std::string>(&*typed) : nullptr;
      query::SortBytes::add_keyword(key, word != nullptr ? std::optional<std::string_view>(*word) : std::nullopt,
                                    bytes);
    } else {
      const auto type = column.field->type == Type::kDate      ? schema::FieldType::kDate
                        : column.field->type == Type::kBoolean ? schema::FieldType::kBoolean
                        : is_whole(column.field->type)         ? schema::FieldType::kInteger
                                                               : schema::FieldType::kFloat;
      query::SortBytes::add_number(key, typed ? std::optional(schema::ordering_key(type, *typed)) : std::nullopt,
                                   bytes);
    }
  }
  return broker::query::cursor_text(cursor);
}

Json json_in(const http::Answer& found, const http::Pieces::Piece& piece) {
  if (piece.size == 0) return nullptr;
  auto json = parse_json(piece.of(found.rest));
  return json ? *std::move(json) : Json();
}

Expected<IndexAnswer> read_answer(const http::Answer& found, const SearchAsk& ask, const SearchedIndex& index,
                                  double scale) {
  const auto columns = FROND_EXPECT_OK(sort_columns(ask, *index.mapping));
  const std::string_view text = found.rest;
  const http::Pieces& pieces = found.pieces;
  IndexAnswer answer;
  answer.total = pieces.total.value;
  answer.exact = pieces.total.exact;
  answer.timed_out = found.timed_out;
  if (!found.cursors.empty()) answer.start = found.cursors.front();
  answer.next = without_ends(pieces.cursor.of(text));
  answer.facets = json_in(found, pieces.facets);
  answer.near = json_in(found, pieces.near);
  if (!found.whole()) answer.lacking = lacking_in(pieces.coverage.of(text));
  answer.hits.reserve(pieces.hits.size());
  for (const http::Pieces::Hit& one : pieces.hits) {
    Hit& hit = answer.hits.emplace_back();
    hit.id = text_of(one.id.of(text));
    if (!found.cursors.empty()) hit.cursor = found.cursors[answer.hits.size()];
    if (pieces.scored) hit.score = static_cast<double>(one.score) / scoring::kScoreScale / scale;
    if (one.sort.size > 0) hit.sort = Json::parse(one.sort.of(text), nullptr, /*allow_exceptions=*/false);
    std::string_view record = one.columns.of(text);
    if (!record.starts_with(kSourceMember)) continue;
    record.remove_prefix(kSourceMember.size());
    hit.source = index.derived ? record : source_of(record);
    if (!index.derived && (ask.versions || ask.sequence_numbers)) hit.kept = kept_of(record);
  }
  if (ask.sort.empty()) {
    if (ask.scrolls)
      for (Hit& hit : answer.hits) hit.sort = nullptr;  // by score all the same
    return answer;
  }
  for (Hit& hit : answer.hits) {
    Json shown = Json::array();
    std::size_t at = 0;
    for (const SortColumn& column : columns) {
      if (column.by == SortColumn::By::kUnmapped) {
        shown.push_back(missing_value(column));
        continue;
      }
      if (const auto* const same = same_before(columns, column); same != nullptr) {
        shown.push_back(shown[static_cast<std::size_t>(same - columns.data())]);
        continue;
      }
      const Json value = at < hit.sort.size() ? hit.sort[at] : Json();
      ++at;
      shown.push_back(column.by == SortColumn::By::kScore && value.is_number() ? Json(value.get<double>() / scale)
                                                                               : shown_value(column, value));
    }
    hit.sort = std::move(shown);
  }
  return answer;
}

}  // namespace frond::broker::elasticsearch
