#include "broker/elasticsearch/token_stream.h"

#include <algorithm>
#include <set>
#include <utility>

#include "broker/elasticsearch/json_body.h"
#include "broker/elasticsearch/mapping.h"
#include "common/text/analyzer.h"
#include "common/text/normal_form.h"
#include "common/text/unicode.h"
#include "common/text/utf8.h"

namespace frond::broker::elasticsearch {
namespace {
using text::CodePoint;
using Tokens = std::vector<ShownToken>;

constexpr std::size_t kMostFilters = 50;
constexpr std::int64_t kMostGram = 255;

bool is_letter(char32_t c) {
  using text::WordClass;
  const WordClass kind = c < 128 ? text::kAsciiWordClass[c] : text::word_class_of(c);
  return kind == WordClass::kLetter || kind == WordClass::kKatakana || kind == WordClass::kAlone;
}
bool is_digit(char32_t c) {
  return (c < 128 ? text::kAsciiWordClass[c] : text::word_class_of(c)) == text::WordClass::kDigit;
}
bool is_space(char32_t c) {
  return c == ' ' || (c >= 9 && c <= 13) || (c >= 0x1c && c <= 0x1f) || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a && c != 0x2007) || c == 0x2028 || c == 0x2029 || c == 0x205f || c == 0x3000;
}

// A tokenizer or filter that is built in, given as an object, or of the settings.
struct Part {
  std::string type, shown;
  Json members = Json::object();

