// Any bytes as a compressed file: every step goes forward, fails, or asks for more. Fed whole and byte by byte, the
// same content comes out.
#include <algorithm>
#include <cstdint>
#include <string>

#include "common/base/check.h"
#include "indexer/ingest/streams/decompress.h"

using frond::ByteView;
using frond::indexer::ingest::Compression;
using frond::indexer::ingest::Decompressor;

namespace {

constexpr std::uint64_t kWindowBytes = 16 << 20;  // so that a claimed window costs no gigabytes here
constexpr std::size_t kMaxOutput = 16 << 20;      // a few bytes may stand for very many

struct Outcome {
  std::string text;
  bool whole = false;
};

Outcome decompress(Compression compression, ByteView in, std::size_t piece) {
  Outcome outcome;
  frond::indexer::ingest::InputLimits limits;
  limits.window_bytes = kWindowBytes;
  std::uint64_t told = 0;
  limits.on_window = [&](std::uint64_t bytes) { told = bytes; };
  const auto decompressor = Decompressor::create(compression, limits).value();
  std::byte out[4096];
  std::size_t window = std::min(piece, in.size());
  while (outcome.text.size() < kMaxOutput) {
    const auto progress = decompressor->step(in.first(window), out);
    if (!progress) return outcome;
    FROND_CHECK(progress->consumed <= window && progress->produced <= sizeof out);
    outcome.text.append(frond::as_text(ByteView(out, progress->produced)));
    in = in.subspan(progress->consumed);
    if (progress->consumed == 0 && progress->produced == 0) {
      if (window == in.size()) break;
      window = std::min(window + piece, in.size());
    } else {
      window = std::min(piece, in.size());
    }
    if (in.empty() && decompressor->at_boundary()) break;
  }
  FROND_CHECK(told <= kWindowBytes);
  outcome.whole = in.empty() && decompressor->at_boundary();
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView in = std::as_bytes(std::span(data, size));
  const Compression compression = frond::indexer::ingest::sniff_compression(in);
  if (compression == Compression::kNone) return 0;
  const Outcome whole = decompress(compression, in, size);
  const Outcome bytewise = decompress(compression, in, 1);
  if (whole.text.size() >= kMaxOutput || bytewise.text.size() >= kMaxOutput) return 0;
  FROND_CHECK(whole.whole == bytewise.whole);
  if (whole.whole) FROND_CHECK(whole.text == bytewise.text);
  return 0;
}
