#include "indexer/ingest/wide_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "common/text/utf8.h"

namespace frond::indexer::ingest {
namespace {

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
