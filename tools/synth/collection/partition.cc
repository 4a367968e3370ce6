#include "tools/synth/collection/partition.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "common/base/threads/parallel.h"
#include "common/base/threads/task_pool.h"
#include "common/postings/list_builder.h"

namespace frond::tools::synth {
namespace {

constexpr std::uint32_t kDocumentsAtOnce = 4096;

// The documents of a partition, and how many tokens of each are left for kOtherTerm.
struct Documents {
  std::vector<WindowDocuments> windows;      // all whole windows that overlap the partition
  std::vector<std::uint32_t> lengths, rest;  // per document of the partition
};

struct BuiltList {
  std::string term;
  std::uint64_t occurrences = 0;
  std::uint64_t postings = 0;
  std::vector<ByteBuffer> segments;  // none: the term is not in the partition
};

// Sets the lengths of one window: the drawn length, or more if the lists need it. Impacts are all that there is.
void settle_window(const CollectionSize& size, std::span<const SyntheticList> lists, DocId begin, Documents& all,
                   std::size_t number) {
  std::vector<std::uint32_t> drawn;
  WindowDocuments& documents = all.windows[number];
  documents = draw_documents(size, documents.window, drawn);
  const Window& window = documents.window;
  std::vector<std::uint32_t> used(window.count, 0);
  Postings postings;
  for (const SyntheticList& list : lists) {
    postings.clear();
    list.append(documents, postings);
    for (std::size_t i = 0; i < postings.docids.size(); ++i)
      used[postings.docids[i] - window.begin] += postings.frequencies[i];
  }
  for (std::uint32_t i = 0; i < window.count; ++i) {
    const std::uint64_t docid = std::uint64_t{window.begin} + i;
    if (docid < begin || docid - begin >= all.lengths.size()) continue;
    all.lengths[docid - begin] = size.profile->has_impacts() ? used[i] : std::max(drawn[i], used[i]);
    all.rest[docid - begin] = all.lengths[docid - begin] - used[i];
  }
}

Result<Documents> settle_documents(const CollectionSize& size, std::span<const SyntheticList> lists, DocId begin,
                                   DocId end, unsigned threads, const std::stop_token& stop) {
  Documents all{.windows = {}, .lengths = std::vector<std::uint32_t>(end - begin), .rest = {}};
  all.rest.resize(all.lengths.size());
  for (const Window& window : windows_of(size))
    if (window.begin < end && window.begin + window.count > begin)
      all.windows.push_back({.window = window, .class_of = {}, .by_class = {}, .first = {}});
  FROND_TRY(in_parallel(all.windows.size(), threads, [&](std::size_t i) -> Result<void> {
    if (stop.stop_requested()) return Error(Code::kUnavailable, "stopped");
    settle_window(size, lists, begin, all, i);
    return {};
  }));
  return all;
}

// Number 0 is kOtherTerm, and number i + 1 is list i: the order of their terms.
BuiltList build_list(std::uint32_t number, std::span<const SyntheticList> lists, DocId begin,
                     const Documents& documents, const postings::ListBuilder& builder) {
  Postings postings;
  if (number == 0) {
    for (std::size_t i = 0; i < documents.rest.size(); ++i) {
      if (documents.rest[i] == 0) continue;
      postings.docids.push_back(static_cast<DocId>(i));
      postings.frequencies.push_back(documents.rest[i]);
    }
  } else {
    const std::size_t end = documents.lengths.size();
    postings = draw_list(lists[number - 1], documents.windows);
    // The first and the last window may extend beyond the partition.
    const auto low = std::lower_bound(postings.docids.begin(), postings.docids.end(), begin) - postings.docids.begin();
    postings.docids.erase(postings.docids.begin(), postings.docids.begin() + low);
    postings.frequencies.erase(postings.frequencies.begin(), postings.frequencies.begin() + low);
    for (DocId& docid : postings.docids) docid -= begin;
    const auto kept = static_cast<std::size_t>(std::lower_bound(postings.docids.begin(), postings.docids.end(), end) -
                                               postings.docids.begin());
    postings.docids.resize(kept);
    postings.frequencies.resize(kept);
  }
  BuiltList list{
      .term = number == 0 ? std::string(kOtherTerm) : term_of(number - 1),
      .occurrences = std::accumulate(postings.frequencies.begin(), postings.frequencies.end(), std::uint64_t{0}),
      .postings = postings.docids.size(),
      .segments = {}};
  if (list.postings > 0) list.segments = builder.build(postings.docids, postings.frequencies);
  return list;
}

Result<void> add_list(partition::PartitionWriter& writer, const BuiltList& list) {
  if (list.segments.empty()) return {};
  return writer.add_list(list.term, list.postings, list.occurrences, list.segments);
}

}  // namespace

std::string term_of(std::uint32_t list) { return fmt::format("t{:08}", list); }

Result<partition::PartitionSummary> write_partition(const CollectionSize& size, std::span<const SyntheticList> lists,
                                                    DocId begin, DocId end, const std::filesystem::path& folder,
                                                    const PartitionOptions& options, std::stop_token stop) {
  // Not the exact average, which would need all partitions first. Score bounds hold for any average.
  const double average_length = size.profile->mean_length;
  const Documents documents = FROND_TRY(settle_documents(size, lists, begin, end, options.threads, stop));
  const auto writer =
      FROND_TRY(partition::PartitionWriter::create(folder, average_length, partition::PartitionWriter::kIdBytes,
                                                   partition::StoredCompression::kSmall, options.schema));
  const postings::ListBuilder builder(options.codecs, documents.lengths, options.b, average_length);
  TaskPool pool("lists", options.threads);
  OrderedTasks<BuiltList> built(pool, 2 * options.threads + 2);
  std::uint32_t begun = 0;
  const auto begin_lists = [&] {
    for (; begun <= lists.size() && !built.full(); ++begun)
      built.begin(1, [&, number = begun](std::size_t) -> Result<BuiltList> {
        return build_list(number, lists, begin, documents, builder);
      });
  };
  const auto add_next = [&]() -> Result<void> {
    if (stop.stop_requested()) return Error(Code::kUnavailable, "stopped");
    const BuiltList list = FROND_TRY(built.take());
    FROND_TRY(add_list(*writer, list));
    begin_lists();
    return {};
  };
  // Documents are written while lists are built, then the rest of the lists.
  begin_lists();
  const std::size_t digits = std::to_string(size.documents - 1).size();
  for (std::size_t i = 0; i < documents.lengths.size(); ++i) {
    while (i % kDocumentsAtOnce == 0 && built.ready()) FROND_TRY(add_next());
    const std::string id = fmt::format("{:0{}}", begin + i, digits);
    FROND_TRY(writer->add_document({.id = id, .url = {}, .title = {}, .body = {}}, documents.lengths[i]));
  }
  while (!built.empty()) FROND_TRY(add_next());
  return writer->finish();
}

}  // namespace frond::tools::synth
