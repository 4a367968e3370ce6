#pragma once
// The encodings that texts name, by the labels of the Encoding Standard (https://encoding.spec.whatwg.org).
#include <string>
#include <string_view>

namespace frond::indexer::ingest {

enum class CodeForm {
  kUtf8,
  kWide,       // UTF-16 and UTF-32
  kOneByte,    // a byte a character
  kManyBytes,  // characters beyond ASCII have several
  kSevenBits,  // all bytes are ASCII's: escapes say what they mean
};
struct Encoding {
  const char* iconv;  // the C library's name for it; of HZ, that of its characters with the high bits set
  CodeForm form;
  std::string_view labels;  // in lower case, separated by spaces
};

// In any case, spaces around it ignored. Null: not a known label. As in browsers, labels stand for the superset that
// pages mean: "iso-8859-1" is windows-1252. HZ, ISO-2022-KR and ISO-2022-CN are read, which browsers refuse. Only
// encodings of this list are converted, since some converters of the C library had security holes.
const Encoding* encoding_of(std::string_view label);

// Text in HZ as GB 2312 of eight bits.
std::string hz_to_gb(std::string_view bytes);
// The encoding is HZ.
bool is_hz(const Encoding& encoding);

// UTF-16 and UTF-32, recognised by a byte order mark or by the places of NULs.

// "UTF-16LE", "UTF-16BE", "UTF-32LE" or "UTF-32BE"; empty: none of these. Looks at the first 4 KiB. Text without a mark
// is wide if the NULs are on one side of the characters, there are no control characters and no broken pairs, and the
// other bytes alone are no text: a few NULs do not make other text UTF-16.
std::string_view wide_encoding(std::string_view bytes);
// The length of the byte order mark at the beginning of `bytes`; 0: there is none.
std::size_t byte_order_mark(std::string_view bytes);

// A beginning of a text, for recognising what it is: wide text as UTF-8, without NULs and byte order mark; text of
// other encodings unchanged. Valid as long as `head` and `storage` are.
std::string_view plain_beginning(std::string_view head, std::string& storage);

}  // namespace frond::indexer::ingest