  Expected<std::int64_t> number(const char* name, std::int64_t otherwise, std::int64_t least, std::int64_t most) const {
    const Json given = members.value(name, Json());
    std::int64_t number = otherwise;
    if (given.is_string())  // as settings are kept
      number = std::strtoll(given.get_ref<const std::string&>().c_str(), nullptr, 10);
    else if (!given.is_null())
      number = FROND_EXPECT_OK(whole_member(members, name, otherwise));
    if (number >= least && number <= most) return number;
    return illegal_argument("[" + std::string(name) + "] of [" + shown + "] is not from " + std::to_string(least) +
                            " to " + std::to_string(most));
  }
  bool flag(const char* name) const {
    const Json given = members.value(name, Json(false));
    return given == true || given == "true";
  }
};
Expected<Part> part_of(const Json& analysis, const char* kind, const Json& given) {
  if (given.is_object()) {
    const std::string type = FROND_EXPECT_OK(text_member(given, "type", ""));
    return Part{type, type, given};
  }
  if (!given.is_string()) return parsing_exception("[" + std::string(kind) + "] is neither a name nor an object");
  const std::string name = given;
  const Json* const own = at_path(analysis, std::string(kind) + "." + name);
  if (own == nullptr || !own->is_object()) return Part{name, name, Json::object()};
  return Part{FROND_EXPECT_OK(text_member(*own, "type", name)), name, *own};
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  Expected<Tokens> run(const Part& part) {
    if (part.type == "standard" && part.members.value("max_token_length", Json("255")) == "255") return standard();
    if (part.type == "letter" || part.type == "lowercase") return runs(is_letter);
    if (part.type == "whitespace") return runs([](char32_t c) { return !is_space(c); });
    if (part.type == "keyword") {
      if (!text_.empty()) add(0, text_.size(), "word");
      return std::move(tokens_);
    }
    if (part.type == "edge_ngram" || part.type == "ngram" || part.type == "nGram" || part.type == "edgeNGram")
      return grams(part, part.type.starts_with("edge"));
    return not_supported("tokenizer [" + part.shown + "]");
  }

 private:
  void add(std::size_t begin, std::size_t end, std::string_view type) {
    tokens_.push_back({std::string(text_.substr(begin, end - begin)), begin, end, type, tokens_.size()});
  }
  bool full() const { return tokens_.size() > kMaxShownTokens; }

  Expected<Tokens> standard() {
    for (std::size_t from = 0; !full();) {
      const text::TokenSpan span = text::Analyzer::next_token(text_, from);
      if (span.begin == span.end) break;
      const std::string_view token = text_.substr(span.begin, span.end - span.begin);
      const bool number =
          std::ranges::all_of(token, [](char c) { return (c >= '0' && c <= '9') || c == '.' || c == ','; });
      add(span.begin, span.end, number ? "<NUM>" : "<ALPHANUM>");
      from = span.end;
    }
    return std::move(tokens_);
  }

  template <class Belongs>
  Expected<Tokens> runs(const Belongs& belongs) {
    for (std::size_t at = 0; at < text_.size() && !full();) {
      const auto next = [&] { return text::decode_utf8(text_, at); };
      std::size_t begin = at;
      while (at < text_.size() && belongs(next().value)) at += next().bytes;
      if (begin < at)
        add(begin, at, "word");
      else
        at += next().bytes;
    }
    return std::move(tokens_);
  }

  Expected<Tokens> grams(const Part& part, bool edge) {
    const std::int64_t least = FROND_EXPECT_OK(part.number("min_gram", 1, 1, kMostGram));
    const std::int64_t most = FROND_EXPECT_OK(part.number("max_gram", 2, least, kMostGram));
    std::vector<bool (*)(char32_t)> classes;
    const Json kinds = part.members.value("token_chars", Json::array());
    for (const Json& kind : kinds.is_array() ? kinds : Json::array({kinds})) {
      if (kind != "letter" && kind != "digit" && kind != "whitespace")
        return not_supported("[token_chars] " + dumped(kind) + " of a tokenizer");
      classes.push_back(kind == "letter" ? is_letter : kind == "digit" ? is_digit : is_space);
    }
    const auto belongs = [&](char32_t c) {
      return classes.empty() || std::ranges::any_of(classes, [c](auto one) { return one(c); });
    };
    Tokens words = FROND_EXPECT_OK(runs(belongs));
    tokens_.clear();
    for (const ShownToken& word : words) {
      std::vector<std::size_t> places;  // of its characters, and its end
      for (std::size_t at = word.begin; at < word.end; at += text::decode_utf8(text_, at).bytes) places.push_back(at);
      places.push_back(word.end);
      const auto characters = static_cast<std::int64_t>(places.size()) - 1;
      for (std::int64_t begin = 0; begin < (edge ? 1 : characters) && !full(); ++begin)
        for (std::int64_t count = least; count <= most && begin + count <= characters; ++count)
          add(places[static_cast<std::size_t>(begin)], places[static_cast<std::size_t>(begin + count)], "word");
    }
    return std::move(tokens_);
  }

  const std::string_view text_;
  Tokens tokens_;
};

std::string lower(std::string_view token) {
  text::AnalyzerConfig plain;
  plain.stemmer = text::Stemmer::kNone;
  plain.stop_words = false;
  thread_local text::Analyzer analyzer(plain, 0);
  return std::string(analyzer.term_of(token));
}

// Letters of Latin without their accents.
std::string ascii_folded(std::string_view token) {
  thread_local text::NormalForm form(/*fold_accents=*/true);
  std::string out, folded;
  for (std::size_t at = 0; at < token.size();) {
    const CodePoint point = text::decode_utf8(token, at);
    const std::string_view character = token.substr(at, point.bytes);
    at += point.bytes;
    form.apply(character, folded);
    const bool latin = point.value >= 128 && !folded.empty() && std::ranges::all_of(folded, text::is_ascii);
    if (!latin) {
      out += character;
      continue;
    }
    if (lower(character) != character)
      for (char& c : folded) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    out += folded;
  }
  return out;
}

std::size_t characters_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & '\xc0') != '\x80'; }));
}
std::string_view first_characters(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; at < text.size() && count > 0; --count) at += text::decode_utf8(text, at).bytes;
  return text.substr(0, at);
}

