#include "broker/elasticsearch/hits/highlight.h"

#include <algorithm>

#include "broker/elasticsearch/hits/hit_json.h"
#include "broker/elasticsearch/hits/window_order.h"
#include "broker/elasticsearch/indices/catalogue.h"
#include "common/elasticsearch/json_body.h"
#include "common/text/utf8.h"

namespace frond::broker::elasticsearch {
namespace {

using query::Clause;

constexpr std::size_t kMaxFragments = 100, kMaxFragmentSize = 100'000, kMaxTagBytes = 256;
constexpr std::size_t kMaxOwnQueries = 16;  // of fields, beside the one that they share

struct Span {
  std::size_t begin, end;
};

// Sets what an object says, of all fields or of one. Gives its "highlight_query", which lies in `json`; null: none.
Expected<const Json*> read_options(const Json& json, HighlightField& to) {
  const Json* query = nullptr;
  for (const auto& [key, value] : json.items()) {
    if (key == "fields" || (key == "order" && value == "none") || key == "boundary_scanner_locale" ||
        key == "phrase_limit" || key == "max_analyzer_offset" || key == "boundary_max_scan" ||
        key == "boundary_chars" || key == "force_source" || key == "highlight_filter")
      continue;
    if (key == "pre_tags" || key == "post_tags") {
      const Json first = value.is_array() && !value.empty() ? value[0] : value;
      if (!first.is_string()) return parsing_exception("[" + key + "] must be texts");
      if (first.get_ref<const std::string&>().size() > kMaxTagBytes)
        return illegal_argument("[" + key + "] has more than " + std::to_string(kMaxTagBytes) + " bytes");
      (key == "pre_tags" ? to.before : to.after) = first;
    } else if (key == "fragment_size" || key == "number_of_fragments" || key == "no_match_size") {
      const auto whole = FROND_EXPECT_OK(whole_member(json, key.c_str(), 0));
      if (whole < 0) return not_supported("[" + key + "] below 0 of highlight");
      const auto number = static_cast<std::size_t>(whole);
      if (key == "fragment_size")
        to.size = std::min(number, kMaxFragmentSize);
      else
        (key == "no_match_size" ? to.no_match : to.fragments) =
            std::min(number, key == "no_match_size" ? kMaxFragmentSize : kMaxFragments);
    } else if (key == "require_field_match") {
      to.any_field = value == false;
    } else if (key == "encoder" && to.field == nullptr && (value == "html" || value == "default")) {
      to.html = value == "html";
    } else if (key == "type") {
      if (value != "unified" && value != "plain" && value != "fvh")
        return illegal_argument("unknown highlighter type [" + dumped(value) + "] for the field [" +
                                (to.field != nullptr ? to.field->name : "") + "]");
      if (value == "fvh") return not_supported("[fvh] highlighter");
    } else if (key == "boundary_scanner" && (value == "sentence" || value == "word")) {
      to.words = value == "word";
    } else if (key == "highlight_query") {
      if (!value.is_object()) return parsing_exception("[highlight_query] must be a query");
      query = &value;
    } else if (key == "tags_schema" || key == "matched_fields" || key == "fragmenter" || key == "boundary_scanner" ||
               key == "order" || key == "fragment_offset" || key == "options") {
      return not_supported("[" + key + "] of highlight");
    } else {
      return parsing_exception("[highlight] unknown field [" + key + "]");
    }
  }
  return query;
}

void collect(const Clause& clause, text::Analyzer& analyzer, QueryTerms& to) {
  if (const auto* const terms = clause.as<query::Terms>()) {
    for (const schema::Value& value : terms->values)
      if (const auto* const text = std::get_if<std::string>(&value)) to[terms->field].terms.insert(*text);
  } else if (const auto* const phrase = clause.as<query::Phrase>()) {
    auto words = analyzer.query_terms(phrase->text);
    if (phrase->prefix && !words.empty()) {
      to[phrase->field].prefixes.insert(words.back());
      words.pop_back();
    }
    if (phrase->prefix || phrase->slop > 0 || words.size() == 1)
      to[phrase->field].terms.insert(words.begin(), words.end());
    else
      to[phrase->field].phrases.push_back(std::move(words));
  } else if (const auto* const prefix = clause.as<query::Prefix>()) {
    to[prefix->field].prefixes.insert(prefix->text);
  } else if (const auto* const wildcard = clause.as<query::Wildcard>()) {
    if (wildcard->pattern.find_first_of("?\\") == std::string::npos)
      to[wildcard->field].patterns.insert(wildcard->pattern);
  } else if (const auto* const both = clause.as<query::Bool>()) {
    for (const auto* const part : {&both->must, &both->should, &both->filter})
      for (const Clause& one : *part) collect(one, analyzer, to);
  } else {
    query::for_each_child(clause, [&](const Clause& one) { collect(one, analyzer, to); });
  }
}

bool is_match(const HighlightTerms& terms, std::string_view term) {
  return terms.terms.contains(term) ||
         std::ranges::any_of(terms.prefixes, [&](const auto& one) { return term.starts_with(one); }) ||
         std::ranges::any_of(terms.patterns, [&](const auto& one) { return matches_pattern(one, term); });
}

std::vector<Span> matches_in(std::string_view text, const HighlightTerms& terms, text::Analyzer& analyzer) {
  std::vector<std::pair<std::string, Span>> words;
  analyzer.analyze(text, [&](std::string_view term, text::TokenSpan where) {
    words.push_back({std::string(term), {where.begin, where.end}});
  });
  std::vector<bool> marked(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_match(terms, words[i].first)) marked[i] = true;
    for (const auto& phrase : terms.phrases) {
      const bool here = i + phrase.size() <= words.size() &&
                        std::equal(phrase.begin(), phrase.end(), words.begin() + static_cast<std::ptrdiff_t>(i),
                                   [](const auto& a, const auto& b) { return a == b.first; });
      for (std::size_t j = 0; here && j < phrase.size(); ++j) marked[i + j] = true;
    }
  }
  std::vector<Span> found;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (marked[i]) found.push_back(words[i].second);
  return found;
}

void append_text(std::string& out, std::string_view text, bool html) {
  if (!html) {
    out += text;
    return;
  }
  for (const char c : text)
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#x27;";
    else if (c == '/')
      out += "&#x2F;";
    else
      out += c;
}

std::string marked(std::string_view text, Span part, const std::vector<Span>& matches, const HighlightField& how) {
  std::string out;
  std::size_t at = part.begin;
  for (const Span& match : matches) {
    if (match.begin < part.begin || match.end > part.end) continue;
    append_text(out, text.substr(at, match.begin - at), how.html);
    out += how.before;
    append_text(out, text.substr(match.begin, match.end - match.begin), how.html);
    out += how.after;
    at = match.end;
  }
  append_text(out, text.substr(at, part.end - at), how.html);
  return out;
}

std::size_t blank_at_or_after(std::string_view text, std::size_t at) {
  return std::min(text.find(' ', std::min(at, text.size())), text.size());
}

// Where the sentence with this place begins, not before `from`.
std::size_t sentence_begin(std::string_view text, std::size_t from, std::size_t place) {
  std::size_t begin = from;
  for (std::size_t i = from; i + 1 < place; ++i)
    if ((text[i] == '.' || text[i] == '!' || text[i] == '?') && text[i + 1] == ' ' &&
        (i + 2 >= text.size() || !(text[i + 2] >= 'a' && text[i + 2] <= 'z')))
      begin = i + 2;
  return begin;
}

std::vector<std::string> fragments_of(std::string_view text, const std::vector<Span>& matches,
                                      const HighlightField& how) {
  std::vector<std::string> found;
  std::size_t from = 0;
  for (const Span& match : matches) {
    if (match.begin < from) continue;
    if (found.size() == how.fragments) break;
    if (how.words) {
      found.push_back(marked(text, match, matches, how));
      continue;
    }
    const std::size_t begin = sentence_begin(text, from, match.begin);
    const std::size_t end = blank_at_or_after(text, std::max(begin + how.size, match.end));
    found.push_back(marked(text, {begin, end}, matches, how));
    from = std::min(end + 1, text.size());
  }
  return found;
}

// What a query of its own looks for.
Expected<std::shared_ptr<const QueryTerms>> own_terms(const Json& json, const Mapping& mapping) {
  Statistics statistics;
  text::Analyzer& analyzer = analyzer_of(mapping.analyzer);
  QueryScope scope{.mapping = mapping, .index = "", .analyzer = analyzer, .statistics = statistics, .now_ms = now_ms()};
  const Clause clause = FROND_EXPECT_OK(QueryReader(scope).read(json, 1, /*scored=*/false));
  if (statistics.lacks_words())
    return not_supported("a pattern or a fuzzy word that is looked for among all values, in a [highlight_query],");
  return std::make_shared<const QueryTerms>(terms_of(clause, analyzer));
}

}  // namespace

