// Any bytes as a MediaWiki export, and as the markup of a page: records come in order, texts are valid UTF-8 and no
// longer than what they were made from.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "common/base/check.h"
#include "common/text/utf8.h"
#include "indexer/ingest/files/record_reader.h"
#include "indexer/ingest/formats/formats.h"
#include "indexer/ingest/formats/wiki.h"
#include "indexer/ingest/markup/wikitext.h"
#include "indexer/ingest/records/parse_record.h"
#include "indexer/ingest/streams/decompress.h"

using namespace frond::indexer::ingest;

namespace {

// A file in memory that has a path.
const std::string& file_of(const std::uint8_t* data, std::size_t size) {
  static const int file = ::memfd_create("input", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  FROND_CHECK(::ftruncate(file, 0) == 0);
  FROND_CHECK(::pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
  return path;
}

void read_export(const std::uint8_t* data, std::size_t size) {
  std::uint64_t last = 0, offset = 0;
  const auto in_order = [&](std::uint64_t number, std::uint64_t at) {
    FROND_CHECK(number > last && at >= offset && at <= size);
    last = number;
    offset = at;
  };
  const auto note_bad = [&](const BadRecord& record) { in_order(record.number, record.offset); };
  const auto reader = RecordReader::open({file_of(data, size)}, &kWiki, note_bad).value();
  for (;;) {
    const auto record = reader->next();
    FROND_CHECK(record.has_value());
    if (!*record) return;
    in_order((*record)->number, (*record)->offset);
    const auto document = parse_record(**record, {.make_ids = true});
    if (!document) continue;
    for (const std::string* field : {&document->id, &document->url, &document->title, &document->body})
      FROND_CHECK(frond::text::is_utf8(*field));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // ingest_decompress is for these.
  if (sniff_compression(std::as_bytes(std::span(data, size))) != Compression::kNone) return 0;
  read_export(data, size);
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string text = frond::text::is_utf8(bytes) ? std::string(bytes) : frond::text::repaired_utf8(bytes);
  static const WikiSite site = WikiSite::parse("<namespace key=\"6\">Datei</namespace>");
  const std::string plain = wikitext_to_text(text, site);
  FROND_CHECK(frond::text::is_utf8(plain) && plain.size() <= text.size());
  return 0;
}
