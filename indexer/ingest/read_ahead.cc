#include "indexer/ingest/read_ahead.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "indexer/ingest/parse_cost.h"

namespace frond::indexer::ingest {

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

}  // namespace frond::indexer::ingest
