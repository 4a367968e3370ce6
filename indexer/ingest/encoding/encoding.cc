#include "indexer/ingest/encoding/encoding.h"

#include <algorithm>
#include <array>
#include <string>

#include "common/text/utf8.h"
#include "indexer/ingest/lines.h"

namespace frond::indexer::ingest {
namespace {

using enum CodeForm;

constexpr Encoding kEncodings[] = {
    {"UTF-8", kUtf8, "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8"},
    {"CP1252", kOneByte,
     "windows-1252 iso-8859-1 us-ascii ascii latin1 ansi_x3.4-1968 cp1252 cp819 csisolatin1 ibm819 iso-ir-100 "
     "iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 x-cp1252 x-user-defined"},
    {"CP1251", kOneByte, "windows-1251 cp1251 x-cp1251"},
    {"CP1250", kOneByte, "windows-1250 cp1250 x-cp1250"},
    {"CP1253", kOneByte, "windows-1253 cp1253 x-cp1253"},
    {"CP1254", kOneByte,
     "windows-1254 iso-8859-9 cp1254 csisolatin5 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 "
     "x-cp1254"},
    {"CP1255", kOneByte, "windows-1255 cp1255 x-cp1255"},
    {"CP1256", kOneByte, "windows-1256 cp1256 x-cp1256"},
    {"CP1257", kOneByte, "windows-1257 cp1257 x-cp1257"},
    {"CP1258", kOneByte, "windows-1258 cp1258 x-cp1258"},
    {"CP874", kOneByte, "windows-874 dos-874 iso-8859-11 iso8859-11 iso885911 tis-620"},
    {"ISO-8859-2", kOneByte,
     "iso-8859-2 csisolatin2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2"},
    {"ISO-8859-3", kOneByte,
     "iso-8859-3 csisolatin3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3"},
    {"ISO-8859-4", kOneByte,
     "iso-8859-4 csisolatin4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4"},
    {"ISO-8859-5", kOneByte,
     "iso-8859-5 csisolatincyrillic cyrillic iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988"},
    {"ISO-8859-6", kOneByte,
     "iso-8859-6 arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e iso-8859-6-i "
     "iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987"},
    {"ISO-8859-7", kOneByte,
     "iso-8859-7 csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso8859-7 iso88597 iso_8859-7 "
     "iso_8859-7:1987 sun_eu_greek"},
    {"ISO-8859-8", kOneByte,
     "iso-8859-8 csiso88598e csiso88598i csisolatinhebrew hebrew iso-8859-8-e iso-8859-8-i iso-ir-138 iso8859-8 "
     "iso88598 iso_8859-8 iso_8859-8:1988 logical visual"},
    {"ISO-8859-10", kOneByte, "iso-8859-10 csisolatin6 iso-ir-157 iso8859-10 iso885910 l6 latin6"},
    {"ISO-8859-13", kOneByte, "iso-8859-13 iso8859-13 iso885913"},
    {"ISO-8859-14", kOneByte, "iso-8859-14 iso8859-14 iso885914"},
    {"ISO-8859-15", kOneByte, "iso-8859-15 csisolatin9 iso8859-15 iso885915 iso_8859-15 l9"},
    {"ISO-8859-16", kOneByte, "iso-8859-16"},
    {"KOI8-R", kOneByte, "koi8-r cskoi8r koi koi8 koi8_r"},
    {"KOI8-U", kOneByte, "koi8-u koi8-ru"},
    {"IBM866", kOneByte, "ibm866 866 cp866 csibm866"},
    {"MACINTOSH", kOneByte, "macintosh csmacintosh mac x-mac-roman"},
    {"MAC-UK", kOneByte, "x-mac-cyrillic x-mac-ukrainian mac-cyrillic"},
    {"GB18030", kManyBytes, "gb2312 gbk gb18030 chinese csgb2312 csiso58gb231280 gb_2312 gb_2312-80 iso-ir-58 x-gbk"},
    {"BIG5-HKSCS", kManyBytes, "big5 big5-hkscs cn-big5 csbig5 x-x-big5"},
    {"EUC-JP-MS", kManyBytes, "euc-jp x-euc-jp cseucpkdfmtjapanese"},
    {"CP932", kManyBytes, "shift_jis shift-jis sjis x-sjis csshiftjis ms932 ms_kanji windows-31j"},
    {"UHC", kManyBytes,
     "euc-kr uhc cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949"},
    {"ISO-2022-JP", kSevenBits, "iso-2022-jp csiso2022jp"},
    {"ISO-2022-KR", kSevenBits, "iso-2022-kr csiso2022kr"},
    {"ISO-2022-CN", kSevenBits, "iso-2022-cn iso-2022-cn-ext"},
    {"GB18030", kSevenBits, "hz-gb-2312"},
    {"UTF-16LE", kWide, "utf-16 utf-16le csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff"},
    {"UTF-16BE", kWide, "utf-16be unicodefffe"},
    // Not of the standard, but detected.
    {"IBM852", kOneByte, "ibm852"},
    {"IBM855", kOneByte, "ibm855"},
    {"IBM865", kOneByte, "ibm865"},
    {"VISCII", kOneByte, "viscii"},
};

bool has_label(std::string_view labels, std::string_view wanted) {
  for (std::size_t at = labels.find(wanted); at != labels.npos; at = labels.find(wanted, at + 1)) {
    const std::size_t end = at + wanted.size();
    if ((at == 0 || labels[at - 1] == ' ') && (end == labels.size() || labels[end] == ' ')) return true;
  }
  return false;
}

using namespace std::string_view_literals;

constexpr std::size_t kWideSniffBytes = 4 << 10;

struct Mark {
  std::string_view bytes, encoding;
};
// UTF-32LE's before UTF-16LE's, with which it begins.
constexpr Mark kWideMarks[] = {{"\xff\xfe\0\0"sv, "UTF-32LE"},
                               {"\0\0\xfe\xff"sv, "UTF-32BE"},
                               {"\xff\xfe"sv, "UTF-16LE"},
                               {"\xfe\xff"sv, "UTF-16BE"},
                               {"\xef\xbb\xbf"sv, {}}};

// The characters of UTF-16 or UTF-32, as `encoding` says.
class WideReader {
 public:
  WideReader(std::string_view bytes, std::string_view encoding)
      : bytes_(bytes), unit_(encoding.starts_with("UTF-32") ? 4 : 2), little_(encoding.ends_with("LE")) {}
  bool at_end() const { return bytes_.size() - at_ < unit_; }
  // kNoCodePoint: half of a surrogate pair.
  char32_t next() {
    const char32_t first = unit();
    if (unit_ == 4 || first < 0xd800 || first >= 0xe000) return first;
    if (first >= 0xdc00 || at_end()) return text::kNoCodePoint;
    const char32_t second = unit();
    if (second < 0xdc00 || second >= 0xe000) return text::kNoCodePoint;
    return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
  }

