#include "common/query/language/query_parser.h"

#include <array>
#include <utility>

#include "common/query/language/glyphs.h"
#include "common/query/language/lexer.h"
#include "common/query/language/note_list.h"
#include "common/query/language/token_list.h"
#include "common/query/language/token_meaning.h"
#include "common/text/utf8.h"

namespace frond::query {
namespace {

using schema::Field;

// The parts of a list by how they count.
struct Parts {
  std::vector<Clause> required, excluded, optional;
};

// Part of an item, and the signs before it.
struct Operand {
  Clause clause;
  bool negated = false;
  std::optional<std::size_t> plus;  // the token of its +
};

class Parser {
 public:
  Parser(const Glyphs& glyphs, const TokenList& tokens, const TokenMeaning& meaning, const QueryOptions& options,
         NoteList& notes)
      : glyphs_(glyphs), tokens_(tokens), meaning_(meaning), options_(options), notes_(notes) {}

  Clause parse() {
    const bool has_words = tokens_.significant(0) < tokens_.size();
    Clause clause = list(nullptr, /*root=*/true);
    if (signs_ || (has_words && splits_runs(true))) return clause;
    return meaning_.words("", glyphs_.text(0, glyphs_.size()), options_.mode);
  }

 private:
  // Whether each written word of a run is a part of its own.
  bool splits_runs(bool root) const { return (root && options_.minimum) || options_.default_fields.size() > 1; }

  // To the parenthesis that closes it, or to the end.
  Clause list(const Field* group, bool root) {
    Parts parts;
    std::size_t run = tokens_.size();  // where the words beside each other begin that came last
    std::size_t run_end = 0;
    const auto end_run = [&] {
      if (run < tokens_.size()) add_run(run, run_end, group, root, parts);
      run = tokens_.size();
    };
    for (; !at_end(); skip_noise()) {
      const std::size_t begin = at_;
      if (tokens_.is_unit(begin) && !tokens_.joins_next(begin)) {
        auto found = meaning_.of(tokens_[at_++], group);
        if (found) {
          end_run();
          signs_ = true;
          parts.optional.push_back(*std::move(found));
        } else {
          run = std::min(run, begin);
          run_end = at_;
        }
        continue;
      }
      end_run();
      add_item(group, parts);
    }
    end_run();
    return combined(std::move(parts), root);
  }
  bool at_end() {
    skip_noise();
    return at_ == tokens_.size() || tokens_[at_].kind == TokenKind::kClose;
  }
  void skip_noise() { at_ = tokens_.significant(at_); }
  bool take(TokenKind kind) {
    skip_noise();
    if (at_ == tokens_.size() || tokens_[at_].kind != kind) return false;
    signs_ = true;
    ++at_;
    return true;
  }

  void add_run(std::size_t begin, std::size_t end, const Field* group, bool root, Parts& parts) {
    const std::string field = TokenMeaning::text_field(group);
    if (!splits_runs(root)) {
      std::string text = glyphs_.text(tokens_[begin].all.begin, tokens_[end - 1].all.end);
      parts.optional.push_back(meaning_.words(field, std::move(text), Mode::kAuto));  // see in_mode()
      return;
    }
    for (std::size_t i = begin; i < end; ++i)
      if (tokens_[i].kind != TokenKind::kNoise)
        parts.optional.push_back(
            meaning_.words(field, glyphs_.text(tokens_[i].all.begin, tokens_[i].all.end), Mode::kAnd));
  }

  void add_item(const Field* group, Parts& parts) {
    Operand first = every(group);
    if (!take(TokenKind::kOr)) {
      (first.plus      ? parts.required
       : first.negated ? parts.excluded
                       : parts.optional)
          .push_back(std::move(first.clause));
      return;
    }
    Bool any;
    any.should.push_back(whole(std::move(first)));
    do any.should.push_back(whole(every(group)));
    while (take(TokenKind::kOr));
    parts.optional.push_back({std::move(any)});
  }
  // An operand of OR.
  Clause whole(Operand operand) const {
    if (operand.plus) notes_.add(tokens_[*operand.plus].all.begin, tokens_[*operand.plus].all.end, "no + beside OR");
    if (!operand.negated) return std::move(operand.clause);
    Bool none;
    none.must_not.push_back(std::move(operand.clause));
    return {std::move(none)};
  }
  Operand every(const Field* group) {
    Operand first = operand(group);
    if (!take(TokenKind::kAnd)) return first;
    Operand all;
    Bool both;
    const auto add = [&](Operand one) {
      if (!all.plus) all.plus = one.plus;
      (one.negated ? both.must_not : both.must).push_back(std::move(one.clause));
    };
    add(std::move(first));
    do add(operand(group));
    while (take(TokenKind::kAnd));
    all.clause = {std::move(both)};
    return all;
  }
  Operand operand(const Field* group) {
    Operand made;
    std::size_t negations = 0;
    while (take(TokenKind::kNot)) ++negations;
    if (take(TokenKind::kMinus))
      ++negations;
    else if (take(TokenKind::kPlus))
      made.plus = at_ - 1;
    skip_noise();
    made.clause = unit(group);
    made.negated = negations % 2 == 1;
    if (negations > 0 && !made.negated) {  // matches, and adds no score
      Bool filter;
      filter.filter.push_back(std::move(made.clause));
      made.clause = {std::move(filter)};
    }
    return made;
  }
  Clause unit(const Field* group) {
    const Token& token = tokens_[at_++];
    if (token.kind == TokenKind::kOpen) {
      signs_ = signs_ || token.field != nullptr;
      Clause clause = list(token.field != nullptr ? token.field : group, false);
      const Token& close = tokens_[at_++];
      if (!close.boost) return clause;
      signs_ = true;
      return boosted(std::move(clause), *close.boost);
    }
    auto found = meaning_.of(token, group);
    if (!found)
      return meaning_.words(TokenMeaning::text_field(group), glyphs_.text(token.all.begin, token.all.end), Mode::kAnd);
    signs_ = true;
    return *std::move(found);
  }

