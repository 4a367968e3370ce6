#include "indexer/ingest/warc_record.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "common/base/bytes.h"
#include "common/partition/file_checksum.h"
#include "common/text/field_limits.h"
#include "indexer/ingest/header_fields.h"
#include "indexer/ingest/lines.h"
#include "indexer/ingest/media_type.h"

namespace frond::indexer::ingest {
namespace {

std::string_view without_brackets(std::string_view value) {
  if (value.starts_with('<') && value.ends_with('>')) return value.substr(1, value.size() - 2);
  return value;
}

// Whether a URL is one of the web; others name what a crawler noted: "dns:…", "metadata://…", "urn:…".
bool is_of_the_web(std::string_view url) {
  const std::string_view scheme = url.substr(0, std::min(url.find(':'), url.size()));
  for (const std::string_view known : {"http", "https", "ftp", "ftps", "file", "gopher"})
    if (same_name(scheme, known)) return true;
  return false;
}

}  // namespace

bool is_warc_version(std::string_view line) {
  if (!line.starts_with(kWarcMagic)) return false;
  line = trimmed(line.substr(kWarcMagic.size()));
  return !line.empty() && line.size() <= 8 && line.find('.') != line.npos &&
         line.find_first_not_of("0123456789.") == line.npos;
}

std::optional<WarcHead> warc_head(std::string_view lines) {
  const HeaderFields fields = HeaderFields::parse(lines);
  WarcHead head;
  const std::string_view length = fields.value("Content-Length");
  const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), head.length);
  if (length.empty() || error != std::errc() || end != length.data() + length.size()) return std::nullopt;
  const std::string_view trec = fields.value("WARC-TREC-ID");
  head.id = without_brackets(trec.empty() ? fields.value("WARC-Record-ID") : trec);
  head.url = without_brackets(fields.value("WARC-Target-URI"));
  head.content_type = fields.value("Content-Type");

  const std::string_view type = fields.value("WARC-Type");
  const auto is = [&](std::string_view name) { return same_name(type, name); };
  const std::string essence = media_type(head.content_type).essence;
  const bool segmented = fields.has("WARC-Segment-Number");
  if (is("revisit")) {
    head.skip_because = SkipReason::kRevisit;
  } else if (is("continuation") || (segmented && (is("response") || is("resource") || is("conversion")))) {
    head.skip_because = SkipReason::kSegmented;
  } else if (is("response") && essence == "application/http") {
    head.block = WarcBlock::kHttp;
  } else if (is("conversion") || ((is("response") || is("resource")) && is_of_the_web(head.url))) {
    // Some crawlers leave the content type of responses out.
    head.block = is("response") && essence.empty() ? WarcBlock::kHttp : WarcBlock::kPage;
  } else {
    head.skip_because = SkipReason::kWarcOther;
  }
  return head;
}

std::optional<WarcHead> arc_head(std::string_view line) {
  constexpr std::size_t kMaxFields = 64, kDateDigits = 14;
  constexpr std::string_view kDigits = "0123456789";
  std::vector<std::string_view> fields;
  for (std::string_view rest = trimmed(line); !rest.empty() && fields.size() < kMaxFields;) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    fields.push_back(rest.substr(0, end));
    rest = without_spaces(rest.substr(end));
  }
  const auto is_date = [&](std::size_t i) {
    return fields[i].size() == kDateDigits && fields[i].find_first_not_of(kDigits) == line.npos &&
           fields[i - 1].find_first_not_of("0123456789abcdefABCDEF.:-") == line.npos;
  };
  std::size_t date = 2;  // further on if the URL has spaces
  while (date + 1 < fields.size() && !is_date(date)) ++date;
  if (date + 1 >= fields.size()) return std::nullopt;
  WarcHead head;
  const std::string_view length = fields.back();
  const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), head.length);
  head.url = trimmed(line.substr(0, static_cast<std::size_t>(fields[date - 1].data() - line.data())));
  if (error != std::errc() || end != length.data() + length.size() || head.url.find(':') == head.url.npos)
    return std::nullopt;
  head.id = std::string(fields[date]) + "/" + head.url;
  if (head.id.size() > text::kMaxIdBytes) {
    partition::Xxh3 digest;
    digest.update(as_bytes(head.url));
    head.id = std::string(fields[date]) + "/" + digest.hex();
  }
  if (date + 2 < fields.size()) head.content_type = fields[date + 1];
  if (same_name(head.url.substr(0, 5), "http:") || same_name(head.url.substr(0, 6), "https:")) {
    head.block = WarcBlock::kHttp;
  } else if (is_of_the_web(head.url)) {
    head.block = WarcBlock::kPage;
  } else {
    head.skip_because = SkipReason::kWarcOther;  // what the crawler notes: "filedesc://", "dns:"
  }
  return head;
}

}  // namespace frond::indexer::ingest