Expected<std::vector<HighlightField>> read_highlight(const Json& json, const Mapping& mapping) {
  HighlightField usual;
  if (const Json* const query = FROND_EXPECT_OK(read_options(json, usual)))
    usual.own = FROND_EXPECT_OK(own_terms(*query, mapping));
  const Json given = json.contains("fields") ? json["fields"] : Json();
  if (!given.is_structured()) return parsing_exception("[highlight] fields must be an object or an array of objects");
  std::vector<HighlightField> all;
  std::size_t patterns = 0, own_queries = 0;
  for (const Json& group : given.is_array() ? given : Json::array({given})) {
    if (!group.is_object()) return parsing_exception("[highlight] fields must be an object or an array of objects");
    for (const auto& [pattern, options] : group.items()) {
      if (++patterns > kMaxFieldNames)
        return illegal_argument("[highlight] has more than " + std::to_string(kMaxFieldNames) + " fields");
      if (!options.is_object()) return parsing_exception("[highlight] options of a field must be an object");
      HighlightField said = usual;
      said.field = mapping.find(pattern);
      if (const Json* const query = FROND_EXPECT_OK(read_options(options, said))) {
        if (++own_queries > kMaxOwnQueries)
          return illegal_argument("[highlight] more than " + std::to_string(kMaxOwnQueries) +
                                  " fields have a [highlight_query] of their own");
        said.own = FROND_EXPECT_OK(own_terms(*query, mapping));
      }
      for (const MappedField& field : mapping.fields) {
        if (!matches_pattern(pattern, field.name) || (field.type != Type::kText && field.type != Type::kKeyword))
          continue;
        said.field = &field;
        const auto before = std::ranges::find(all, &field, &HighlightField::field);  // the last that names it counts
        if (before != all.end())
          *before = said;
        else
          all.push_back(said);
      }
    }
  }
  return all;
}

