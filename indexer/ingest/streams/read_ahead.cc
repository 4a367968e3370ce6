#include "indexer/ingest/streams/read_ahead.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <memory>
#include <string_view>
#include <utility>

#include "indexer/ingest/records/parse_record.h"

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

std::size_t ReadAhead::blocks_a_thread(std::uint64_t memory_limit) {
  constexpr std::uint64_t kLimitOfABlock = std::uint64_t{4} << 30, kFewest = 2, kMost = 8;
  return std::clamp(memory_limit / kLimitOfABlock, kFewest, kMost);
}

ReadAhead::ReadAhead(int file, std::uint64_t offset, std::size_t threads, std::size_t blocks,
                     std::shared_ptr<ReadMemory> memory)
    : file_(file),
      offset_(offset),
      memory_(std::move(memory)),
      spare_(blocks),
      pool_("read-ahead", threads),
      reads_(pool_, blocks - 1) {  // beside the one that next() gave last
  for (std::size_t i = 0; memory_ && i < blocks && !memory_->empty(); ++i) {
    spare_[blocks - 1 - i] = std::move(memory_->back());
    memory_->pop_back();
  }
  begin_reads();
}

ReadAhead::~ReadAhead() {
  end_ = 0;
  while (!reads_.empty())
    if (auto block = reads_.take()) spare_.push_back(std::move(block->bytes));
  if (!memory_) return;
  spare_.push_back(std::move(last_.bytes));
  for (std::string& bytes : spare_)
    if (bytes.capacity() >= kBlockBytes) memory_->push_back(std::move(bytes));
}

void ReadAhead::begin_reads() {
  while (!reads_.full() && next_ <= end_) {
    const auto memory = std::make_shared<std::string>();
    if (!spare_.empty()) {
      memory->swap(spare_.back());
      spare_.pop_back();
    }
    reads_.begin(
        1, [this, number = next_++, memory](std::size_t) -> Result<Block> { return read(number, std::move(*memory)); });
  }
}

ReadAhead::Block ReadAhead::read(std::uint64_t number, std::string memory) {
  Block block;
  block.bytes = std::move(memory);
  if (number > end_) return block;
  block.bytes.reserve(kBlockBytes + kSpareBytes);  // it may have come from take()
  block.bytes.resize(kBlockBytes);
  read_bytes(number, block);
  block.lines = count_of(std::string_view(block.bytes).substr(0, block.size), '\n');
  for (std::uint64_t end = end_; block.size < kBlockBytes && number < end;)  // also after an error
    if (end_.compare_exchange_weak(end, number)) break;
  return block;
}

// Short at the end of the file, or before an error.
void ReadAhead::read_bytes(std::uint64_t number, Block& to) const {
  to.size = 0;
  to.error = 0;
  while (to.size < kBlockBytes) {
    const auto at = static_cast<off_t>(offset_ + number * kBlockBytes + to.size);
    const ssize_t got = ::pread(file_, to.bytes.data() + to.size, kBlockBytes - to.size, at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) to.error = errno;
    if (got <= 0) return;
    to.size += static_cast<std::size_t>(got);
  }
}

Result<ByteView> ReadAhead::next() {
  if (!given_ || last_.size == kBlockBytes) {
    if (given_) spare_.push_back(std::move(last_.bytes));
    last_ = FROND_TRY(reads_.take());
    given_ = true;
    begin_reads();
    if (last_.size > 0) return as_bytes(last_.bytes).first(last_.size);
  }
  if (last_.error != 0) return Error(Code::kUnavailable, std::strerror(last_.error));
  return ByteView();
}

std::string ReadAhead::take(std::string memory) {
  last_.bytes.resize(last_.size);
  return std::exchange(last_.bytes, std::move(memory));
}

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
