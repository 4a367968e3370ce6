#include "tools/papers/intersect/drawn_lists.h"

#include <vector>

#include "tools/bench/parallel.h"

namespace frond::tools::papers {

using namespace bench;

void draw_lists(const synth::CollectionSize& size, std::span<const std::uint32_t> lengths, unsigned threads,
                const std::function<void(std::size_t, synth::Postings)>& keep) {
  const std::vector<synth::Window> windows = synth::windows_of(size);
  std::vector<synth::WindowDocuments> documents(windows.size());
  in_parallel(threads, windows.size(), [&](std::size_t w) {
    std::vector<std::uint32_t> document_lengths;
    documents[w] = synth::draw_documents(size, windows[w], document_lengths);
  });
  in_parallel(threads, lengths.size(), [&](std::size_t l) {
    if (lengths[l] == 0) return;
    const synth::SyntheticList list(size, static_cast<std::uint32_t>(l), lengths[l]);
    keep(l, synth::draw_list(list, documents));
  });
}

}  // namespace frond::tools::papers