QueryTerms terms_of(const Clause& clause, text::Analyzer& analyzer) {
  QueryTerms all;
  collect(clause, analyzer, all);
  return all;
}

Json highlighted(const Json& source, const std::vector<HighlightField>& fields, const QueryTerms& terms,
                 text::Analyzer& analyzer) {
  Json all;
  for (const HighlightField& how : fields) {
    HighlightTerms wanted;
    for (const auto& [column, of] : how.own != nullptr ? *how.own : terms)
      if (how.any_field || column == how.field->column) {
        wanted.terms.insert(of.terms.begin(), of.terms.end());
        wanted.prefixes.insert(of.prefixes.begin(), of.prefixes.end());
        wanted.patterns.insert(of.patterns.begin(), of.patterns.end());
        wanted.phrases.insert(wanted.phrases.end(), of.phrases.begin(), of.phrases.end());
      }
    Json shown = Json::array();
    for (const Json& value : values_at(source, how.field->path)) {
      if (!value.is_string()) continue;
      const auto& text = value.get_ref<const std::string&>();
      const bool keyword = how.field->type == Type::kKeyword;
      std::vector<Span> matches;
      if (!keyword)
        matches = matches_in(text, wanted, analyzer);
      else if (is_match(wanted, text))
        matches.push_back({0, text.size()});
      if (matches.empty()) continue;
      if (how.fragments == 0 || keyword)
        shown.push_back(marked(text, {0, text.size()}, matches, how));
      else
        for (std::string& one : fragments_of(text, matches, how)) shown.push_back(std::move(one));
    }
    if (shown.empty() && how.no_match > 0)
      for (const Json& value : values_at(source, how.field->path))
        if (value.is_string() && shown.empty())
          shown.push_back(
              value.get<std::string>().substr(0, blank_at_or_after(value.get_ref<const std::string&>(), how.no_match)));
    if (how.fragments > 0 && shown.size() > how.fragments)
      shown.erase(shown.begin() + static_cast<std::ptrdiff_t>(how.fragments), shown.end());
    if (!shown.empty()) all[how.field->name] = std::move(shown);
  }
  return all;
}

void add_highlights(const Json& asked, const Mapping& mapping, const std::optional<Clause>& query, std::size_t index,
                    std::vector<Hit>& hits) {
  const auto fields = read_highlight(asked, mapping);
  if (!fields || !query) return;
  text::Analyzer& analyzer = analyzer_of(mapping.analyzer);
  const QueryTerms terms = terms_of(*query, analyzer);
  for (Hit& hit : hits)
    if (hit.index == index)
      hit.highlight =
          highlighted(Json::parse(hit.source, nullptr, /*allow_exceptions=*/false), *fields, terms, analyzer);
}

}  // namespace frond::broker::elasticsearch
