#include "leaf/lists/list_copy.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace frond::leaf::lists {
namespace {

std::size_t padded(std::size_t segment_bytes) {
  return (segment_bytes + codec::kReadSlack + kListAlignment - 1) / kListAlignment * kListAlignment;
}

}  // namespace

std::size_t copied_bytes(const List& list) {
  std::size_t bytes = 0;
  for (const auto& segment : list.postings.segments()) bytes += padded(segment.bytes().size());
  return bytes;
}

Result<ListLease> copy_list(const List& list) {
  auto copy = std::make_shared<List>();
  copy->key = list.key;
  copy->bytes = copied_bytes(list);
  if (copy->bytes == 0) return ListLease(std::move(copy));
  const std::shared_ptr<std::byte> memory(static_cast<std::byte*>(std::aligned_alloc(kListAlignment, copy->bytes)),
                                          &std::free);
  if (!memory) return Error(Code::kOverloaded, "no memory for a list of " + std::to_string(copy->bytes) + " bytes");
  std::vector<ByteView> segments;
  segments.reserve(list.postings.segments().size());
  std::byte* to = memory.get();
  for (const auto& segment : list.postings.segments()) {
    const auto from = segment.bytes();
    std::copy(from.begin(), from.end(), to);
    std::fill(to + from.size(), to + padded(from.size()), std::byte{0});
    segments.emplace_back(to, from.size());
    to += padded(from.size());
  }
  FROND_TRY(list.intact());
  copy->postings = FROND_TRY(postings::PostingList::open(segments));
  copy->owners.push_back(memory);
  return ListLease(std::move(copy));
}

}  // namespace frond::leaf::lists
