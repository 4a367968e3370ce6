#include "indexer/publish/list_stream.h"

#include <algorithm>
#include <numeric>

#include "common/postings/list_builder.h"
#include "common/postings/list_view.h"
#include "indexer/runs/run_merger.h"

namespace frond::indexer::publish {
namespace {

constexpr std::size_t kGroupBytes = std::size_t{256} << 10;  // of blobs that travel together

// Builds the list of the merger's term, segment by segment, so that of a long list only the blobs are in memory as a
// whole.
class ListAssembler {
 public:
  ListAssembler(const ListSource& source)
      : source_(source), builder_(source.codecs, source.lengths, source.b, source.average_length) {}

  Result<BuiltList> assemble(runs::RunMerger& merger) {
    BuiltList list{.term = std::string(merger.term())};
    for (bool more = true; more || !docids_.empty();) {
      while (more && docids_.size() < postings::kSegmentPostings)
        more = FROND_TRY(merger.read(docids_, frequencies_, postings::kSegmentPostings));
      if (!docids_.empty()) FROND_TRY(add_segment(list));
    }
    return list;
  }

 private:
  Result<void> add_segment(BuiltList& list) {
    const std::size_t size = std::min<std::size_t>(docids_.size(), postings::kSegmentPostings);
    if (docids_[size - 1] >= source_.lengths.size())
      return Error(Code::kCorrupt, "partition " + std::to_string(source_.partition) + ": a run names document " +
                                       std::to_string(docids_[size - 1]) + " of " +
                                       std::to_string(source_.lengths.size()));
    const auto frequencies = std::span<const Frequency>(frequencies_).first(size);
    for (ByteBuffer& blob : builder_.build(std::span<const DocId>(docids_).first(size), frequencies))
      list.segments.push_back(std::move(blob));
    list.document_frequency += size;
    list.occurrences += std::accumulate(frequencies.begin(), frequencies.end(), std::uint64_t{0});
    docids_.erase(docids_.begin(), docids_.begin() + static_cast<std::ptrdiff_t>(size));
    frequencies_.erase(frequencies_.begin(), frequencies_.begin() + static_cast<std::ptrdiff_t>(size));
    return {};
  }

  const ListSource& source_;
  postings::ListBuilder builder_;
  std::vector<DocId> docids_;
  std::vector<Frequency> frequencies_;
};

std::size_t bytes_of(const BuiltList& list) {
  std::size_t bytes = sizeof list + list.term.size();
  for (const ByteBuffer& blob : list.segments) bytes += blob.size();
  return bytes;
}

}  // namespace

Result<void> stream_lists(const ListSource& source, pipeline::BoundedQueue<BuiltLists>& out, std::stop_token stop) {
  const auto runs = FROND_TRY(runs::reduce_runs(source.runs, source.partition, source.scratch));
  runs::RunMerger merger = FROND_TRY(runs::RunMerger::open(runs, source.partition));
  ListAssembler assembler(source);
  BuiltLists group;
  std::size_t bytes = 0;
  while (!stop.stop_requested() && FROND_TRY(merger.next_term())) {
    group.push_back(FROND_TRY(assembler.assemble(merger)));
    bytes += bytes_of(group.back());
    if (bytes < kGroupBytes) continue;
    if (!out.push(std::move(group), stop, bytes)) return {};
    group = {};
    bytes = 0;
  }
  if (!group.empty()) out.push(std::move(group), stop, bytes);
  return {};
}

}  // namespace frond::indexer::publish