Expected<void> stem(Tokens& tokens, const Part& part) {
  const std::string language =
      part.type == "porter_stem"
          ? "porter"
          : FROND_EXPECT_OK(text_member(part.members, part.members.contains("language") ? "language" : "name",
                                        part.type == "snowball" ? "English" : "english"));
  if (language == "possessive_english") {
    for (ShownToken& one : tokens)
      for (const std::string_view ending : {"'s", "'S", "\xe2\x80\x99s", "\xe2\x80\x99S"})
        if (one.text.ends_with(ending)) {
          one.text.resize(one.text.size() - ending.size());
          break;
        }
    return {};
  }
  const bool snowball = language == "English" || language == "porter2";
  if (!snowball && language != "english" && language != "porter" && language != "Porter")
    return not_supported("stemmer [" + language + "]");
  text::AnalyzerConfig config;
  config.stemmer = snowball ? text::Stemmer::kEnglish : text::Stemmer::kPorter;
  config.stop_words = false;
  text::Analyzer analyzer(config, 0);
  for (ShownToken& one : tokens) {
    // Frond's stemmers take a possessive away first.
    if (one.text.ends_with("'s") || one.text.ends_with("\xe2\x80\x99s"))
      return not_supported("a stemmer without possessive_english before it, of [" + one.text.substr(0, 100) + "],");
    if (lower(one.text) == one.text) one.text = analyzer.term_of(one.text);
  }
  return {};
}

// Behind each token, by how many characters it begins with.
Expected<void> cut_grams(Tokens& tokens, const Part& part) {
  const std::int64_t least = FROND_EXPECT_OK(part.number("min_gram", 1, 1, kMostGram));
  const std::int64_t most = FROND_EXPECT_OK(part.number("max_gram", 2, least, kMostGram));
  Tokens all;
  for (const ShownToken& one : tokens)
    for (std::int64_t count = least; count <= most && all.size() <= kMaxShownTokens; ++count) {
      if (static_cast<std::size_t>(count) > characters_of(one.text)) break;
      ShownToken& gram = all.emplace_back(one);
      gram.text = first_characters(one.text, static_cast<std::size_t>(count));
    }
  tokens = std::move(all);
  return {};
}

Expected<void> filter(Tokens& tokens, const Part& part) {
  const auto each = [&](const auto& change) {
    for (ShownToken& one : tokens) one.text = change(one.text);
    return Expected<void>();
  };
  if (part.type == "lowercase" && !part.members.contains("language")) return each(lower);
  if (part.type == "asciifolding" && !part.flag("preserve_original")) return each(ascii_folded);
  if (part.type == "trim")
    return each([](const std::string& token) {
      const auto first = token.find_first_not_of(" \t\r\n");
      return first == token.npos ? std::string() : token.substr(first, token.find_last_not_of(" \t\r\n") - first + 1);
    });
  if (part.type == "reverse")
    return each([](const std::string& token) {
      std::string out;
      for (std::size_t end = token.size(); end > 0;) {
        const std::size_t begin = text::utf8_boundary(token, end - 1);
        out += token.substr(begin, end - begin);
        end = begin;
      }
      return out;
    });
  if (part.type == "truncate") {
    const auto length = static_cast<std::size_t>(FROND_EXPECT_OK(part.number("length", 10, 1, 1 << 20)));
    return each([length](const std::string& token) { return std::string(first_characters(token, length)); });
  }
  if (part.type == "stop") {
    const auto words = FROND_EXPECT_OK(stop_word_list(part.members.value("stopwords", Json())));
    const bool any_case = part.flag("ignore_case");
    std::erase_if(tokens, [&](const ShownToken& one) {
      return std::ranges::find(words, any_case ? lower(one.text) : one.text) != words.end();
    });
    return {};
  }
  if (part.type == "length") {
    const std::int64_t least = FROND_EXPECT_OK(part.number("min", 0, 0, 1 << 20));
    const std::int64_t most = FROND_EXPECT_OK(part.number("max", 1 << 20, least, 1 << 20));
    std::erase_if(tokens, [&](const ShownToken& one) {
      const auto count = static_cast<std::int64_t>(characters_of(one.text));
      return count < least || count > most;
    });
    return {};
  }
  if (part.type == "unique") {
    std::set<std::string> seen;
    std::size_t dropped = 0;  // positions close up
    std::erase_if(tokens, [&](ShownToken& one) {
      const bool again = !seen.insert(one.text).second;
      dropped += again ? 1 : 0;
      one.position -= again ? 0 : dropped;
      return again;
    });
    return {};
  }
  if (part.type == "edge_ngram" || part.type == "edgeNGram") return cut_grams(tokens, part);
  if (part.type == "porter_stem" || part.type == "stemmer" || part.type == "snowball") return stem(tokens, part);
  return not_supported("filter [" + part.shown + "]");
}

}  // namespace

