// Run files, their frames, and frames of documents: any bytes are survived. The first byte chooses which.
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "indexer/runs/document_frame.h"
#include "indexer/runs/document_spool.h"
#include "indexer/runs/run_file.h"

namespace frond::indexer::runs {
namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

// What next() promises of every record that it gives.
template <class Records>
void read_records(Records& records) {
  std::string last;
  for (;;) {
    const auto more = records.next();
    if (!more || !*more) return;
    check(!records.term().empty() && last <= records.term());
    last = records.term();
    check(!records.docids().empty() && records.docids().size() == records.frequencies().size());
    for (std::size_t i = 0; i < records.docids().size(); ++i) {
      check(records.docids()[i] < kNoDoc && records.frequencies()[i] >= 1);
      check(i == 0 || records.docids()[i - 1] < records.docids()[i]);
    }
  }
}

void read_frame(ByteView bytes) {
  if (bytes.size() < 2 || bytes.size() > kFramePayloadBytes) return;
  RunFrame frame;
  frame.start(bytes.subspan(2), load_le<std::uint16_t>(bytes.data()));
  read_records(frame);
}

// The checksum is made right, so that what is behind it is reached.
void read_documents(ByteView bytes) {
  if (bytes.size() < kDocumentFrameHeaderBytes) return;
  auto header = read_frame_header(bytes);
  if (!header || header->field_bytes > (1u << 20)) return;
  const ByteView payload = bytes.subspan(kDocumentFrameHeaderBytes);
  if (payload.size() != header->payload_bytes()) return;
  // Lengths, priors and sizes of values, as far as there are any.
  std::array<std::vector<std::uint32_t>, 3> numbers;
  const bool there[] = {true, header->priors, header->values};
  const std::byte* at = payload.data() + header->field_bytes;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i].resize(there[i] ? header->documents : 0);
    if (there[i]) std::memcpy(numbers[i].data(), at, numbers[i].size() * sizeof numbers[i][0]);
    at += numbers[i].size() * sizeof numbers[i][0];
  }
  const auto value_bytes = value_bytes_of(*header, numbers[2]);
  if (!value_bytes) return;
  const ByteView fields = payload.first(header->field_bytes - *value_bytes);
  const auto made =
      frame_header({fields, payload.subspan(fields.size(), *value_bytes), numbers[0], numbers[1], numbers[2]});
  header->checksum = load_le<std::uint64_t>(made.data() + 8);
  const auto frame = DocumentFrame::open(*header, ByteBuffer(payload.begin(), payload.end()));
  if (!frame) return;
  check(frame->documents().size() == header->documents);
  std::size_t sum = 0;
  for (const auto& d : frame->documents())
    sum += d.id.size() + d.url.size() + d.title.size() + d.body.size() + d.values.size();
  check(sum <= header->field_bytes);
}

void read_files(ByteView bytes) {
  const int file = ::memfd_create("fuzz", MFD_CLOEXEC);
  check(file >= 0 && ::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (auto reader = RunReader::open(path, 0)) read_records(*reader);
  if (auto spool = SpoolReader::open(path))
    for (auto frame = spool->next(); frame && *frame; frame = spool->next()) {
    }
  (void)SpoolReader::read_contents(path);
  if (auto lengths = LengthsReader::open(path))
    for (std::uint32_t length[3]; lengths->read(length);) {
    }
  ::close(file);
}

}  // namespace
}  // namespace frond::indexer::runs

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const frond::ByteView bytes(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  switch (data[0] % 3) {
    case 0:
      frond::indexer::runs::read_frame(bytes);
      break;
    case 1:
      frond::indexer::runs::read_documents(bytes);
      break;
    default:
      frond::indexer::runs::read_files(bytes);
      break;
  }
  return 0;
}
