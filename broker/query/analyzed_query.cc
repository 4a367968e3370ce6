#include "broker/query/analyzed_query.h"

#include <algorithm>

#include "common/scoring/bm25.h"
#include "common/text/utf8.h"

namespace frond::broker::query {

Result<AnalyzedQuery> QueryAnalyzer::analyze(std::string_view query, const text::AnalyzerConfig& config) {
  if (query.size() > kMaxQueryBytes)
    return Error(Code::kInvalid,
                 "q is " + std::to_string(query.size()) + " bytes, more than " + std::to_string(kMaxQueryBytes));
  if (!text::is_utf8(query)) return Error(Code::kInvalid, "q is not valid UTF-8");
  std::vector<std::string> words = analyzer_for(config).query_terms(query);
  if (words.size() > scoring::kMaxQueryTerms)
    return Error(Code::kInvalid, "q has " + std::to_string(words.size()) + " terms, more than " +
                                     std::to_string(scoring::kMaxQueryTerms));
  std::sort(words.begin(), words.end());
  AnalyzedQuery analyzed;
  analyzed.words = words.size();
  const text::TokenSpan first = text::Analyzer::next_token(query, 0);
  analyzed.only_stop_words = words.empty() && first.begin < first.end;
  for (auto& word : words) {
    if (!analyzed.terms.empty() && analyzed.terms.back().text == word)
      ++analyzed.terms.back().occurrences;
    else
      analyzed.terms.push_back({std::move(word), 1});
  }
  return analyzed;
}

text::Analyzer& QueryAnalyzer::analyzer_for(const text::AnalyzerConfig& config) {
  for (const auto& [known, analyzer] : analyzers_)
    if (known == config) return *analyzer;
  return *analyzers_.emplace_back(config, std::make_unique<text::Analyzer>(config)).second;
}

std::string normalized(const AnalyzedQuery& query) {
  std::string out;
  for (const auto& term : query.terms) {  // terms hold no NUL, so it can separate them
    out += term.text;
    out += '\0';
    if (term.occurrences > 1) out += std::to_string(term.occurrences);
    out += '\0';
  }
  return out;
}

namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || static_cast<unsigned char>(c) >= 0x80; }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
bool is_number(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || c == '.'; });
}

constexpr std::size_t kLookedAt = 256;  // bytes of a word, for a URL, an address or a field

constexpr std::string_view kOpening = "\u201c", kLow = "\u201e", kClosing = "\u201d";

class Scanner {
 public:
  explicit Scanner(std::string_view query) : query_(query) {}

  std::vector<Sign> signs() {
    for (; signs_.size() < kMaxSigns && skip_spaces(); first_ = false) take_word();
    // Without an operator, a group changes nothing: (…) is plain text then.
    if (!group_.empty() && operators_) add("(…)", group_);
    return std::move(signs_);
  }