Expected<Json> analyzer_parts(const Json& analysis, const std::string& name) {
  const auto parts = [](const char* tokenizer, Json filters) {
    return Json{{"tokenizer", tokenizer}, {"filter", std::move(filters)}};
  };
  const Json* const own = at_path(analysis, "analyzer." + name);
  const Json members = own != nullptr && own->is_object() ? *own : Json::object();
  const std::string type = FROND_EXPECT_OK(text_member(members, "type", members.empty() ? name : "custom"));
  const auto stop = [&](const char* otherwise) {
    return Json{{"type", "stop"}, {"stopwords", members.value("stopwords", Json(otherwise))}};
  };
  if (type == "custom") {
    if (members.contains("char_filter") && !members["char_filter"].empty())
      return not_supported("[char_filter] of analyzer [" + name + "]");
    return Json{{"tokenizer", members.value("tokenizer", Json())}, {"filter", members.value("filter", Json::array())}};
  }
  if (type == "standard") return parts("standard", {"lowercase", stop("_none_")});
  if (type == "simple") return parts("letter", {"lowercase"});
  if (type == "stop") return parts("letter", {"lowercase", stop("_english_")});
  if (type == "whitespace") return parts("whitespace", Json::array());
  if (type == "keyword") return parts("keyword", Json::array());
  if (type == "english" && !members.contains("stem_exclusion"))
    return parts(
        "standard",
        {{{"type", "stemmer"}, {"language", "possessive_english"}}, "lowercase", stop("_english_"), "porter_stem"});
  for (const std::string_view known :
       {"pattern",   "fingerprint", "english",    "arabic",    "armenian", "basque",     "bengali",    "brazilian",
        "bulgarian", "catalan",     "cjk",        "czech",     "danish",   "dutch",      "estonian",   "finnish",
        "french",    "galician",    "german",     "greek",     "hindi",    "hungarian",  "indonesian", "irish",
        "italian",   "latvian",     "lithuanian", "norwegian", "persian",  "portuguese", "romanian",   "russian",
        "serbian",   "sorani",      "spanish",    "swedish",   "turkish",  "thai",       "snowball"})
    if (type == known) return not_supported("analyzer [" + name + "]");
  return Json();
}

Expected<Tokens> tokens_of(const Json& analysis, const Json& parts, std::string_view text) {
  Tokenizer tokenizer(text);
  const Part cut = FROND_EXPECT_OK(part_of(analysis, "tokenizer", parts.value("tokenizer", Json("keyword"))));
  Tokens tokens = FROND_EXPECT_OK(tokenizer.run(cut));
  if (cut.type == "lowercase") FROND_EXPECT_OK(filter(tokens, {"lowercase", "lowercase", Json::object()}));
  const Json filters = parts.value("filter", Json::array());
  const Json all = filters.is_array() ? filters : Json::array({filters});
  if (all.size() > kMostFilters) return illegal_argument("there are more than 50 filters");
  for (const Json& one : all) {
    const Part part = FROND_EXPECT_OK(part_of(analysis, "filter", one));
    FROND_EXPECT_OK(filter(tokens, part));
  }
  if (tokens.size() <= kMaxShownTokens) return tokens;
  return illegal_argument("The number of tokens produced by calling _analyze has exceeded the allowed maximum of [" +
                          std::to_string(kMaxShownTokens) + "]");
}

}  // namespace frond::broker::elasticsearch
