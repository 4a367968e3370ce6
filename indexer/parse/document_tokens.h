#pragma once
// The terms of a document of a collection with a schema: those of the plain lists, in which a field's words count as
// often as its weight says; those of the lists of single fields (common/text/field_term.h); and its words in their
// order (common/partition/values/token_codes.h). Parsers index by it, and it tells what a document takes away that is
// removed.
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/partition/values/document_values.h"
#include "common/partition/values/token_codes.h"
#include "common/schema/schema.h"
#include "common/text/analyzer.h"
#include "common/text/field_term.h"
#include "common/text/word_sequence.h"

namespace frond::indexer::parse {

// One thread; keeps its memory from document to document.
class DocumentTokens {
 public:
  struct Text {
    std::uint32_t field = 0;  // its place in the schema
    std::string_view text;
  };
  // `analyzer`: the collection's; fields may have another kind of it.
  DocumentTokens(std::shared_ptr<const schema::Schema> schema, const text::AnalyzerConfig& analyzer);

  // Calls sink(std::string_view term, std::uint32_t times) for every token: of title and body, and of `others`, which
  // ascend by field. Returns the document's length, the number of its plain tokens, and has lengths() and codes() of it
  // then.
  template <class Sink>
  std::uint32_t take(std::string_view title, std::string_view body, std::span<const Text> others, Sink&& sink) {
    const auto add_word = [&](text::Analyzer& analyzer, std::string_view word,
                              const FieldOfWords& of) -> std::uint64_t {
      const std::string_view term = analyzer.term_of(word);
      if (term.empty()) return kStopWord;
      sink(term, of.weight);
      if (of.field_search) sink(of.term(term), 1);
      return of.hashed ? partition::term_hash(term) : std::uint64_t{1};
    };
    return take_words(title, body, others, add_word);
  }

  // Of what field words are, and what they need.
  struct FieldOfWords {
    std::uint32_t number = schema::kMaxFields;  // no field: of title and body that the schema does not name
    std::uint32_t weight = 1;
    bool positions = false, field_search = false;
    bool hashed = false;  // some field of the schema has positions
    std::string* memory = nullptr;
    // In the field's own lists. Valid until the next call.
    std::string_view term(std::string_view plain) const {
      memory->clear();
      text::append_field_prefix(number, *memory);
      return *memory += plain;
    }
  };
  static constexpr std::uint64_t kStopWord = 0;
  // The same for who knows words: calls add_word(analyzer, std::string_view word, const FieldOfWords&) for every one;
  // it returns kStopWord, or the term's partition::term_hash(), which may be any other number if it is not `hashed`.
  template <class AddWord>
  std::uint32_t take_words(std::string_view title, std::string_view body, std::span<const Text> others,
                           AddWord&& add_word) {
    begin();
    if (schema_->scorer == schema::Scorer::kImpact) {  // texts are shown only; the tokens have weights
      end();
      return 0;
    }
    // Those that the schema does not name are plain text.
    std::uint32_t length = 0;
    if (!title_) length += take_text(collection_, title, {.hashed = has_positions_}, add_word);
    if (!body_) length += take_text(collection_, body, {.hashed = has_positions_}, add_word);
    std::size_t next = 0;
    for (std::uint32_t number = 0; number < schema_->fields.size(); ++number) {
      std::string_view text;
      if (number == title_) {
        text = title;
      } else if (number == body_) {
        text = body;
      } else if (next < others.size() && others[next].field == number) {
        text = others[next++].text;
      }
      if (text.empty()) continue;
      const schema::Field& field = schema_->fields[number];
      if (field.positions) writer_.begin_field(number);
      const std::uint32_t tokens =
          take_text(own_[number] ? *own_[number] : collection_, text,
                    {number, field.weight, field.positions, field.field_search, has_positions_, &term_}, add_word);
      if (field.field_search && tokens > 0) lengths_.push_back({number, tokens});
      length += tokens * field.weight;
    }
    end();
    return length;
  }

  // Of the last document.
  const std::vector<partition::DocumentValues::Length>& lengths() const { return lengths_; }
  ByteView codes() const { return codes_; }
  const std::shared_ptr<const schema::Schema>& schema() const { return schema_; }

 private:
  template <class AddWord>
  std::uint32_t take_text(text::Analyzer& analyzer, std::string_view text, const FieldOfWords& of, AddWord& add_word) {
    const text::AnalyzerConfig& config = analyzer.config();
    std::uint32_t tokens = 0;
    // Of these the words of the sequence are not all.
    const bool has_others = has_positions_ && (!of.positions || config.kind != text::AnalyzerKind::kStandard);
    const auto add = [&](std::string_view word) {
      const std::uint64_t hash = add_word(analyzer, word, of);
      tokens += hash != kStopWord;
      if (has_others && hash != kStopWord) writer_.add_elsewhere(hash);
      return hash;
    };
    const auto place = [this](std::uint64_t hash) { hash == kStopWord ? writer_.add_gap() : writer_.add(hash); };
    if (config.kind == text::AnalyzerKind::kStandard) {
      text::for_each_token(text, [&](text::TokenSpan token) {
        const std::uint64_t hash = add(text.substr(token.begin, token.end - token.begin));
        if (of.positions) place(hash);
      });
      return tokens;
    }
    const auto place_span = [&](const text::WordSequence::Span& span) { place(span.hash); };
    const auto piece = [&](std::string_view form, std::size_t from) {
      const auto span = [&](text::TokenSpan where, bool main) {
        const std::uint64_t hash = add(form.substr(where.begin, where.end - where.begin));
        if (of.positions) sequence_.add(form, {where, main, hash}, place_span);
      };
      text::for_each_span(form, span, text::span_rules(config), from);
      sequence_.finish(form, place_span);
    };
    if (config.kind == text::AnalyzerKind::kStandard2)
      piece(text, 0);
    else
      analyzer.cut_form().in_pieces(text, piece);
    return tokens;
  }
  void begin();
  void end();

  const std::shared_ptr<const schema::Schema> schema_;
  text::Analyzer collection_;
  std::vector<std::unique_ptr<text::Analyzer>> own_;  // by field; null: the collection's
  std::optional<std::uint32_t> title_, body_;         // their places in the schema
  bool has_positions_ = false;                        // of some field
  text::WordSequence sequence_;
  partition::TokenCodesWriter writer_;
  std::string term_;
  std::vector<partition::DocumentValues::Length> lengths_;
  ByteBuffer codes_;
};

}  // namespace frond::indexer::parse
