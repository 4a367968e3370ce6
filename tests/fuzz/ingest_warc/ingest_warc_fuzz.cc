// Any bytes as a WARC file: records come in order, each a document, skipped or bad. Pages are no longer than the limit.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "common/base/check.h"
#include "common/text/utf8.h"
#include "indexer/ingest/files/record_reader.h"
#include "indexer/ingest/formats/formats.h"
#include "indexer/ingest/records/parse_record.h"
#include "indexer/ingest/streams/decompress.h"

using namespace frond::indexer::ingest;

namespace {

constexpr std::size_t kMaxRecord = 256 << 10;

// A file in memory that has a path.
const std::string& file_of(const std::uint8_t* data, std::size_t size) {
  static const int file = ::memfd_create("input", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  FROND_CHECK(::ftruncate(file, 0) == 0);
  FROND_CHECK(::pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
  return path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // ingest_decompress is for these.
  if (sniff_compression(std::as_bytes(std::span(data, size))) != Compression::kNone) return 0;
  std::uint64_t last = 0, offset = 0, bad = 0;
  const auto in_order = [&](std::uint64_t number, std::uint64_t at) {
    FROND_CHECK(number > last && at >= offset && at <= size);
    last = number;
    offset = at;
  };
  const auto note_bad = [&](const BadRecord& record) {
    FROND_CHECK(!record.reason.empty());
    in_order(record.number, record.offset);
    ++bad;
  };
  ReadOptions options;
  options.limits.record_bytes = kMaxRecord;
  const auto reader = RecordReader::open({file_of(data, size)}, &kWarc, note_bad, options).value();
  std::uint64_t records = 0;
  for (;; ++records) {
    const auto record = reader->next();
    FROND_CHECK(record.has_value());
    if (!*record) break;
    in_order((*record)->number, (*record)->offset);
    FROND_CHECK((*record)->bytes.size() <= kMaxRecord);
    const auto document = parse_record(**record, {.make_ids = true});
    if (!document) {
      FROND_CHECK(!document.error().message().empty());
      continue;
    }
    for (const std::string* field : {&document->id, &document->url, &document->title, &document->body})
      FROND_CHECK(frond::text::is_utf8(*field));
  }
  FROND_CHECK(records + bad + reader->skipped_records().total() <= size + 1);
  return 0;
}
