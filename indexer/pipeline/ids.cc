#include "indexer/pipeline/ids.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace frond::indexer::pipeline {

namespace {
constexpr std::size_t kFirstSlots = 128;
}  // namespace

// {0, 0} is the mark of a free slot.
parse::IdHash IdSet::filled(parse::IdHash id) {
  if (id == parse::IdHash{}) id.low = 1;
  return id;
}

// In the order of the hashes, so a table is copied into a larger one from front to back.
std::size_t IdSet::place_of(parse::IdHash id, std::size_t slots) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::size_t>(Wide{id.low} * slots >> 64);
}

void IdSet::fetch(parse::IdHash id) const {
  id = filled(id);
  const std::vector<parse::IdHash>& slots = tables_[table_of(id)].slots;
  __builtin_prefetch(slots.data() + place_of(id, slots.size()), 1);
}

bool IdSet::insert_into(std::vector<parse::IdHash>& slots, parse::IdHash id) {
  for (std::size_t at = place_of(id, slots.size());; at = at + 1 == slots.size() ? 0 : at + 1) {
    if (slots[at] == id) return false;
    if (slots[at] == parse::IdHash{}) {
      slots[at] = id;
      return true;
    }
  }
}

bool IdSet::insert(parse::IdHash id) {
  id = filled(id);
  const std::size_t number = table_of(id);
  Table& table = tables_[number];
  if (table.used * 5 >= table.slots.size() * 4) {
    const std::size_t quarters = bytes() < doubled_bytes_ ? 4 : 1;  // more
    // Between the first of all tables there is as much.
    const std::size_t first_slots = kFirstSlots + kFirstSlots * quarters / 4 * number / tables_.size();
    const std::size_t slots = table.slots.size() + table.slots.size() * quarters / 4;
    const std::vector<parse::IdHash> old =
        std::exchange(table.slots, std::vector<parse::IdHash>(std::max(first_slots, slots)));
    for (const parse::IdHash& other : old)
      if (!(other == parse::IdHash{})) insert_into(table.slots, other);
    slots_ += table.slots.size() - old.size();
  }
  if (!insert_into(table.slots, id)) return false;
  ++table.used;
  ++size_;
  return true;
}

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
