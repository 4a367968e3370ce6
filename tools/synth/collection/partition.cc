#include "tools/synth/collection/partition.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/mutex.h"
#include "common/base/parallel.h"
#include "common/postings/list_builder.h"

namespace frond::tools::synth {
namespace {

// Numbered lists that several threads build and one thread takes in order. Builders wait before they get too far ahead
// of the taker, so that memory stays bounded. Numbers 0 .. count - 1. Any number of builders, one taker.
template <class Item>
class ListLine {
 public:
  ListLine(std::uint32_t count, std::uint32_t max_ahead) : count_(count), max_ahead_(max_ahead) {}

  // The next number to build. Waits while max_ahead numbers are handed out and not taken. Empty: none is left, or a
  // stop was requested.
  std::optional<std::uint32_t> next(const std::stop_token& stop) {
    MutexLock lock(mutex_);
    const auto may_go_on = [this]() FROND_REQUIRES(mutex_) {
      return handed_out_ >= count_ || handed_out_ < taken_ + max_ahead_;
    };
    if (!changed_.wait(lock.mutex(), stop, may_go_on) || stop.stop_requested() || handed_out_ >= count_)
      return std::nullopt;
    return handed_out_++;
  }
  void put(std::uint32_t number, Item item) {
    const MutexLock lock(mutex_);
    built_.emplace(number, std::move(item));
    changed_.notify_all();
  }
  // The next item in order. Empty: all are taken, or a stop was requested; without `wait` also if it is not built yet.
  std::optional<Item> take(bool wait, const std::stop_token& stop) {
    MutexLock lock(mutex_);
    if (taken_ >= count_) return std::nullopt;
    const auto ready = [this]() FROND_REQUIRES(mutex_) { return !built_.empty() && built_.begin()->first == taken_; };
    if (wait ? !changed_.wait(lock.mutex(), stop, ready) : !ready()) return std::nullopt;
    std::optional<Item> item = std::move(built_.begin()->second);
    built_.erase(built_.begin());
    ++taken_;
    changed_.notify_all();
    return item;
  }

 private:
  const std::uint32_t count_, max_ahead_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::uint32_t, Item> built_ FROND_GUARDED_BY(mutex_);
  std::uint32_t handed_out_ FROND_GUARDED_BY(mutex_) = 0, taken_ FROND_GUARDED_BY(mutex_) = 0;
};

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

template <class Work>
void on_threads(unsigned threads, const Work& work) {
  std::vector<std::jthread> running;
  for (unsigned t = 0; t < std::max(threads, 1u); ++t) running.emplace_back(work);
}

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

Documents settle_documents(const CollectionSize& size, std::span<const SyntheticList> lists, DocId begin, DocId end,
                           unsigned threads, const std::stop_token& stop) {
  Documents all{.windows = {}, .lengths = std::vector<std::uint32_t>(end - begin), .rest = {}};
  all.rest.resize(all.lengths.size());
  for (const Window& window : windows_of(size))
    if (window.begin < end && window.begin + window.count > begin)
      all.windows.push_back({.window = window, .class_of = {}, .by_class = {}, .first = {}});
  std::atomic<std::size_t> next{0};
  on_threads(threads, [&] {
    for (std::size_t i; (i = next++) < all.windows.size() && !stop.stop_requested();)
      settle_window(size, lists, begin, all, i);
  });
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

// Writes documents while lists are being built, then the rest of the lists.
Result<void> write_all(partition::PartitionWriter& writer, const CollectionSize& size, DocId begin,
                       std::span<const std::uint32_t> lengths, ListLine<BuiltList>& line, const std::stop_token& stop) {
  const std::size_t digits = std::to_string(size.documents - 1).size();
  for (std::size_t i = 0; i < lengths.size() && !stop.stop_requested(); ++i) {
    if (i % kDocumentsAtOnce == 0)
      while (const auto list = line.take(/*wait=*/false, stop)) FROND_TRY(add_list(writer, *list));
    const std::string id = fmt::format("{:0{}}", begin + i, digits);
    FROND_TRY(writer.add_document({.id = id, .url = {}, .title = {}, .body = {}}, lengths[i]));
  }
  while (const auto list = line.take(/*wait=*/true, stop)) FROND_TRY(add_list(writer, *list));
  return {};
}

}  // namespace

std::string term_of(std::uint32_t list) { return fmt::format("t{:08}", list); }

Result<partition::PartitionSummary> write_partition(const CollectionSize& size, std::span<const SyntheticList> lists,
                                                    DocId begin, DocId end, const std::filesystem::path& folder,
                                                    const PartitionOptions& options, std::stop_token stop) {
  // Not the exact average, which would need all partitions first. Score bounds hold for any average.
  const double average_length = size.profile->mean_length;
  const Documents documents = settle_documents(size, lists, begin, end, options.threads, stop);
  const auto writer =
      FROND_TRY(partition::PartitionWriter::create(folder, average_length, partition::PartitionWriter::kIdBytes,
                                                   partition::StoredCompression::kSmall, options.schema));
  ListLine<BuiltList> line(static_cast<std::uint32_t>(lists.size()) + 1, 2 * options.threads + 2);
  FirstError error(stop);
  const std::stop_token over = error.token();
  {
    std::vector<std::jthread> builders;
    for (unsigned t = 0; t < std::max(options.threads, 1u); ++t)
      builders.emplace_back([&] {
        error.guard([&]() -> Result<void> {
          const postings::ListBuilder builder(options.codecs, documents.lengths, options.b, average_length);
          while (const auto number = line.next(over))
            line.put(*number, build_list(*number, lists, begin, documents, builder));
          return {};
        });
      });
    error.guard([&] { return write_all(*writer, size, begin, documents.lengths, line, over); });
  }
  FROND_TRY(error.result());
  return writer->finish();
}

}  // namespace frond::tools::synth
