#include "indexer/ingest/unpack_ahead.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

namespace frond::indexer::ingest {
namespace {

// bzip2's state takes 3.7 MiB.
constexpr std::uint64_t kThreadBytes = std::uint64_t{4} << 20, kMinPartBytes = std::uint64_t{4} << 20;
constexpr std::size_t kPartsAThread = 2, kRawShare = 6, kStepBytes = 256 << 10;

bool is_gzip_start(std::string_view bytes) {
  constexpr unsigned char kReserved = 0xe0;
  return bytes.starts_with("\x1f\x8b\x08") && (static_cast<unsigned char>(bytes[3]) & kReserved) == 0;
}

}  // namespace

AheadPlan plan_ahead(std::size_t threads, std::uint64_t memory) {
  const std::uint64_t one = kThreadBytes + kPartsAThread * kMinPartBytes;
  AheadPlan plan;
  plan.threads = static_cast<std::size_t>(std::min<std::uint64_t>(threads, memory / one));
  if (plan.threads < 2) return {};
  plan.parts = kPartsAThread * plan.threads;
  const std::uint64_t part =
      std::min<std::uint64_t>((memory - plan.threads * kThreadBytes) / plan.parts, 4 * kMinPartBytes);
  plan.raw_bytes = static_cast<std::size_t>(part / kRawShare);
  plan.plain_bytes = static_cast<std::size_t>(part - plan.raw_bytes);
  plan.memory = plan.threads * kThreadBytes + plan.parts * part;
  return plan;
}

std::size_t find_stream(Compression compression, std::string_view bytes, std::size_t from) {
  const std::string_view magic = compression == Compression::kGzip ? "\x1f\x8b\x08" : "BZh";
  for (std::size_t at = bytes.find(magic, from); at != bytes.npos; at = bytes.find(magic, at + 1)) {
    const std::string_view rest = bytes.substr(at);
    if (rest.size() < kStreamMagicBytes) return bytes.npos;
    if (compression == Compression::kGzip ? is_gzip_start(rest)
                                          : sniff_compression(as_bytes(rest)) == Compression::kBzip2)
      return at;
  }
  return bytes.npos;
}

void unpack(Compression compression, std::size_t max_bytes, FilePart& part) {
  const auto decompressor = Decompressor::create(compression);
  if (!decompressor) return;
  ByteView in = part.raw;
  std::size_t size = 0;
  part.plain.reserve(max_bytes);  // untouched pages take no memory
  while (!in.empty() || !(*decompressor)->at_boundary()) {
    if (size == part.plain.size()) {
      if (size == max_bytes) return part.plain.clear();
      part.plain.resize(std::min(max_bytes, size + kStepBytes));
    }
    const auto progress = (*decompressor)->step(in, std::span(part.plain).subspan(size));
    if (!progress || (progress->consumed == 0 && progress->produced == 0)) return part.plain.clear();
    in = in.subspan(progress->consumed);
    size += progress->produced;
    if ((*decompressor)->at_boundary()) part.ends.push_back(size);
  }
  // A further stream behind padding is an error, which only a reader in order can find.
  if ((*decompressor)->padded()) return part.plain.clear();
  part.plain.resize(size);
  part.whole = true;
}

void Unpackers::give(FilePart part) {
  if (!part.tried) return parts_.put(1, std::move(part));
  parts_.begin(1, [this, given = std::make_shared<FilePart>(std::move(part))](std::size_t) -> Result<FilePart> {
    try {
      unpack(compression_, plan_.plain_bytes, *given);
    } catch (const std::exception&) {  // no memory: the caller does it piece by piece
      given->plain = {};
      given->whole = false;
    }
    return std::move(*given);
  });
}

}  // namespace frond::indexer::ingest
