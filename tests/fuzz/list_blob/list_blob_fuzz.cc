// Any bytes are a list blob or kCorrupt; and what is read of them is what posting_list.h and cursor.h promise.
#include <array>
#include <cstddef>
#include <cstdint>

#include "common/postings/cursor.h"
#include "tests/support/posting_lists.h"

namespace frond::postings {
namespace {

void read_blocks(const ListView& view) {
  std::array<std::uint32_t, kBlockLength> out;
  for (std::uint32_t block = 0; block < view.blocks(); ++block) {
    const std::uint32_t size = view.block_size(block);
    if (view.decode_docids(block, out)) {
      for (std::uint32_t i = 1; i < size; ++i) FROND_CHECK(out[i] > out[i - 1]);
      FROND_CHECK(out[size - 1] == view.last_docid(block) && out[size - 1] <= view.last_docid());
    }
    if (view.decode_frequencies(block, out))
      for (std::uint32_t i = 0; i < size; ++i) FROND_CHECK(out[i] >= 1);
    FROND_CHECK(view.find_block(view.last_docid(block), block / 2) <= view.blocks());
    (void)view.block_deficit(block);
  }
  const auto sizes = view.sizes();
  FROND_CHECK(sizes.header + sizes.index + sizes.bounds + sizes.docids + sizes.frequencies == view.bytes().size());
}

// Walks with steps that grow, so that blocks are skipped too.
void walk(const PostingList& list, DocId limit, DocId step) {
  std::int64_t before = -1;
  for (Cursor cursor(list, limit); cursor.docid() != kNoDoc;) {
    FROND_CHECK(std::int64_t{cursor.docid()} > before && cursor.docid() < limit);
    before = cursor.docid();
    FROND_CHECK(cursor.frequency() >= 1);
    if (cursor.docid() == kNoDoc) break;
    cursor.next_geq(cursor.docid() + 1 + step);
    step = step * 2 % 65536;
  }
}

}  // namespace
}  // namespace frond::postings

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace frond;
  const support::SlackBytes blob(std::as_bytes(std::span(data, size)));
  const auto view = postings::ListView::open(blob.view());
  if (!view) {
    FROND_CHECK(view == Code::kCorrupt);
    return 0;
  }
  postings::read_blocks(*view);
  const auto list = postings::PostingList::open(std::vector{blob.view()});
  FROND_CHECK(list);
  postings::walk(*list, kNoDoc, 0);
  postings::walk(*list, list->last_docid(0), 1);
  return 0;
}
