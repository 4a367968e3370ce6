// Any bytes as a CIFF file: what is read of it is what ciff_file.h promises.
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>

#include "common/base/check.h"
#include "common/text/utf8.h"
#include "indexer/ciff/ciff_file.h"
#include "indexer/ingest/streams/decompress.h"

using namespace frond;
using namespace frond::indexer;

namespace {

// A file in memory that has a path.
const std::string& file_of(const std::uint8_t* data, std::size_t size) {
  static const int file = ::memfd_create("input", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  FROND_CHECK(::ftruncate(file, 0) == 0);
  FROND_CHECK(::pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
  return path;
}

Result<void> read(const std::string& path) {
  const auto reader = FROND_TRY(ciff::CiffReader::open(path));
  const std::uint64_t documents = reader->header().documents;
  std::uint64_t lists = 0, read = 0;
  for (; const auto list = FROND_TRY(reader->next_list()); ++lists) {
    FROND_CHECK(text::is_utf8(list->term));
    std::array<DocId, 3> docids{};
    std::array<Frequency, 3> frequencies{};
    std::uint64_t count = 0, next = 0;
    for (std::size_t got = 3; got == 3; count += got) {
      got = FROND_TRY(reader->read_postings(docids, frequencies));
      for (std::size_t i = 0; i < got; ++i) {
        FROND_CHECK(docids[i] >= next && docids[i] < documents && frequencies[i] >= 1);
        next = std::uint64_t{docids[i]} + 1;
      }
    }
    FROND_CHECK(count <= documents);
  }
  FROND_CHECK(lists == reader->header().lists);
  for (; const auto document = FROND_TRY(reader->next_document()); ++read) FROND_CHECK(text::is_utf8(document->id));
  FROND_CHECK(read == documents);
  return {};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // ingest_decompress is for these.
  if (ingest::sniff_compression(std::as_bytes(std::span(data, size))) != ingest::Compression::kNone) return 0;
  const auto done = read(file_of(data, size));
  if (!done) FROND_CHECK(!done.error().message().empty());
  return 0;
}
