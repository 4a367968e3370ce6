#include "indexer/ingest/unpack_ahead.h"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "common/base/thread_name.h"

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

Unpackers::Unpackers(Compression compression, const AheadPlan& plan) : compression_(compression), plan_(plan) {
  for (std::size_t i = 0; i < plan.threads; ++i) threads_.emplace_back([this, i] { run(i); });
}
Unpackers::~Unpackers() {
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
}

void Unpackers::run(std::size_t number) {
  name_this_thread(("unpacker-" + std::to_string(number)).c_str());
  for (;;) {
    Slot* slot = nullptr;
    {
      MutexLock lock(mutex_);
      for (;;) {
        if (stopped_) return;
        const auto next =
            std::ranges::find_if(slots_, [](const auto& one) { return one->state == Slot::State::kWaiting; });
        if (next != slots_.end()) {
          slot = next->get();
          slot->state = Slot::State::kInWork;
          break;
        }
        changed_.wait(mutex_);
      }
    }
    try {
      if (slot->part.tried) unpack(compression_, plan_.plain_bytes, slot->part);
    } catch (const std::exception&) {  // no memory: the caller does it piece by piece
      slot->part.plain = {};
      slot->part.whole = false;
    }
    {
      const MutexLock lock(mutex_);
      slot->state = Slot::State::kDone;
    }
    changed_.notify_all();
  }
}

void Unpackers::give(FilePart part) {
  auto slot = std::make_unique<Slot>();
  if (!part.tried) slot->state = Slot::State::kDone;
  slot->part = std::move(part);
  {
    const MutexLock lock(mutex_);
    slots_.push_back(std::move(slot));
  }
  ++given_;
  changed_.notify_all();
}

FilePart Unpackers::take() {
  MutexLock lock(mutex_);
  while (slots_.front()->state != Slot::State::kDone) changed_.wait(mutex_);
  FilePart part = std::move(slots_.front()->part);
  slots_.pop_front();
  ++taken_;
  return part;
}

}  // namespace frond::indexer::ingest
