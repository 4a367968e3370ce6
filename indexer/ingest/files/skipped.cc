#include "indexer/ingest/files/skipped.h"

namespace frond::indexer::ingest {
namespace {

struct Words {
  std::string_view name, meaning;
};
constexpr std::array<Words, kSkipReasons> kWords = {{
    {"hidden", "hidden files and folders; --hidden takes them"},
    {"symbolic_link", "symbolic links inside a folder"},
    {"special", "devices, sockets and pipes inside a folder"},
    {"empty", "without any text"},
    {"pdf", "PDF; convert them to text"},
    {"postscript", "PostScript; convert them to text"},
    {"office", "Word, Excel, PowerPoint, OpenDocument or EPUB; convert them to text or HTML"},
    {"rtf", "RTF; convert them to text"},
    {"xml", "XML or SGML that is not XHTML; convert them to HTML or JSON Lines"},
    {"warc", "web archives, for which another format was named; use --format warc or arc, or auto"},
    {"ciff", "indexes in the Common Index File Format; publish them with frond-indexer import-ciff"},
    {"archive", "archives (zip, tar, 7z and others); unpack them"},
    {"compressed", "compressed in a way that is not read, or twice; decompress them"},
    {"image", "pictures"},
    {"media", "sound and video"},
    {"font", "fonts"},
    {"program", "programs and libraries"},
    {"data", "databases and tables (SQLite, Parquet, HDF5, pickles and others); export them as JSON Lines"},
    {"binary", "neither text nor a known kind of file"},
    {"wide_records", "JSON, CSV, TSV or TREC in UTF-16 or UTF-32; convert them to UTF-8"},
    {"columns",
     "CSV or TSV whose first line names no column of text; name them id, title, text, url, or take them with "
     "--format tsv or --format files"},
    {"warc_other", "WARC records that hold no page (warcinfo, request, metadata, DNS and others)"},
    {"revisit", "WARC records of pages that had not changed since an earlier visit"},
    {"segmented", "pages in several WARC records; join them to one record"},
    {"http_status", "answers of web servers that are no page: redirects, errors, parts of pages"},
    {"coding", "pages compressed in a way that is not read; decompress them"},
    {"code", "style sheets, scripts and JSON"},
    {"other_type", "answers of web servers that are neither HTML nor text"},
    {"redirect", "wiki pages that only point to another page"},
    {"namespace", "wiki pages that are no articles (talk, users, files, templates, categories and others)"},
    {"no_records", "called, or taken, for files of records, of which none begins there; --format names another format"},
    {"repository", "Frond's own repositories"},
}};
static_assert(!kWords.back().name.empty(), "each reason has its words");

}  // namespace

std::string_view name_of(SkipReason reason) { return kWords[static_cast<std::size_t>(reason)].name; }
std::string_view meaning_of(SkipReason reason) { return kWords[static_cast<std::size_t>(reason)].meaning; }

void Tally::add(std::string_view where) {
  ++count;
  if (examples.size() < kMaxExamples) examples.emplace_back(where);
}

std::uint64_t Skipped::total() const {
  std::uint64_t all = 0;
  for (const Tally& tally : of_) all += tally.count;
  return all;
}

Result<void> SkippedList::check() const {
  if (out_) return {};
  return Error(Code::kUnavailable, file_.string() + ": the list of skipped files cannot be written");
}

Result<void> SkippedList::begin(bool anew) {
  out_ = std::ofstream(file_, anew ? std::ios::trunc : std::ios::app);
  return check();
}

void SkippedList::add(SkipReason reason, std::string_view path) {
  out_ << name_of(reason) << '\t';
  for (const char c : path) {
    if (c == '\\' || c == '\t' || c == '\n') out_ << '\\';
    out_ << (c == '\t' ? 't' : c == '\n' ? 'n' : c);
  }
  out_ << '\n';
}

Result<void> SkippedList::end() {
  out_.flush();
  return check();
}

std::string to_string(const Skipped& skipped) {
  std::string text;
  for (std::size_t i = 0; i < kSkipReasons; ++i) {
    const Tally& tally = skipped.by_reason()[i];
    if (tally.count == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(tally.count) + " ";
    text += name_of(static_cast<SkipReason>(i));
    for (std::size_t e = 0; e < tally.examples.size(); ++e) text += (e == 0 ? " (" : ", ") + tally.examples[e];
    text += tally.count > tally.examples.size() ? ", …)" : ")";
  }
  return text;
}

}  // namespace frond::indexer::ingest
