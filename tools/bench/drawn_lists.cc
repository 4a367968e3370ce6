#include "tools/bench/drawn_lists.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace frond::tools::bench {

void in_parallel(unsigned threads, std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::vector<std::jthread> workers;
  for (unsigned t = 0; t < std::max(threads, 1u); ++t)
    workers.emplace_back([&] {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    });
}

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

}  // namespace frond::tools::bench
