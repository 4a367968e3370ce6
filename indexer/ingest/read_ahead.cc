#include "indexer/ingest/read_ahead.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "common/base/thread_name.h"
#include "indexer/ingest/parse_cost.h"

namespace frond::indexer::ingest {

std::size_t ReadAhead::blocks_a_thread(std::uint64_t memory_limit) {
  constexpr std::uint64_t kLimitOfABlock = std::uint64_t{4} << 30, kFewest = 2, kMost = 8;
  return std::clamp(memory_limit / kLimitOfABlock, kFewest, kMost);
}

ReadAhead::ReadAhead(int file, std::uint64_t offset, std::size_t threads, std::size_t blocks,
                     std::shared_ptr<ReadMemory> memory)
    : file_(file), offset_(offset), memory_(std::move(memory)), blocks_(blocks) {
  for (std::size_t i = 0; memory_ && i < blocks && !memory_->empty(); ++i) {
    blocks_[i].bytes = std::move(memory_->back());
    memory_->pop_back();
  }
  for (std::size_t i = 0; i < threads; ++i)
    threads_.emplace_back([this, i] {
      name_this_thread(("read-ahead-" + std::to_string(i)).c_str());
      run();
    });
}

ReadAhead::~ReadAhead() {
  {
    const MutexLock lock(mutex_);
    ended_ = true;
  }
  room_.notify_all();
  threads_.clear();
  if (!memory_) return;
  for (Block& block : blocks_)
    if (block.bytes.capacity() >= kBlockBytes) memory_->push_back(std::move(block.bytes));
}

void ReadAhead::run() {
  for (;;) {
    std::uint64_t number = 0;
    {
      const MutexLock lock(mutex_);
      // The block that next() gave last is in use.
      room_.wait(mutex_, [this]() FROND_REQUIRES(mutex_) {
        return ended_ || begun_ + 1 < std::max<std::uint64_t>(given_, 1) + blocks_.size();
      });
      if (ended_) return;
      number = begun_++;
    }
    Block& mine = block(number);
    read(number, mine);
    const MutexLock lock(mutex_);
    mine.read = true;
    if (waits_ && number + 1 == given_) there_.notify_one();
    if (ended_ || mine.size == kBlockBytes) continue;
    ended_ = true;  // also after an error
    room_.notify_all();
  }
}

void ReadAhead::read(std::uint64_t number, Block& to) const {
  to.bytes.reserve(kBlockBytes + kSpareBytes);  // it may have come from take()
  to.bytes.resize(kBlockBytes);
  read_bytes(number, to);
  to.lines = count_of(std::string_view(to.bytes).substr(0, to.size), '\n');
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
  const MutexLock lock(mutex_);
  if (given_ > 0) {
    Block& last = block(given_ - 1);
    if (last.size < kBlockBytes) {
      if (last.error != 0) return Error(Code::kUnavailable, std::strerror(last.error));
      return ByteView();
    }
    last.read = false;
  }
  Block& mine = block(given_++);
  if (given_ > 1) room_.notify_one();
  waits_ = true;
  there_.wait(mutex_, [&] { return mine.read; });
  waits_ = false;
  if (mine.size == 0 && mine.error != 0) return Error(Code::kUnavailable, std::strerror(mine.error));
  last_ = &mine;
  return as_bytes(mine.bytes).first(mine.size);
}

std::string ReadAhead::take(std::string memory) {
  last_->bytes.resize(last_->size);
  return std::exchange(last_->bytes, std::move(memory));
}

}  // namespace frond::indexer::ingest
