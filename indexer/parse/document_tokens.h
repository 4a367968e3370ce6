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
    begin();
    std::uint32_t length = 0;
    const auto plain = [&](std::string_view text) {
      collection_.analyze(text, [&](std::string_view term, text::TokenSpan) {
        sink(term, 1);
        ++length;
      });
    };
    // Those that the schema does not name are plain text.
    if (!title_) plain(title);
    if (!body_) plain(body);
    std::size_t next = 0;
    for (std::uint32_t field = 0; field < schema_->fields.size(); ++field) {
      std::string_view text;
      if (field == title_) {
        text = title;
      } else if (field == body_) {
        text = body;
      } else if (next < others.size() && others[next].field == field) {
        text = others[next++].text;
      }
      if (!text.empty()) length += take_field(field, text, sink);
    }
    end();
    return length;
  }

  // Of the last document.
  const std::vector<partition::DocumentValues::Length>& lengths() const { return lengths_; }
  ByteView codes() const { return codes_; }

 private:
  template <class Sink>
  std::uint32_t take_field(std::uint32_t number, std::string_view text, Sink&& sink) {
    const schema::Field& field = schema_->fields[number];
    text::Analyzer& analyzer = own_[number] ? *own_[number] : collection_;
    std::uint32_t tokens = 0;
    if (field.field_search) {
      term_.clear();
      text::append_field_prefix(number, term_);
    }
    // Of these the words of the sequence are not all.
    const bool has_others =
        has_positions_ && (!field.positions || analyzer.config().kind != text::AnalyzerKind::kStandard);
    analyzer.analyze(text, [&](std::string_view term, text::TokenSpan) {
      sink(term, field.weight);
      ++tokens;
      if (has_others) writer_.add_elsewhere(partition::term_hash(term));
      if (!field.field_search) return;
      term_.resize(text::kFieldTermPrefix);
      term_ += term;
      sink(std::string_view(term_), 1);
    });
    if (field.field_search && tokens > 0) lengths_.push_back({number, tokens});
    if (field.positions) {
      writer_.begin_field(number);
      sequence_.for_each(analyzer, text, [this](std::string_view term) {
        if (term.empty())
          writer_.add_gap();
        else
          writer_.add(partition::term_hash(term));
      });
    }
    return tokens * field.weight;
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
