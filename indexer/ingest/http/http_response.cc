#include "indexer/ingest/http/http_response.h"

#include <algorithm>
#include <charconv>

#include "indexer/ingest/encoding/encoding.h"
#include "indexer/ingest/files/file_kind.h"
#include "indexer/ingest/lines.h"

namespace frond::indexer::ingest {
namespace {

constexpr std::size_t kMaxEssence = 127;

// Types by what becomes of them, separated by spaces; the first that matches decides. A name that ends in '/', '-', '.'
// or "font" stands for all types that begin so.
struct Known {
  PageType type;
  std::string_view names;
};
PageType skipped(SkipReason reason) { return {TextType::kUnknown, reason}; }
const Known kKnown[] = {
    {{TextType::kHtml, {}}, "text/html application/xhtml+xml application/vnd.wap.xhtml+xml"},
    {{TextType::kText, {}}, "text/plain text/markdown"},
    {skipped(SkipReason::kCode),
     "text/css text/javascript text/ecmascript text/json application/javascript "
     "application/x-javascript application/ecmascript application/json "
     "application/manifest+json application/ld+json"},
    {skipped(SkipReason::kProgram), "application/wasm"},
    {{},
     "application/x-httpd-php application/octet-stream application/force-download "
     "unknown/unknown"},
    {skipped(SkipReason::kRtf), "text/rtf application/rtf"},
    {skipped(SkipReason::kPdf), "application/pdf application/x-pdf"},
    {skipped(SkipReason::kPostscript), "application/postscript"},
    {skipped(SkipReason::kOffice), "application/msword application/epub+zip"},
    {skipped(SkipReason::kFont), "application/vnd.ms-fontobject"},
    {skipped(SkipReason::kOffice),
     "application/vnd.ms- application/vnd.openxmlformats-officedocument. "
     "application/vnd.oasis.opendocument."},
    {skipped(SkipReason::kArchive),
     "application/zip application/x-tar application/x-7z-compressed "
     "application/x-rar-compressed"},
    {skipped(SkipReason::kCompressed),
     "application/gzip application/x-gzip application/x-bzip2 application/x-xz "
     "application/zstd"},
    {skipped(SkipReason::kMedia), "application/x-shockwave-flash application/ogg"},
    {skipped(SkipReason::kFont), "application/font application/x-font"},
    {skipped(SkipReason::kXml), "text/xml application/xml"},
    {skipped(SkipReason::kImage), "image/"},
    {skipped(SkipReason::kMedia), "audio/ video/"},
    {skipped(SkipReason::kFont), "font/"},
};

bool stands_for(std::string_view known, std::string_view essence) {
  const char last = known.back();
  const bool prefix = last == '/' || last == '-' || last == '.' || known.ends_with("font");
  return prefix ? essence.starts_with(known) : essence == known;
}

constexpr int kMaxInterim = 4;

// "HTTP/1.1 200 OK"; 0: no status line.
int status_of(std::string_view line) {
  if (!line.starts_with("HTTP/")) return 0;
  line.remove_prefix(std::min(line.find(' '), line.size()));
  line = without_spaces(line);
  int status = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + std::min<std::size_t>(3, line.size()), status);
  return error == std::errc() && end == line.data() + 3 && status >= 100 ? status : 0;
}

}  // namespace

std::size_t head_end(std::string_view text) {
  std::size_t line = 0;
  for (std::size_t end; (end = text.find('\n', line)) != text.npos; line = end + 1)
    if (end == line || (end == line + 1 && text[line] == '\r')) return end + 1;
  return text.npos;
}

HeaderFields HeaderFields::parse(std::string_view lines) {
  HeaderFields head;
  while (!lines.empty() && head.fields_.size() < kMaxFields) {
    const std::string_view line = take_line(lines);
    const std::size_t colon = line.find(':');
    if (colon == line.npos || line.starts_with(' ') || line.starts_with('\t')) continue;
    head.fields_.push_back({trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1))});
  }
  return head;
}

const HeaderFields::Field* HeaderFields::find(std::string_view name) const {
  const auto found = std::ranges::find_if(fields_, [&](const Field& field) { return same_name(field.name, name); });
  return found == fields_.end() ? nullptr : &*found;
}
std::string_view HeaderFields::value(std::string_view name) const {
  const Field* const field = find(name);
  return field ? field->value : std::string_view();
}
bool HeaderFields::has(std::string_view name) const { return find(name) != nullptr; }

MediaType media_type(std::string_view content_type) {
  MediaType type;
  const std::string_view named = trimmed(content_type.substr(0, content_type.find(';')));
  if (named.size() <= kMaxEssence && named.find('/') != named.npos) {
    type.essence = named;
    std::ranges::transform(type.essence, type.essence.begin(), small_letter);
  }
  constexpr std::string_view kKey = "charset=";
  const std::size_t found = find_in_any_case(content_type, kKey);
  if (found == content_type.npos) return type;
  std::string_view value = content_type.substr(found + kKey.size());
  value.remove_prefix(std::min(value.find_first_not_of(" \"'"), value.size()));
  type.charset = value.substr(0, value.find_first_of(" \"';,\t\r\n"));
  return type;
}

bool is_xhtml(std::string_view essence) { return essence.ends_with("xhtml+xml"); }

PageType page_type(std::string_view essence) {
  if (essence.empty()) return {};
  for (const Known& known : kKnown)
    for (std::string_view names = known.names; !names.empty();) {
      const std::string_view name = names.substr(0, names.find(' '));
      if (stands_for(name, essence)) return known.type;
      names.remove_prefix(std::min(name.size() + 1, names.size()));
    }
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

std::optional<HttpResponse> http_response(std::string_view text) {
  HttpResponse response;
  for (int i = 0; i <= kMaxInterim; ++i) {
    std::string_view rest = text.substr(response.head_bytes);
    response.status = status_of(take_line(rest));
    if (response.status == 0) return std::nullopt;
    // A head without fields ends at once.
    const bool bare = rest.starts_with('\n') || rest.starts_with("\r\n");
    const std::size_t end = bare ? rest.find('\n') + 1 : head_end(rest);
    if (end == rest.npos) return std::nullopt;
    const HeaderFields fields = HeaderFields::parse(rest.substr(0, end));
    response.head_bytes = text.size() - rest.size() + end;
    if (response.status < 200) continue;
    response.type = media_type(fields.value("Content-Type"));
    response.codings_known = add_codings(fields.value("Transfer-Encoding"), response.codings) &&
                             add_codings(fields.value("Content-Encoding"), response.codings);
    return response;
  }
  return std::nullopt;
}

}  // namespace frond::indexer::ingest
