#include "indexer/ingest/encoding/charset.h"

#include <iconv.h>
#include <uchardet.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "common/text/utf8.h"
#include "indexer/ingest/encoding/encoding.h"
#include "indexer/ingest/http/http_response.h"
#include "indexer/ingest/lines.h"
#include "indexer/ingest/markup/html_tags.h"

namespace frond::indexer::ingest {
namespace {

constexpr std::size_t kDetectBytes = 64 << 10;

Error grown_too_long(std::size_t max_bytes) {
  return {Code::kInvalid, "longer than the limit of " + std::to_string(max_bytes >> 20) + " MiB in UTF-8"};
}

struct Converted {
  std::string text;
  bool errors = false;  // bytes without a meaning
};
Result<Converted> converted(std::string_view bytes, const char* from, std::size_t max_bytes) {
  const iconv_t converter = iconv_open("UTF-8", from);
  // The value by which iconv_open() reports an error. NOLINTNEXTLINE(performance-no-int-to-ptr)
  if (converter == reinterpret_cast<iconv_t>(-1)) return Converted{text::repaired_utf8(bytes), true};
  const std::unique_ptr<void, decltype(&iconv_close)> closed(converter, iconv_close);
  Converted out;
  out.text.reserve(bytes.size() + bytes.size() / 4);
  char* in = const_cast<char*>(bytes.data());  // iconv only reads it
  std::size_t left = bytes.size();
  const auto convert = [&](char** from_here) {  // null: the character that is held, as the next one may combine with it
    char buffer[4096], *to = buffer;
    std::size_t room = sizeof buffer;
    const std::size_t status = iconv(converter, from_here, &left, &to, &room);
    const int error = status == static_cast<std::size_t>(-1) ? errno : 0;
    out.text.append(buffer, to);
    return error;
  };
  const bool has_escapes = std::string_view(from).starts_with("ISO-2022");  // none is held, and they would be forgotten
  while (left > 0) {
    if (out.text.size() > max_bytes) return grown_too_long(max_bytes);
    const int error = convert(&in);
    if (error == 0 || error == E2BIG) continue;
    if (!has_escapes) convert(nullptr);
    out.text.append(text::kReplacement);
    out.errors = true;
    if (error == EINVAL) break;  // a character cut short by the end
    ++in;
    --left;
  }
  convert(nullptr);
  if (!text::is_utf8(out.text)) out.text = text::repaired_utf8(out.text);
  return out;
}

// Of text that is not UTF-8, nor in characters of two bytes or four.
const Encoding& guessed(std::string_view bytes) {
  const std::unique_ptr<uchardet, void (*)(uchardet_t)> detector(uchardet_new(), uchardet_delete);
  const std::string_view sample = bytes.substr(0, kDetectBytes);
  const Encoding* guess = nullptr;
  if (detector && uchardet_handle_data(detector.get(), sample.data(), sample.size()) == 0) {
    uchardet_data_end(detector.get());
    guess = encoding_of(uchardet_get_charset(detector.get()));
  }
  const bool fits = guess != nullptr && guess->form != CodeForm::kUtf8 && guess->form != CodeForm::kWide;
  return fits ? *guess : *encoding_of("windows-1252");
}

bool is_all_ascii(std::string_view bytes) {
  unsigned any = 0;
  for (const char c : bytes) any |= static_cast<unsigned char>(c);  // a loop that a compiler keeps in vectors
  return any < 0x80;
}

// What there is beyond ASCII.
struct Utf8Share {
  std::size_t characters = 0, invalid_bytes = 0;
  std::size_t different = 0;  // characters, counted up to kSeveral
  static constexpr std::size_t kMany = 5, kSeveral = 3;
};
Utf8Share utf8_share(std::string_view bytes) {
  Utf8Share share;
  std::array<char32_t, Utf8Share::kSeveral> seen{};
  for (std::size_t at = 0; at < bytes.size();) {
    const text::CodePoint c = text::decode_utf8(bytes, at);
    at += c.bytes;
    if (c.value == text::kNoCodePoint) ++share.invalid_bytes;
    if (c.value < 0x80 || c.value == text::kNoCodePoint) continue;
    ++share.characters;
    const auto end = seen.begin() + static_cast<std::ptrdiff_t>(share.different);
    if (share.different < seen.size() && std::find(seen.begin(), end, c.value) == end)
      seen[share.different++] = c.value;
  }
  return share;
}

// Whether text that declares nothing is UTF-8, in spite of some bytes that are not.
bool is_mostly_utf8(std::string_view bytes) {
  const Utf8Share share = utf8_share(bytes);
  return share.characters > share.invalid_bytes || share.invalid_bytes == 0;
}

// Valid UTF-8 that a server or page calls something else, which is frequent: text of one byte a character is valid
// UTF-8 only by accident, as "CAFÉ®" of windows-1252 is, and then has few such places, all alike.
bool is_utf8_after_all(std::string_view valid) {
  const Utf8Share share = utf8_share(valid);
  return share.characters >= Utf8Share::kMany && share.different == Utf8Share::kSeveral;
}

std::string without_nuls(std::string_view bytes) {
  std::string out(bytes);
  std::erase(out, '\0');
  return out;
}

Result<std::string> as_declared(std::string_view bytes, const Encoding& encoding, bool valid, std::size_t max_bytes) {
  if (valid && encoding.form == CodeForm::kOneByte && is_utf8_after_all(bytes)) return std::string(bytes);
  Converted out = FROND_TRY(is_hz(encoding) ? converted(hz_to_gb(bytes), encoding.iconv, max_bytes)
                                            : converted(bytes, encoding.iconv, max_bytes));
  if (valid && out.errors && !is_all_ascii(bytes)) return std::string(bytes);
  return std::move(out.text);
}

// In one byte a character, or more: whatever NULs stand for, they do not.
Result<std::string> narrow_to_utf8(std::string_view bytes, std::string_view label, std::size_t max_bytes) {
  const Encoding* declared = encoding_of(label);
  // Text whose NULs do not lie so is hardly UTF-16, whatever it declares.
  if (declared && declared->form == CodeForm::kWide) declared = nullptr;
  const bool valid = text::is_utf8(bytes), escapes = bytes.find("\x1b$") != bytes.npos;
  const bool seven_bits = declared && declared->form == CodeForm::kSevenBits;
  if (valid && !escapes && !seven_bits && (!declared || is_all_ascii(bytes))) return std::string(bytes);
  if (declared && declared->form == CodeForm::kUtf8) return text::repaired_utf8(bytes);
  if (declared) return as_declared(bytes, *declared, valid, max_bytes);
  if (escapes && is_all_ascii(bytes)) return as_declared(bytes, *encoding_of("iso-2022-jp"), valid, max_bytes);
  if (is_mostly_utf8(bytes)) return text::repaired_utf8(bytes);
  return as_declared(bytes, guessed(bytes), false, max_bytes);
}

constexpr std::size_t kMetaPrescanBytes = 16 << 10;

// The value behind `key` and an equals sign, in quotation marks or up to a space, ';' or '?'. Empty: there is none.
std::string_view value_of(std::string_view text, std::string_view key) {
  for (;;) {
    const std::size_t found = find_in_any_case(text, key);
    if (found == text.npos) return {};
    text = without_spaces(text.substr(found + key.size()));
    if (!text.starts_with('=')) continue;
    text = without_spaces(text.substr(1));
    if (!text.starts_with('"') && !text.starts_with('\'')) return text.substr(0, text.find_first_of(" \t\r\n\f;?'\""));
    const std::size_t end = text.find(text.front(), 1);
    return end == text.npos ? std::string_view() : text.substr(1, end - 1);
  }
}

// What a page can mean by a label that it has in itself: it was read as ASCII so far.
std::string_view meant(std::string_view label) {
  const Encoding* const encoding = encoding_of(label);
  if (!encoding) return {};
  return encoding->form == CodeForm::kWide ? "utf-8" : label;
}

std::string_view charset_of_meta(std::string_view attributes) {
  std::string_view charset, content;
  bool of_type = false;
  while (const std::optional<Attribute> attribute = take_attribute(attributes)) {
    if (same_name(attribute->name, "http-equiv")) of_type = same_name(attribute->value, "content-type");
    if (same_name(attribute->name, "content") && content.empty()) content = value_of(attribute->value, "charset");
    if (same_name(attribute->name, "charset") && charset.empty()) charset = attribute->value;
  }
  const std::string_view direct = meant(charset);
  return direct.empty() && of_type ? meant(content) : direct;
}

}  // namespace

Result<std::string> to_utf8(std::string_view bytes, std::string_view declared, std::size_t max_bytes) {
  const std::string_view wide = wide_encoding(bytes);
  const std::size_t mark = byte_order_mark(bytes);
  bytes.remove_prefix(mark);
  if (mark > 0 && wide.empty()) declared = "utf-8";
  std::string out;
  if (!wide.empty()) {
    out = FROND_TRY(converted(bytes, wide.data(), max_bytes)).text;
    std::erase(out, '\0');
  } else if (bytes.find('\0') != bytes.npos) {
    out = FROND_TRY(narrow_to_utf8(without_nuls(bytes), declared, max_bytes));
  } else {
    out = FROND_TRY(narrow_to_utf8(bytes, declared, max_bytes));
  }
  if (out.size() > max_bytes) return grown_too_long(max_bytes);
  return out;
}

const Encoding* encoding_of_file(std::string_view beginning, bool whole) {
  // The end may be a part of a character.
  for (int i = 0; !whole && i < 3 && !beginning.empty() && !text::is_ascii(beginning.back()); ++i)
    beginning.remove_suffix(1);
  return byte_order_mark(beginning) > 0 || is_mostly_utf8(beginning) ? nullptr : &guessed(beginning);
}

Result<std::string_view> utf8_of_record(const RawRecord& record, std::string& storage) {
  const std::string_view bytes = record.text();
  if (record.encoding == nullptr ? text::is_utf8(bytes) : is_all_ascii(bytes)) return bytes;
  storage = record.encoding == nullptr ? text::repaired_utf8(bytes)
                                       : FROND_TRY(as_declared(bytes, *record.encoding, false, kMaxDocumentBytes));
  if (storage.size() > kMaxDocumentBytes) return grown_too_long(kMaxDocumentBytes);
  return std::string_view(storage);
}

// charset_of_html() of charset.h.
std::string_view charset_of_html(std::string_view bytes, std::string_view http) {
  if (encoding_of(http)) return http;
  const std::string_view head = bytes.substr(0, kMetaPrescanBytes);
  std::string_view in_xml;
  for (std::size_t at = head.find('<'); at < head.size(); at = head.find('<', at)) {
    const std::string_view rest = head.substr(at);
    if (rest.starts_with("<!--")) {
      at = comment_end(head, at);
    } else if (rest.starts_with("<?xml")) {
      in_xml = meant(value_of(rest.substr(0, rest.find('>')), "encoding"));
      at += 5;
    } else if (rest.size() > 1 && is_tag_letter(rest[1])) {
      const TagName name = tag_name_at(head, at + 1);
      const TagEnd end = tag_end(head, at + 1);
      if (name.view() == "body") break;
      if (name.view() == "meta") {
        const std::string_view label = charset_of_meta(attributes_of(head.substr(at, end.at - at)));
        if (!label.empty()) return label;
      }
      at = end.at;
    } else {
      ++at;
    }
  }
  return in_xml;
}

}  // namespace frond::indexer::ingest
