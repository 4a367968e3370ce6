#include "indexer/ingest/records/document.h"

#include <algorithm>
#include <cstdint>

#include "common/base/bytes.h"
#include "common/partition/file_checksum.h"
#include "common/schema/json.h"
#include "common/text/analyzer.h"
#include "common/text/utf8.h"
#include "indexer/ingest/formats/formats.h"
#include "indexer/ingest/lines.h"

namespace frond::indexer::ingest {
namespace {

// Where to cut a title, so that the analyzer finds the same words in both parts as in the whole.
std::size_t title_end(std::string_view title) {
  for (text::TokenSpan token{0, 0}; token.begin < kMaxTitleBytes;) {
    token = text::Analyzer::next_token(title, token.end);
    if (token.end > kMaxTitleBytes && token.begin < kMaxTitleBytes) return token.begin;
  }
  return text::utf8_boundary(title, kMaxTitleBytes);
}

void cut_title(Document& document) {
  const std::size_t end = title_end(document.title);
  const std::string_view rest = trimmed(std::string_view(document.title).substr(end));
  if (!rest.empty()) document.body.insert(0, std::string(rest) + "\n");
  document.title = std::string(trimmed(std::string_view(document.title).substr(0, end)));
  document.title_cut = true;
}

std::string source_of_texts(const Document& document) {
  std::string source;
  const std::pair<std::string_view, const std::string*> texts[] = {
      {"id", &document.id}, {"url", &document.url}, {"title", &document.title}, {"body", &document.body}};
  for (const auto& [name, text] : texts) {
    if (text->empty()) continue;
    source += source.empty() ? "{\"" : ",\"";
    source.append(name).append("\":").append(schema::json_string(*text));
  }
  return source + "}";
}

}  // namespace

Result<void> check_id(std::string_view id) {
  if (id.empty()) return Error(Code::kInvalid, "the id is empty");
  if (id.size() > kMaxIdBytes)
    return Error(Code::kInvalid,
                 "the id has " + std::to_string(id.size()) + " bytes, more than " + std::to_string(kMaxIdBytes));
  if (std::ranges::any_of(id, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }))
    return Error(Code::kInvalid, "the id has control characters");
  return {};
}

std::string content_id(const Document& document) {
  partition::Xxh3 digest;
  ByteBuffer head;  // of the next text
  const auto add = [&](std::string_view text) {
    ByteWriter(head).put(std::uint64_t{text.size()});
    digest.update(head);
    digest.update(as_bytes(text));
    head.clear();
  };
  for (const std::string* field : {&document.url, &document.title, &document.body}) add(*field);
  for (const DocumentFields::Text& text : document.fields.texts) {
    ByteWriter(head).put(text.field);
    add(text.text);
  }
  for (const DocumentFields::Weight& weight : document.fields.weights) {
    ByteWriter(head).put(weight.impact);
    add(weight.token);
  }
  ByteBuffer columns;
  partition::encode_values({document.fields.columns, {}, {}, {}}, columns);
  digest.update(columns);
  return digest.hex();
}

const FieldNames& usual_field_names() {
  static const FieldNames kUsual;
  return kUsual;
}

std::string quoted(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + name + "\"";
  return text;
}

Result<void> finish_document(Document& document, const SourceFormat& format, bool make_ids, const FieldNames& names,
                             const FieldReading& reading) {
  for (std::string* const field : {&document.url, &document.title, &document.body})
    if (field->find('\0') != field->npos) std::erase(*field, '\0');
  if (document.id.empty()) {
    if (!make_ids) {
      const std::string why = format.has_names
                                  ? "no \"id\", which may be called " + quoted(names.id) + " and must not be empty"
                                  : std::string(format.no_id);
      return Error(Code::kInvalid, why + "; --make-ids makes one from the content");
    }
    document.id = content_id(document);
  }
  FROND_TRY(check_id(document.id));
  if (document.title.size() > kMaxTitleBytes) cut_title(document);
  if (document.url.size() > kMaxUrlBytes) {
    document.url.clear();
    document.url_dropped = true;
  }
  if (reading.schema != nullptr && reading.schema->source_stored && document.fields.source.empty())
    document.fields.source = source_of_texts(document);
  std::size_t bytes = document.id.size() + document.url.size() + document.title.size() + document.body.size() +
                      document.fields.source.size();
  for (const DocumentFields::Text& text : document.fields.texts) bytes += text.text.size();
  for (const DocumentFields::Weight& weight : document.fields.weights) bytes += weight.token.size();
  if (bytes > kMaxDocumentBytes)
    return Error(Code::kInvalid,
                 std::to_string(bytes) + " bytes of text, more than " + std::to_string(kMaxDocumentBytes));
  return {};
}

}  // namespace frond::indexer::ingest
