#include "indexer/ingest/media_type.h"

#include <algorithm>

#include "indexer/ingest/file_kind.h"
#include "indexer/ingest/lines.h"
#include "indexer/ingest/markup.h"
#include "indexer/ingest/wide_text.h"

namespace frond::indexer::ingest {
namespace {

constexpr std::size_t kMaxEssence = 127;

// The first that matches decides. A name that ends in '/', '-', '.' or "font" stands for all
// types that begin so.
struct Known {
  std::string_view name;
  PageType type;
};
PageType skipped(SkipReason reason) { return {TextType::kUnknown, reason}; }
const Known kKnown[] = {
    {"text/html", {TextType::kHtml, {}}},
    {"application/xhtml+xml", {TextType::kHtml, {}}},
    {"application/vnd.wap.xhtml+xml", {TextType::kHtml, {}}},
    {"text/plain", {TextType::kText, {}}},
    {"text/markdown", {TextType::kText, {}}},
    {"text/css", skipped(SkipReason::kCode)},
    {"text/javascript", skipped(SkipReason::kCode)},
    {"text/ecmascript", skipped(SkipReason::kCode)},
    {"text/json", skipped(SkipReason::kCode)},
    {"application/javascript", skipped(SkipReason::kCode)},
    {"application/x-javascript", skipped(SkipReason::kCode)},
    {"application/ecmascript", skipped(SkipReason::kCode)},
    {"application/json", skipped(SkipReason::kCode)},
    {"application/manifest+json", skipped(SkipReason::kCode)},
    {"application/ld+json", skipped(SkipReason::kCode)},
    {"application/wasm", skipped(SkipReason::kProgram)},
    {"application/x-httpd-php", {}},
    {"application/octet-stream", {}},
    {"application/force-download", {}},
    {"unknown/unknown", {}},
    {"text/rtf", skipped(SkipReason::kRtf)},
    {"application/rtf", skipped(SkipReason::kRtf)},
    {"application/pdf", skipped(SkipReason::kPdf)},
    {"application/x-pdf", skipped(SkipReason::kPdf)},
    {"application/postscript", skipped(SkipReason::kPostscript)},
    {"application/msword", skipped(SkipReason::kOffice)},
    {"application/epub+zip", skipped(SkipReason::kOffice)},
    {"application/vnd.ms-fontobject", skipped(SkipReason::kFont)},
    {"application/vnd.ms-", skipped(SkipReason::kOffice)},
    {"application/vnd.openxmlformats-officedocument.", skipped(SkipReason::kOffice)},
    {"application/vnd.oasis.opendocument.", skipped(SkipReason::kOffice)},
    {"application/zip", skipped(SkipReason::kArchive)},
    {"application/x-tar", skipped(SkipReason::kArchive)},
    {"application/x-7z-compressed", skipped(SkipReason::kArchive)},
    {"application/x-rar-compressed", skipped(SkipReason::kArchive)},
    {"application/gzip", skipped(SkipReason::kCompressed)},
    {"application/x-gzip", skipped(SkipReason::kCompressed)},
    {"application/x-bzip2", skipped(SkipReason::kCompressed)},
    {"application/x-xz", skipped(SkipReason::kCompressed)},
    {"application/zstd", skipped(SkipReason::kCompressed)},
    {"application/x-shockwave-flash", skipped(SkipReason::kMedia)},
    {"application/ogg", skipped(SkipReason::kMedia)},
    {"application/font", skipped(SkipReason::kFont)},
    {"application/x-font", skipped(SkipReason::kFont)},
    {"text/xml", skipped(SkipReason::kXml)},
    {"application/xml", skipped(SkipReason::kXml)},
    {"image/", skipped(SkipReason::kImage)},
    {"audio/", skipped(SkipReason::kMedia)},
    {"video/", skipped(SkipReason::kMedia)},
    {"font/", skipped(SkipReason::kFont)},
};

bool stands_for(std::string_view known, std::string_view essence) {
  const char last = known.back();
  const bool prefix = last == '/' || last == '-' || last == '.' || known.ends_with("font");
  return prefix ? essence.starts_with(known) : essence == known;
}

}  // namespace

MediaType media_type(std::string_view content_type) {
  MediaType type;
  const std::string_view named = trimmed(content_type.substr(0, content_type.find(';')));
  if (named.size() <= kMaxEssence && named.find('/') != named.npos) {
    type.essence = named;
    std::ranges::transform(type.essence, type.essence.begin(), small_letter);
  }
  constexpr std::string_view kKey = "charset=";
  const auto found = std::search(content_type.begin(), content_type.end(), kKey.begin(), kKey.end(),
                                 [](char a, char b) { return small_letter(a) == b; });
  if (found == content_type.end()) return type;
  std::string_view value = content_type.substr(static_cast<std::size_t>(found - content_type.begin()) + kKey.size());
  value.remove_prefix(std::min(value.find_first_not_of(" \"'"), value.size()));
  type.charset = value.substr(0, value.find_first_of(" \"';,\t\r\n"));
  return type;
}

bool is_xhtml(std::string_view essence) { return essence.ends_with("xhtml+xml"); }

PageType page_type(std::string_view essence) {
  if (essence.empty()) return {};
  const Known* const found =
      std::ranges::find_if(kKnown, [&](const Known& known) { return stands_for(known.name, essence); });
  if (found != std::end(kKnown)) return found->type;
  if (essence.ends_with("+xml")) return skipped(SkipReason::kXml);
  if (essence.ends_with("+json")) return skipped(SkipReason::kCode);
  return skipped(SkipReason::kOtherType);
}

PageType page_type(TextType named, std::string_view begin) {
  if (const auto kind = known_kind(begin)) return skipped(*kind);
  if (const auto kind = binary_kind(begin)) return skipped(*kind);
  std::string storage;
  const std::string_view text = without_spaces(plain_beginning(begin, storage));
  if (text.empty()) return skipped(SkipReason::kEmpty);
  if (named == TextType::kHtml) return {TextType::kHtml, {}};
  const Markup markup = named == TextType::kText ? markup_in_text(text) : markup_of(text);
  if (markup == Markup::kXml) return skipped(SkipReason::kXml);
  return {markup == Markup::kHtml ? TextType::kHtml : TextType::kText, {}};
}

}  // namespace frond::indexer::ingest
