#include "common/elasticsearch/token_stream.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "common/elasticsearch/json_body.h"
#include "common/elasticsearch/mapping.h"
#include "common/text/analyzer.h"
#include "common/text/normal_form.h"
#include "common/text/unicode.h"
#include "common/text/utf8.h"

namespace frond::elasticsearch {
namespace {
using text::CodePoint;
using Tokens = std::vector<ShownToken>;

constexpr std::int64_t kMostGram = 255;

bool is_word_letter(char32_t c) {
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
  const Json* members;               // borrowed
  std::set<std::string> words = {};  // of a filter "stop"

  const Json& member(const char* name) const {
    static const Json none;
    const auto found = members->find(name);
    return found == members->end() ? none : *found;
  }
  Expected<std::int64_t> number(const char* name, std::int64_t otherwise, std::int64_t least, std::int64_t most) const {
    const Json& given = member(name);
    std::int64_t number = otherwise;
    if (given.is_string())  // as settings are kept
      number = std::strtoll(given.get_ref<const std::string&>().c_str(), nullptr, 10);
    else if (!given.is_null())
      number = FROND_EXPECT_OK(whole_member(*members, name, otherwise));
    if (number >= least && number <= most) return number;
    return illegal_argument("[" + std::string(name) + "] of [" + shown + "] is not from " + std::to_string(least) +
                            " to " + std::to_string(most));
  }
  bool flag(const char* name) const {
    const Json& given = member(name);
    return given == true || given == "true";
  }
};
Expected<Part> part_of(const Json& analysis, const char* kind, const Json& given) {
  static const Json none = Json::object();
  if (given.is_object()) {
    const std::string type = FROND_EXPECT_OK(text_member(given, "type", ""));
    return Part{type, type, &given};
  }
  if (!given.is_string()) return parsing_exception("[" + std::string(kind) + "] is neither a name nor an object");
  const std::string name = given;
  const Json* const own = at_path(analysis, std::string(kind) + "." + name);
  if (own == nullptr || !own->is_object()) return Part{name, name, &none};
  return Part{FROND_EXPECT_OK(text_member(*own, "type", name)), name, own};
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  Expected<Tokens> run(const Part& part) {
    if (part.type == "standard" &&
        (part.member("max_token_length").is_null() || part.member("max_token_length") == "255"))
      return standard();
    if (part.type == "letter" || part.type == "lowercase") return runs(is_word_letter);
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
    const Json& kinds = part.member("token_chars");
    if (kinds.is_object() || kinds.size() > 6) return illegal_argument("[token_chars] is not a list of up to 6 names");
    for (const Json& kind : kinds) {  // itself if it is no array
      if (kind != "letter" && kind != "digit" && kind != "whitespace")
        return not_supported("[token_chars] " + dumped(kind) + " of a tokenizer");
      classes.push_back(kind == "letter" ? is_word_letter : kind == "digit" ? is_digit : is_space);
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
  constexpr std::size_t kPiece = 128;  // terms are cut; a letter grows to twice its bytes at most
  std::string out;
  for (std::size_t at = 0; at < token.size();) {
    const std::size_t end = text::utf8_boundary(token, at + kPiece);
    out += analyzer.term_of(token.substr(at, end - at));
    at = end;
  }
  return out;
}

// Letters of Latin without their accents.
std::string ascii_folded(std::string_view token) {
  thread_local text::NormalForm form(/*fold_accents=*/true);
  std::string out, folded;
  for (std::size_t at = 0; at < token.size();) {
    const CodePoint point = text::decode_utf8(token, at);
    const std::string_view character = token.substr(at, point.bytes);
    at += point.bytes;
    if (point.value >= 128) form.apply(character, folded);
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
          : FROND_EXPECT_OK(text_member(*part.members, part.members->contains("language") ? "language" : "name",
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
  const auto stemming = [](text::Stemmer stemmer) {
    text::AnalyzerConfig config;
    config.stemmer = stemmer;
    config.stop_words = false;
    return config;
  };
  thread_local text::Analyzer english(stemming(text::Stemmer::kEnglish), 0),
      porter(stemming(text::Stemmer::kPorter), 0);
  text::Analyzer& analyzer = snowball ? english : porter;
  for (ShownToken& one : tokens) {
    if (one.text.size() > text::kMaxTokenBytes)
      return not_supported("a stemmer of more than " + std::to_string(text::kMaxTokenBytes) + " bytes");
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
  for (const ShownToken& one : tokens) {
    const std::int64_t longest = std::min(most, static_cast<std::int64_t>(characters_of(one.text)));
    for (std::int64_t count = least; count <= longest && all.size() <= kMaxShownTokens; ++count)
      all.push_back({std::string(first_characters(one.text, static_cast<std::size_t>(count))), one.begin, one.end,
                     one.type, one.position});
  }
  tokens = std::move(all);
  return {};
}

Expected<void> filter(Tokens& tokens, const Part& part) {
  const auto each = [&](const auto& change) {
    for (ShownToken& one : tokens) one.text = change(one.text);
    return Expected<void>();
  };
  if (part.type == "lowercase" && !part.members->contains("language")) return each(lower);
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
    const bool any_case = part.flag("ignore_case");
    std::erase_if(tokens,
                  [&](const ShownToken& one) { return part.words.contains(any_case ? lower(one.text) : one.text); });
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

Expected<TokensOf> token_stream(const Json& analysis, Json parts) {
  struct Read {
    Json tokenizer, filters;  // as given; `parts` borrows them
    std::vector<Part> parts = {};
    std::size_t work = 0;
  };
  Json given = parts.value("filter", Json::array());
  const auto read = std::make_shared<Read>(Read{.tokenizer = parts.value("tokenizer", Json("keyword")),
                                                .filters = given.is_array() ? std::move(given) : Json::array({given})});
  if (read->filters.size() > kMaxFilters)
    return illegal_argument("there are more than " + std::to_string(kMaxFilters) + " filters");
  read->parts.push_back(FROND_EXPECT_OK(part_of(analysis, "tokenizer", read->tokenizer)));
  static const Json none = Json::object();
  if (read->parts.front().type == "lowercase") read->parts.push_back({"lowercase", "lowercase", &none});
  std::size_t stop_words = 0;
  for (const Json& one : read->filters) {
    Part part = FROND_EXPECT_OK(part_of(analysis, "filter", one));
    if (part.type == "stop") {
      const Json& words = part.member("stopwords");
      stop_words += words.size();
      if (stop_words > kMaxStopWords)
        return illegal_argument("there are more than " + std::to_string(kMaxStopWords) + " stop words");
      for (std::string& word : FROND_EXPECT_OK(stop_word_list(words))) part.words.insert(std::move(word));
    }
    read->parts.push_back(std::move(part));
  }
  return TokensOf([read](std::string_view text) -> Expected<Tokens> {
    Tokens tokens = FROND_EXPECT_OK(Tokenizer(text).run(read->parts.front()));
    for (std::size_t i = 1; i < read->parts.size(); ++i) {
      for (const ShownToken& one : tokens) read->work += one.text.size() + 1;
      if (read->work > kMaxTokenWork)
        return illegal_argument("the filters of _analyze read more than " + std::to_string(kMaxTokenWork) +
                                " bytes of tokens");
      FROND_EXPECT_OK(filter(tokens, read->parts[i]));
    }
    if (tokens.size() <= kMaxShownTokens) return tokens;
    return illegal_argument("The number of tokens produced by calling _analyze has exceeded the allowed maximum of [" +
                            std::to_string(kMaxShownTokens) + "]");
  });
}

}  // namespace frond::elasticsearch
