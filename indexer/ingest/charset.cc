#include "indexer/ingest/charset.h"

#include <iconv.h>
#include <uchardet.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "common/text/analyzer.h"
#include "common/text/utf8.h"
#include "indexer/ingest/wide_text.h"

namespace frond::indexer::ingest {
namespace {

constexpr std::size_t kDetectBytes = 64 << 10;

// The names that pages and uchardet use, in upper case, and iconv's names. As in browsers, Latin-1 is read as its
// superset windows-1252.
struct Encoding {
  std::string_view name;
  const char* iconv;
};
constexpr Encoding kEncodings[] = {
    {"ISO-8859-1", "CP1252"},
    {"ISO8859-1", "CP1252"},
    {"LATIN1", "CP1252"},
    {"US-ASCII", "CP1252"},
    {"ASCII", "CP1252"},
    {"WINDOWS-1252", "CP1252"},
    {"CP1252", "CP1252"},
    {"WINDOWS-1250", "CP1250"},
    {"WINDOWS-1251", "CP1251"},
    {"WINDOWS-1253", "CP1253"},
    {"WINDOWS-1254", "CP1254"},
    {"WINDOWS-1255", "CP1255"},
    {"WINDOWS-1256", "CP1256"},
    {"WINDOWS-1257", "CP1257"},
    {"WINDOWS-1258", "CP1258"},
    {"ISO-8859-2", "ISO-8859-2"},
    {"ISO-8859-3", "ISO-8859-3"},
    {"ISO-8859-4", "ISO-8859-4"},
    {"ISO-8859-5", "ISO-8859-5"},
    {"ISO-8859-6", "ISO-8859-6"},
    {"ISO-8859-7", "ISO-8859-7"},
    {"ISO-8859-8", "ISO-8859-8"},
    {"ISO-8859-9", "CP1254"},
    {"ISO-8859-10", "ISO-8859-10"},
    {"ISO-8859-11", "ISO-8859-11"},
    {"ISO-8859-13", "ISO-8859-13"},
    {"ISO-8859-14", "ISO-8859-14"},
    {"ISO-8859-15", "ISO-8859-15"},
    {"ISO-8859-16", "ISO-8859-16"},
    {"KOI8-R", "KOI8-R"},
    {"KOI8-U", "KOI8-U"},
    {"IBM852", "IBM852"},
    {"IBM855", "IBM855"},
    {"IBM865", "IBM865"},
    {"IBM866", "IBM866"},
    {"TIS-620", "TIS-620"},
    {"VISCII", "VISCII"},
    {"MACINTOSH", "MACINTOSH"},
    {"MAC-CYRILLIC", "MAC-CYRILLIC"},
    {"GB2312", "GB18030"},
    {"GBK", "GB18030"},
    {"GB18030", "GB18030"},
    {"BIG5", "BIG5-HKSCS"},
    {"EUC-JP", "EUC-JP"},
    {"SHIFT_JIS", "CP932"},
    {"ISO-2022-JP", "ISO-2022-JP"},
    {"EUC-KR", "UHC"},
    {"UHC", "UHC"},
    {"UTF-16", "UTF-16LE"},
    {"UTF-16LE", "UTF-16LE"},
    {"UTF-16BE", "UTF-16BE"},
    {"UTF-32LE", "UTF-32LE"},
    {"UTF-32BE", "UTF-32BE"},
};

const char* iconv_name(std::string_view name) {
  std::string upper(name.substr(0, 32));
  std::ranges::transform(upper, upper.begin(),
                         [](char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c); });
  const Encoding* found = std::ranges::find(kEncodings, std::string_view(upper), &Encoding::name);
  return found == std::end(kEncodings) ? nullptr : found->iconv;
}

Error grown_too_long(std::size_t max_bytes) {
  return {Code::kInvalid, "longer than the limit of " + std::to_string(max_bytes >> 20) + " MiB in UTF-8"};
}

Result<std::string> converted(std::string_view bytes, const char* from, std::size_t max_bytes) {
  const iconv_t converter = iconv_open("UTF-8", from);
  // The value by which iconv_open() reports an error. NOLINTNEXTLINE(performance-no-int-to-ptr)
  if (converter == reinterpret_cast<iconv_t>(-1)) return text::repaired_utf8(bytes);
  const std::unique_ptr<void, decltype(&iconv_close)> closed(converter, iconv_close);
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 4);
  char buffer[4096];
  char* in = const_cast<char*>(bytes.data());  // iconv only reads it
  std::size_t left = bytes.size();
  while (left > 0) {
    if (out.size() > max_bytes) return grown_too_long(max_bytes);
    char* to = buffer;
    std::size_t room = sizeof buffer;
    const std::size_t status = iconv(converter, &in, &left, &to, &room);
    const int error = status == static_cast<std::size_t>(-1) ? errno : 0;
    out.append(buffer, to);
    if (error == 0 || error == E2BIG) continue;
    out.append(text::kReplacement);
    if (error == EINVAL) break;  // a character cut short by the end
    ++in;
    --left;
  }
  return text::is_utf8(out) ? out : text::repaired_utf8(out);
}

