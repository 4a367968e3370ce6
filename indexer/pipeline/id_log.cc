#include "indexer/pipeline/id_log.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace frond::indexer::pipeline {
namespace {

constexpr std::uint32_t kMagic = 0x53444946;  // "FIDS"
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeaderBytes = 8, kIdBytes = 16;
constexpr std::size_t kBufferBytes = std::size_t{64} << 10;

}  // namespace

Result<IdLog> IdLog::create(const std::filesystem::path& path) {
  IdLog log(FROND_TRY(runs::ScratchWriter::create(path, kBufferBytes)));
  ByteBuffer header;
  ByteWriter out(header);
  out.put(kMagic);
  out.put(kVersion);
  FROND_TRY(log.file_.append(header));
  return log;
}

Result<IdLog> IdLog::append_to(const std::filesystem::path& path, std::uint64_t count, const std::string& xxh3,
                               IdSet& ids) {
  IdLog log(FROND_TRY(runs::ScratchWriter::append_to(path, kHeaderBytes + count * kIdBytes, kBufferBytes)));
  auto in = FROND_TRY(runs::ScratchReader::open(path));
  std::byte header[kHeaderBytes];
  FROND_TRY(in.read(header));
  if (load_le<std::uint32_t>(header) != kMagic || load_le<std::uint32_t>(header + 4) != kVersion)
    return in.corrupt("not a log of ids");
  ByteBuffer piece;
  while (in.left() > 0) {
    piece.resize(std::min<std::uint64_t>(in.left(), kBufferBytes));
    FROND_TRY(in.read(piece));
    log.digest_->update(piece);
    for (std::size_t at = 0; at < piece.size(); at += kIdBytes)
      if (!ids.insert({load_le<std::uint64_t>(piece.data() + at), load_le<std::uint64_t>(piece.data() + at + 8)}))
        return in.corrupt("an id occurs twice");
  }
  if (log.xxh3() != xxh3) return in.corrupt("the ids have another checksum than the journal says");
  return log;
}

Result<void> IdLog::add(std::span<const parse::IdHash> ids) {
  bytes_.resize(ids.size() * kIdBytes);
  std::byte* at = bytes_.data();
  for (const parse::IdHash& id : ids) {
    store_le(at, id.low);
    store_le(at + 8, id.high);
    at += kIdBytes;
  }
  digest_->update(bytes_);
  return file_.append(bytes_);
}

}  // namespace frond::indexer::pipeline
