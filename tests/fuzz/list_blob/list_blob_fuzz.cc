// Any bytes are a list blob or kCorrupt; and what is read of them is what posting_list.h promises.
#include <array>
#include <cstddef>
#include <cstdint>

#include "common/base/check.h"
#include "common/postings/posting_list.h"
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
  return 0;
}