  // Runs are made with kAuto, before it is known what stands beside them.
  static Clause in_mode(Clause clause, Mode mode) {
    return mode == Mode::kAuto ? clause : resolved(std::move(clause), mode);
  }

  Clause combined(Parts parts, bool root) const {
    const auto minimum = root ? options_.minimum : std::nullopt;
    const bool single = parts.optional.size() == 1 && parts.required.empty();
    if (single && parts.excluded.empty()) {
      auto* const any = parts.optional.front().as<Bool>();
      if (minimum && any != nullptr && !any->should.empty() && any->must.empty() && !any->minimum)
        any->minimum = minimum;
      if (!minimum || (any != nullptr && any->minimum == minimum))
        return in_mode(std::move(parts.optional.front()), options_.mode);
    }
    Bool both;
    both.must = std::move(parts.required);
    both.must_not = std::move(parts.excluded);
    // Beside something that is required, words only add to scores.
    const bool scores_only = !both.must.empty();
    for (Clause& one : parts.optional) one = in_mode(std::move(one), scores_only ? Mode::kOr : options_.mode);
    if (minimum) {
      both.should = std::move(parts.optional);
      both.minimum = minimum;
    } else if (!scores_only && (single || options_.mode == Mode::kAnd)) {
      both.must = std::move(parts.optional);
    } else {
      both.should = std::move(parts.optional);
      if (!scores_only && options_.mode == Mode::kAuto && !both.should.empty())
        both.minimum = MinimumMatch{MinimumMatch::Kind::kAllFirst, 0};
    }
    return {std::move(both)};
  }

  const Glyphs& glyphs_;
  const TokenList& tokens_;
  const TokenMeaning& meaning_;
  const QueryOptions& options_;
  NoteList& notes_;
  std::size_t at_ = 0;
  bool signs_ = false;  // something was understood that is not text
};

// Bytes of ASCII signs, first bytes of others (glyphs.cc), and first letters of AND, OR and NOT.
enum class Byte : std::uint8_t { kText, kSpace, kSign, kSignBegins, kOperatorBegins };

constexpr auto kBytes = [] {
  std::array<Byte, 256> bytes{};
  for (const unsigned char c : std::string_view(" \t\n\v\f\r")) bytes[c] = Byte::kSpace;
  for (const unsigned char c : kSigns) bytes[c] = Byte::kSign;
  for (const unsigned char c : std::string_view("\xc2\xe2\xe3\xef")) bytes[c] = Byte::kSignBegins;
  for (const unsigned char c : std::string_view("AON")) bytes[c] = Byte::kOperatorBegins;
  return bytes;
}();

// Between spaces; behind or before another space than those of ASCII it counts as one that may be.
bool is_operator(std::string_view q, std::size_t at) {
  if (at > 0 && kBytes[static_cast<unsigned char>(q[at - 1])] != Byte::kSpace && !(q[at - 1] & 0x80)) return false;
  const std::string_view rest = q.substr(at);
  const std::size_t length = rest.starts_with("AND") || rest.starts_with("NOT") ? 3 : rest.starts_with("OR") ? 2 : 0;
  if (length == 0) return false;
  return rest.size() == length || kBytes[static_cast<unsigned char>(rest[length])] == Byte::kSpace ||
         (rest[length] & 0x80);
}

}  // namespace

bool may_have_signs(std::string_view q) {
  for (std::size_t at = 0; at < q.size(); ++at) {
    switch (kBytes[static_cast<unsigned char>(q[at])]) {
      case Byte::kText:
      case Byte::kSpace:
        break;
      case Byte::kSign:
        return true;
      case Byte::kSignBegins:
        if (const char sign = sign_of(text::decode_utf8(q, at).value); sign != ' ' && sign != kLetter && sign != kOther)
          return true;
        break;
      case Byte::kOperatorBegins:
        if (is_operator(q, at)) return true;
    }
  }
  return false;
}

ParsedQuery parse_query(std::string_view q, const schema::Schema& schema, const QueryOptions& options) {
  const std::string repaired = text::is_utf8(q) ? "" : text::repaired_utf8(q);
  const Glyphs glyphs(repaired.empty() ? q : repaired);
  NoteList notes(glyphs);
  Lexer lexer(glyphs, schema, notes);
  const bool plain = options.syntax == Syntax::kPlain;
  const TokenList tokens(plain ? std::move(lexer).plain_tokens() : std::move(lexer).tokens(), glyphs, notes);
  ParsedQuery parsed;
  const TokenMeaning meaning(glyphs, schema, options, notes);
  parsed.clause = Parser(glyphs, tokens, meaning, options, notes).parse();
  parsed.notes = std::move(notes).take();
  parsed.refused = options.syntax == Syntax::kStrict && !parsed.notes.empty();
  return parsed;
}

}  // namespace frond::query