 private:
  char32_t unit() {
    char32_t value = 0;
    for (std::size_t i = 0; i < unit_; ++i)
      value = value << 8 | static_cast<unsigned char>(bytes_[at_ + (little_ ? unit_ - 1 - i : i)]);
    at_ += unit_;
    return value;
  }
  std::string_view bytes_;
  std::size_t unit_, at_ = 0;
  bool little_;
};

bool is_text_character(char32_t c) {
  if (c < 0x20) return c == '\t' || c == '\n' || c == '\r' || c == '\f';
  if (c >= 0x7f && c < 0xa0) return false;
  if ((c >= 0xd800 && c < 0xf900) || c > 0x10ffff) return false;  // halves of pairs, private use
  return (c & 0xfffe) != 0xfffe;
}

// Whether all characters are those of text, except one that the end cuts short.
bool reads_as(std::string_view bytes, std::string_view encoding) {
  WideReader reader(bytes, encoding);
  while (!reader.at_end()) {
    const char32_t c = reader.next();
    if (!is_text_character(c) && !(c == text::kNoCodePoint && reader.at_end())) return false;
  }
  return true;
}

bool is_ascii_text(char c) { return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

const Encoding* encoding_of(std::string_view label) {
  constexpr std::size_t kMaxLabel = 32;
  std::string small(trimmed(label));
  if (small.empty() || small.size() > kMaxLabel || small.find(' ') != small.npos) return nullptr;
  std::ranges::transform(small, small.begin(), small_letter);
  const Encoding* found =
      std::ranges::find_if(kEncodings, [&](const Encoding& encoding) { return has_label(encoding.labels, small); });
  return found == std::end(kEncodings) ? nullptr : found;
}

bool is_hz(const Encoding& encoding) { return encoding.labels == "hz-gb-2312"; }

std::string hz_to_gb(std::string_view bytes) {
  const auto in_gb = [&](std::size_t at) { return at < bytes.size() && bytes[at] > ' ' && bytes[at] < 0x7f; };
  std::string out;
  out.reserve(bytes.size());
  bool gb = false;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const char c = bytes[at], next = at + 1 < bytes.size() ? bytes[at + 1] : '\0';
    if (c == '~' && (next == '{' || next == '}' || next == '\n' || next == '~')) {
      if (next == '~') out.push_back('~');
      gb = next == '{' || (gb && next == '~');
      ++at;
    } else if (gb && in_gb(at) && in_gb(at + 1)) {
      out.append({static_cast<char>(c | 0x80), static_cast<char>(next | 0x80)});
      ++at;
    } else {
      gb = gb && c != '\n';  // a line begins in ASCII
      out.push_back(c);
    }
  }
  return out;
}

std::string_view wide_encoding(std::string_view bytes) {
  for (const Mark& mark : kWideMarks)
    if (bytes.starts_with(mark.bytes)) return mark.encoding;
  const std::string_view head = bytes.substr(0, std::min(bytes.size(), kWideSniffBytes) & ~std::size_t{3});
  if (head.find('\0') == head.npos) return {};
  std::array<std::size_t, 4> nuls{};  // by place in four bytes
  std::size_t ascii = 0;
  for (std::size_t i = 0; i < head.size(); ++i) {
    nuls[i % 4] += head[i] == '\0';
    ascii += is_ascii_text(head[i]);
  }
  const std::size_t quads = head.size() / 4, pairs = head.size() / 2;
  if (nuls[3] == quads && nuls[2] * 8 >= quads * 7 && reads_as(head, "UTF-32LE")) return "UTF-32LE";
  if (nuls[0] == quads && nuls[1] * 8 >= quads * 7 && reads_as(head, "UTF-32BE")) return "UTF-32BE";
  const std::size_t even = nuls[0] + nuls[2], odd = nuls[1] + nuls[3], all = even + odd;
  const std::string_view encoding = odd > even ? "UTF-16LE" : "UTF-16BE";
  if (std::min(even, odd) * 16 > all) return {};
  // Latin letters are a NUL and a letter. Text of other scripts has NULs at its spaces and line ends, and bytes
  // that are no characters of one byte.
  const bool latin = all * 10 >= pairs * 9;
  const bool other = all * 128 >= pairs && ascii * 10 < (head.size() - all) * 9;
  if (!latin && !other) return {};
  return reads_as(head, encoding) ? encoding : std::string_view();
}

std::size_t byte_order_mark(std::string_view bytes) {
  for (const Mark& mark : kWideMarks)
    if (bytes.starts_with(mark.bytes)) return mark.bytes.size();
  return 0;
}

std::string_view plain_beginning(std::string_view head, std::string& storage) {
  const std::string_view encoding = wide_encoding(head);
  head.remove_prefix(byte_order_mark(head));
  if (encoding.empty()) {
    if (head.find('\0') == head.npos) return head;
    storage = head;
    std::erase(storage, '\0');
    return storage;
  }
  storage.clear();
  for (WideReader reader(head, encoding); !reader.at_end();) {
    const char32_t c = reader.next();
    if (c == '\0') continue;
    if (c <= 0x10ffff && (c < 0xd800 || c >= 0xe000))
      text::append_utf8(c, storage);
    else
      storage += text::kReplacement;
  }
  return storage;
}

}  // namespace frond::indexer::ingest