const char* guessed(std::string_view bytes) {
  const std::unique_ptr<uchardet, void (*)(uchardet_t)> detector(uchardet_new(), uchardet_delete);
  if (!detector) return nullptr;
  const std::string_view sample = bytes.substr(0, kDetectBytes);
  if (uchardet_handle_data(detector.get(), sample.data(), sample.size()) != 0) return nullptr;
  uchardet_data_end(detector.get());
  return iconv_name(uchardet_get_charset(detector.get()));
}

bool equal_ignoring_case(char a, char b) { return (a | 0x20) == (b | 0x20); }

std::string without_nuls(std::string_view bytes) {
  std::string out(bytes);
  std::erase(out, '\0');
  return out;
}

// In one byte a character, or more: whatever NULs stand for, they do not.
Result<std::string> narrow_to_utf8(std::string_view bytes, std::string_view declared, std::size_t max_bytes) {
  if (text::is_utf8(bytes)) return std::string(bytes);
  const char* name = iconv_name(declared);
  // Text without a NUL is hardly UTF-16, whatever it declares.
  if (name && std::string_view(name).starts_with("UTF-")) name = nullptr;
  if (!name) name = guessed(bytes);
  return converted(bytes, name ? name : "CP1252", max_bytes);
}

}  // namespace

Result<std::string> to_utf8(std::string_view bytes, std::string_view declared, std::size_t max_bytes) {
  const std::string_view wide = wide_encoding(bytes);
  bytes.remove_prefix(byte_order_mark(bytes));
  const bool nuls = bytes.find('\0') != bytes.npos;
  Result<std::string> out = !wide.empty() ? converted(bytes, wide.data(), max_bytes)
                            : nuls        ? narrow_to_utf8(without_nuls(bytes), declared, max_bytes)
                                          : narrow_to_utf8(bytes, declared, max_bytes);
  if (!out) return out;
  if (!wide.empty()) std::erase(*out, '\0');
  if (out->size() > max_bytes) return grown_too_long(max_bytes);
  return out;
}

std::string_view charset_of_html(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 1024);
  const auto value_of = [&](std::string_view key, std::string_view in) {
    const auto found = std::search(in.begin(), in.end(), key.begin(), key.end(), equal_ignoring_case);
    if (found == in.end()) return std::string_view();
    std::string_view value = in.substr(static_cast<std::size_t>(found - in.begin()) + key.size());
    value.remove_prefix(std::min(value.find_first_not_of(" \"'"), value.size()));
    return value.substr(0, value.find_first_of(" \"';>/\t\r\n"));
  };
  const std::string_view named = value_of("charset=", head);
  const std::size_t declaration = head.find("<?xml ");
  if (!named.empty() || declaration == head.npos) return named;
  return value_of("encoding=", head.substr(declaration, head.find("?>", declaration) - declaration));
}

}  // namespace frond::indexer::ingest
