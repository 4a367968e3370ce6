// Any bytes as a file. The first byte says of which format, or that it is to be recognised; the rest is the file. It is
// cut and parsed to its end.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "common/base/check.h"
#include "indexer/ingest/files/record_reader.h"
#include "indexer/ingest/formats/formats.h"
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto formats = source_formats();
  const std::size_t which = (data[0] - '0') % (formats.size() + 1);
  const SourceFormat* const format = which == 0 ? nullptr : formats[which - 1];  // null: recognised
  ++data;
  --size;
  // ingest_decompress is for these: a few bytes may stand for very many.
  if (sniff_compression(std::as_bytes(std::span(data, size))) != Compression::kNone) return 0;
  std::uint64_t bad = 0, records = 0;
  const auto reader = RecordReader::open({file_of(data, size)}, format, [&](const BadRecord&) { ++bad; }).value();
  for (;;) {
    const auto record = reader->next();
    FROND_CHECK(record.has_value());
    if (!*record) break;
    FROND_CHECK((*record)->offset <= size && (*record)->number > 0);
    const auto document = parse_record(**record, {.make_ids = true});
    FROND_CHECK(document || !document.error().message().empty());
    ++records;
  }
  FROND_CHECK(records + bad <= size + 1);
  if (records + bad > 0) FROND_CHECK(reader->skipped().total() == 0);
  return 0;
}