 private:
  bool skip_spaces() {
    while (at_ < query_.size() && is_space(query_[at_])) ++at_;
    return at_ < query_.size();
  }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < query_.size() ? query_[at_ + ahead] : ' '; }
  std::string_view rest() const { return query_.substr(at_); }
  // From here to the next space.
  std::string_view word() {
    if (at_ >= word_end_) word_end_ = at_;
    while (word_end_ < query_.size() && !is_space(query_[word_end_])) ++word_end_;
    return query_.substr(at_, word_end_ - at_);
  }
  void add(std::string_view sign, std::string_view text) {
    if (signs_.size() == kMaxSigns) return;
    Sign one{sign, std::string(text.substr(0, text::utf8_boundary(text, kMaxSignText)))};
    if (one.text.size() < text.size()) one.text += "…";
    if (std::find(signs_.begin(), signs_.end(), one) == signs_.end()) signs_.push_back(std::move(one));
  }
  void add_operator(std::string_view sign, std::string_view text) {
    operators_ = true;
    add(sign, text);
  }

  // A word, or a phrase or range from its begin, with what is before it: (, -, +, ! and the name of a field.
  void take_word() {
    const std::string_view whole = word();
    if (is_operator(whole)) return;
    take_prefixes(whole);
    if (peek() == '(') return take_group();
    const std::string_view front = word().substr(0, kLookedAt);
    if (is_plain(front)) return skip_word();
    if (const std::size_t length = field_length(front); length != 0) {
      add("field:", whole);
      at_ += length;
      operators_ = operators_ || peek() == '(';
      if (peek() == '(') return take_group();
    }
    if (take_phrase() || take_range()) return;
    take_signs_inside(whole);
    skip_word();
  }
  void skip_word() { at_ += word().size(); }

  // AND, OR and the like stand between words; NOT is before one.
  bool is_operator(std::string_view text) {
    static constexpr std::string_view kBetween[] = {"AND", "OR", "&&", "||", "|"};
    const bool between = std::find(std::begin(kBetween), std::end(kBetween), text) != std::end(kBetween);
    if (!between && text != "NOT") return false;
    at_ += text.size();
    if (skip_spaces() && (!between || !first_)) add_operator(text, text);
    return true;
  }

  void take_prefixes(std::string_view whole) {
    const char sign = peek(), next = peek(1);
    const bool before_word = is_letter(next) || next == '"' || next == '(';
    if (sign == '-' && (before_word || is_digit(next)))
      add_operator("-", whole);
    else if (sign == '+' && before_word)  // +49 begins a telephone number
      add_operator("+", whole);
    else if (sign == '!' && before_word)
      add_operator("!", whole);
    else
      return;
    ++at_;
  }

  // What is inside is scanned as if the parenthesis were not there.
  void take_group() {
    const std::size_t end = std::exchange(group_sought_, true) ? std::string_view::npos : query_.find(')', at_);
    if (end != std::string_view::npos) group_ = query_.substr(at_, end + 1 - at_);
    while (peek() == '(') ++at_;
  }

  // URLs, e-mail addresses and paths have signs that mean nothing.
  static bool is_plain(std::string_view text) {
    if (text.starts_with("www.") || text.starts_with("mailto:") || text.starts_with('/')) return true;
    if (const auto scheme = text.find("://");
        scheme != 0 && scheme != std::string_view::npos && scheme == text.find(':'))
      return true;
    const auto at = text.find('@');
    return at != std::string_view::npos && at != 0 && is_word(text[at - 1]) && at + 1 < text.size() &&
           text.find('"') == std::string_view::npos && text.find(':') == std::string_view::npos;
  }

  // Of the name and colon before a value; 0: there is no field. Not one: std::vector, 12:30, C:\x, host.name:8080.
  static std::size_t field_length(std::string_view text) {
    std::size_t end = 0;
    while (end < text.size() && (is_word(text[end]) || (end > 0 && (text[end] == '.' || text[end] == '-')))) ++end;
    if (end == 0 || end + 1 >= text.size() || text[end] != ':' || is_digit(text[0])) return 0;
    const std::string_view name = text.substr(0, end), value = text.substr(end + 1);
    const bool host = name == "localhost" || name.find('.') != std::string_view::npos;
    if (host && is_number(value.substr(0, value.find('/')))) return 0;
    if (end == 1 && (value[0] == '\\' || value[0] == '/')) return 0;
    if (std::count(text.begin(), text.end(), ':') > 2 && value[0] != '"') return 0;  // aa:bb:cc:dd:ee:ff
    const bool begins = is_word(value[0]) || std::string_view("\"([{<>*-+/").find(value[0]) != std::string_view::npos;
    return begins ? end + 1 : 0;
  }

  // From a quotation mark at the begin of a word to one at the end of this or a later word.
  bool take_phrase() {
    const bool curved = rest().starts_with(kOpening) || rest().starts_with(kLow);
    if (!curved && peek() != '"') return false;
    bool& unclosed = curved ? unclosed_curved_ : unclosed_;
    if (unclosed) return false;
    const std::size_t inside = at_ + (curved ? kOpening.size() : 1);
    for (std::size_t end = inside; end < query_.size(); ++end) {
      const std::string_view left = query_.substr(end);
      const bool ends = curved ? left.starts_with(kClosing) || left.starts_with(kOpening) : left[0] == '"';
      if (!ends) continue;
      const std::size_t after = end + (curved ? kClosing.size() : 1);
      if (after < query_.size() && is_word(query_[after])) continue;
      if (std::none_of(query_.begin() + static_cast<std::ptrdiff_t>(inside),
                       query_.begin() + static_cast<std::ptrdiff_t>(end), is_word))
        return false;
      const std::string_view phrase = query_.substr(at_, after - at_);
      add("\"…\"", phrase);
      at_ = after;
      take_suffix(word(), phrase);
      skip_word();
      return true;
    }
    unclosed = true;
    return false;
  }
  // ~2 and ^1.5 behind a word or phrase.
  void take_suffix(std::string_view suffix, std::string_view of) {
    if (suffix.ends_with(')')) suffix.remove_suffix(1);
    if (suffix.starts_with('~') && is_number(suffix.substr(1))) add("~", of);
    if (suffix.starts_with('^') && suffix.size() > 1 && is_number(suffix.substr(1))) add("^", of);
  }

  // [2010 TO 2020], {a TO b]
  bool take_range() {
    if ((peek() != '[' && peek() != '{') || at_ < no_range_before_) return false;
    const std::size_t end = query_.find_first_of("]}", at_);
    const bool ends = end != std::string_view::npos;
    const std::string_view range = query_.substr(at_, ends ? end + 1 - at_ : end);
    if (!ends || range.find(" TO ") == std::string_view::npos) {
      no_range_before_ = at_ + range.size();
      return false;
    }
    add("[…]", range);
    at_ = end + 1;
    return true;
  }

  // fo*, f?x, fox~, fox~1, fox^2
  void take_signs_inside(std::string_view whole) {
    const std::string_view text = word();
    const bool any_word = std::any_of(text.begin(), text.end(), is_word);
    const auto star = text.find('*');
    if (text == "*:*" || (text == "*" && query_ == text))
      add("*", whole);
    else if (star != std::string_view::npos && any_word && text.find("**") == std::string_view::npos &&
             !counts(text, star))
      add("*", whole);
    const auto mark = text.find('?');
    if (mark != std::string_view::npos && mark > 0 && mark + 1 < text.size() && is_word(text[mark - 1]) &&
        is_word(text[mark + 1]) && text.find_first_of("/=&") == std::string_view::npos)
      add("?", whole);
    const auto suffix = text.find_last_of("~^");
    if (suffix != std::string_view::npos && suffix > 0 && is_word(text[suffix - 1]) &&
        !is_number(text.substr(0, suffix)))
      take_suffix(text.substr(suffix), whole);
  }
  // 3*4
  static bool counts(std::string_view text, std::size_t star) {
    return star > 0 && star + 1 < text.size() && is_digit(text[star - 1]) && is_digit(text[star + 1]);
  }

  const std::string_view query_;
  std::size_t at_ = 0, word_end_ = 0;
  std::vector<Sign> signs_;
  std::string_view group_;  // the first one
  // What need not be searched again, so that the time is in proportion to the query's length.
  bool group_sought_ = false, unclosed_ = false, unclosed_curved_ = false;
  std::size_t no_range_before_ = 0;
  bool operators_ = false, first_ = true;  // some were added; at the first word
};

}  // namespace

std::vector<Sign> signs_not_applied(std::string_view query) { return Scanner(query).signs(); }

}  // namespace frond::broker::query
