#include "indexer/ingest/file_kind.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "indexer/ingest/wide_text.h"

namespace frond::indexer::ingest {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kKindSniffBytes = 8 << 10;

struct Magic {
  std::size_t at;
  std::string_view bytes;
  SkipReason reason;
};
// So long or so odd that no text begins with them.
constexpr Magic kMagics[] = {
    {0, "%PDF-"sv, SkipReason::kPdf},
    {0, "%!PS-Adobe"sv, SkipReason::kPostscript},
    {0, "\xc5\xd0\xd3\xc6"sv, SkipReason::kPostscript},
    {0, "{\\rtf"sv, SkipReason::kRtf},
    {0, "WARC/0."sv, SkipReason::kWarc},
    {0, "WARC/1."sv, SkipReason::kWarc},
    {0, "filedesc://"sv, SkipReason::kWarc},
    {0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, SkipReason::kOffice},
    {0, "PK\3\4"sv, SkipReason::kArchive},
    {0, "PK\5\6"sv, SkipReason::kArchive},
    {0, "7z\xbc\xaf\x27\x1c"sv, SkipReason::kArchive},
    {0, "Rar!\x1a\x07"sv, SkipReason::kArchive},
    {0, "!<arch>\n"sv, SkipReason::kArchive},
    {0, "MSCF\0\0\0\0"sv, SkipReason::kArchive},
    {0, "\xed\xab\xee\xdb"sv, SkipReason::kArchive},
    {0, "\x1f\x8b\x08"sv, SkipReason::kCompressed},
    {0, "\x1f\x9d"sv, SkipReason::kCompressed},
    {0, "BZh91AY&SY"sv, SkipReason::kCompressed},
    {0,
     "\xfd"
     "7zXZ\0"sv,
     SkipReason::kCompressed},
    {0, "\x28\xb5\x2f\xfd"sv, SkipReason::kCompressed},
    {0, "\x04\x22\x4d\x18"sv, SkipReason::kCompressed},
    {0, "LZIP\1"sv, SkipReason::kCompressed},
    {0, "\x5d\0\0"sv, SkipReason::kCompressed},
    {0, "\x89PNG\r\n\x1a\n"sv, SkipReason::kImage},
    {0, "\xff\xd8\xff"sv, SkipReason::kImage},
    {0, "GIF87a"sv, SkipReason::kImage},
    {0, "GIF89a"sv, SkipReason::kImage},
    {0, "II*\0"sv, SkipReason::kImage},
    {0, "MM\0*"sv, SkipReason::kImage},
    {0, "\0\0\1\0"sv, SkipReason::kImage},
    {0, "8BPS\0"sv, SkipReason::kImage},
    {0, "OggS\0"sv, SkipReason::kMedia},
    {0, "fLaC\0"sv, SkipReason::kMedia},
    {0, "ID3\2"sv, SkipReason::kMedia},
    {0, "ID3\3"sv, SkipReason::kMedia},
    {0, "ID3\4"sv, SkipReason::kMedia},
    {0, "\x1a\x45\xdf\xa3"sv, SkipReason::kMedia},
    {0, "FLV\1"sv, SkipReason::kMedia},
    {0, "wOFF\0"sv, SkipReason::kFont},
    {0, "wOF2\0"sv, SkipReason::kFont},
    {0, "OTTO\0"sv, SkipReason::kFont},
    {0, "\0\1\0\0\0"sv, SkipReason::kFont},
    {0,
     "\x7f"
     "ELF"sv,
     SkipReason::kProgram},
    {0, "\xcf\xfa\xed\xfe"sv, SkipReason::kProgram},
    {0, "\xca\xfe\xba\xbe"sv, SkipReason::kProgram},
    {0, "\0asm"sv, SkipReason::kProgram},
    {0, "SQLite format 3\0"sv, SkipReason::kData},
    {0, "PAR1\x15"sv, SkipReason::kData},
    {0, "\x89HDF\r\n\x1a\n"sv, SkipReason::kData},
    {0, "Obj\1"sv, SkipReason::kData},
    {0, "\x80\3"sv, SkipReason::kData},
    {0, "\x80\4\x95"sv, SkipReason::kData},
    {0, "\x80\5\x95"sv, SkipReason::kData},
    {0, "\x93NUMPY"sv, SkipReason::kData},
    {0, "ARROW1\0"sv, SkipReason::kData},
};
// Texts may begin with these, too: only used for files that are known to be binary.
constexpr Magic kWeakMagics[] = {
    {0, "BM"sv, SkipReason::kImage},       {0, "MZ"sv, SkipReason::kProgram},     {8, "WEBP"sv, SkipReason::kImage},
    {4, "ftypavif"sv, SkipReason::kImage}, {4, "ftypheic"sv, SkipReason::kImage}, {4, "ftyp"sv, SkipReason::kMedia},
    {8, "WAVEfmt"sv, SkipReason::kMedia},  {8, "AVI LIST"sv, SkipReason::kMedia},
};

bool has(std::string_view head, const Magic& magic) {
  return head.size() >= magic.at && head.substr(magic.at).starts_with(magic.bytes);
}

// A tar header has a checksum at 148, in octal: the sum of its bytes, where those of the checksum count as spaces.
bool is_tar(std::string_view head) {
  constexpr std::size_t kHeader = 512, kAt = 148, kDigits = 8;
  if (head.size() < kHeader || head[0] == '\0') return false;
  std::uint64_t sum = 0, stated = 0;
  for (std::size_t i = 0; i < kHeader; ++i)
    sum += i >= kAt && i < kAt + kDigits ? ' ' : static_cast<unsigned char>(head[i]);
  bool any = false;
  for (const char c : head.substr(kAt, kDigits)) {
    if (c == ' ' && !any) continue;
    if (c < '0' || c > '7') break;
    stated = stated * 8 + static_cast<std::uint64_t>(c - '0');
    any = true;
  }
  return any && sum == stated;
}

// An index in the Common Index File Format begins with the length of its header, a protocol buffer: version 1, and the
// numbers of lists and documents in the file and in all.
bool is_ciff(std::string_view head) {
  const auto pass_varint = [&head] {
    constexpr std::size_t kMaxVarint = 5;
    std::size_t at = 0;
    while (at < std::min(kMaxVarint, head.size()) && (head[at] & 0x80) != 0) ++at;
    if (at >= std::min(kMaxVarint, head.size())) return false;
    head.remove_prefix(at + 1);
    return true;
  };
  if (!pass_varint() || !head.starts_with("\x08\x01\x10"sv)) return false;
  head.remove_prefix(2);
  for (const char tag : {'\x10', '\x18', '\x20', '\x28'}) {
    if (!head.starts_with(tag)) return false;
    head.remove_prefix(1);
    if (!pass_varint()) return false;
  }
  return true;
}

// Office documents and EPUB are zip files whose first entry says so.
bool is_zipped_office(std::string_view head) {
  const std::string_view names = head.substr(0, 200);
  for (const std::string_view sign : {"mimetypeapplication/epub+zip"sv, "mimetypeapplication/vnd.oasis"sv,
                                      "[Content_Types].xml"sv, "_rels/.rels"sv, "docProps/"sv, "word/"sv})
    if (names.find(sign) != names.npos) return true;
  return false;
}

std::optional<SkipReason> first_match(std::string_view head, std::span<const Magic> magics) {
  const auto found = std::ranges::find_if(magics, [&](const Magic& magic) { return has(head, magic); });
  if (found == magics.end()) return std::nullopt;
  return found->reason;
}

// Which bytes are control characters that do not occur in text. Overstrikes and escapes of old terminals do occur.
constexpr std::array<std::uint8_t, 256> kControls = [] {
  std::array<std::uint8_t, 256> table{};
  for (std::size_t c = 0; c < 0x20; ++c)
    table[c] = "\t\n\r\f\v\b\x1b"sv.find(static_cast<char>(c)) == std::string_view::npos;
  return table;
}();

bool looks_binary(std::string_view head) {
  const std::size_t begin = head.find_first_not_of('\0');
  if (begin == head.npos) return false;  // nothing in it
  const std::string_view content = head.substr(begin, head.find_last_not_of('\0') + 1 - begin);
  std::size_t controls = 0;
  for (const char c : content) controls += kControls[static_cast<unsigned char>(c)];
  // ISO-2022-KR and -CN shift their characters out and in.
  if (controls > 0 && content.find("\x1b$)") != content.npos)
    for (const char c : content) controls -= c == '\x0e' || c == '\x0f';
  return controls > std::max<std::size_t>(1, content.size() / 50) && wide_encoding(head).empty();
}

}  // namespace

std::optional<SkipReason> known_kind(std::string_view head) {
  const std::optional<SkipReason> kind = first_match(head, kMagics);
  if (kind == SkipReason::kArchive && head.starts_with("PK") && is_zipped_office(head)) return SkipReason::kOffice;
  if (!kind && is_tar(head)) return SkipReason::kArchive;
  if (!kind && is_ciff(head)) return SkipReason::kCiff;
  return kind;
}

std::optional<SkipReason> binary_kind(std::string_view head) {
  if (!looks_binary(head.substr(0, kKindSniffBytes))) return std::nullopt;
  return first_match(head, kWeakMagics).value_or(SkipReason::kBinary);
}

SkipReason kind_without_records(std::string_view head) { return binary_kind(head).value_or(SkipReason::kNoRecords); }

}  // namespace frond::indexer::ingest
