#include "indexer/order/renumbering.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <system_error>
#include <utility>

#include "common/base/ids.h"
#include "indexer/invert/partition_runs.h"
#include "indexer/order/forward_index.h"
#include "indexer/runs/document_spool.h"

namespace frond::indexer::order {

namespace {

constexpr std::size_t kMinFrame = 8 << 10, kMaxFrame = 128 << 10;  // of fields

// The memory of a document: its fields, and the views of them.
std::uint64_t bytes_of(const partition::StoredDocument& document) {
  constexpr std::uint64_t kPlaces = 2 * sizeof(partition::StoredDocument) + 32;
  return document.id.size() + document.url.size() + document.title.size() + document.body.size() +
         document.values.size() + kPlaces;
}

// The frame size of each spool, if so many are filled at once: a frame's fields, the file's buffer, and the spare
// capacity of vectors take about three times as much.
std::size_t frame_bytes(const Renumbering& how, std::size_t spools) {
  return std::clamp<std::size_t>(how.memory / 3 / std::max<std::size_t>(spools, 1), kMinFrame, kMaxFrame);
}

// Collects documents into the frames of one spool.
class SpoolFiller {
 public:
  static Result<SpoolFiller> create(const std::filesystem::path& path, std::size_t frame_bytes) {
    return SpoolFiller(FROND_TRY(runs::SpoolWriter::create(path, frame_bytes / 2)), frame_bytes);
  }
  Result<void> add(const partition::StoredDocument& document, std::uint32_t length) {
    frame_.add(document, length);
    bytes_ += bytes_of(document);
    return bytes_ < frame_bytes_ ? Result<void>() : flush();
  }
  Result<void> flush() {
    bytes_ = 0;
    frame_.finish(finished_);
    return spool_.append(finished_);
  }
  Result<void> finish() {
    FROND_TRY(flush());
    return spool_.finish();
  }

 private:
  SpoolFiller(runs::SpoolWriter spool, std::size_t frame_bytes)
      : spool_(std::move(spool)), frame_bytes_(frame_bytes), frame_(frame_bytes) {}
  runs::SpoolWriter spool_;
  std::size_t frame_bytes_;
  runs::DocumentFrameWriter frame_;
  ByteBuffer finished_;  // the frame that was written last, for its memory
  std::uint64_t bytes_ = 0;
};

class DocumentRenumbering {
 public:
  explicit DocumentRenumbering(const Renumbering& how) : how_(how) {}

  Result<std::vector<std::filesystem::path>> renumber(const std::filesystem::path& spool) {
    FROND_TRY(cut_ranges(spool));
    FROND_TRY(scatter(spool));
    return gather();
  }

 private:
  std::filesystem::path range_path(std::size_t range) const { return how_.folder / ("range-" + std::to_string(range)); }
  std::size_t range_of(std::uint32_t place) const {
    return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), place) - ends_.begin());
  }
  Error stopped() const { return Error(Code::kUnavailable, "stopped"); }

  // Finds ranges of places whose documents fit into the memory, except a single document that does not fit by itself.
  Result<void> cut_ranges(const std::filesystem::path& spool) {
    const std::vector<std::uint32_t> by_place = FROND_TRY(bytes_by_place(spool));
    const std::uint64_t all = std::accumulate(by_place.begin(), by_place.end(), std::uint64_t{0});
    const std::uint64_t max_bytes = std::max<std::uint64_t>(how_.memory / 2, 1);
    std::uint64_t bytes = 0;
    for (std::uint32_t place = 0; place < by_place.size(); ++place) {
      if (bytes > 0 && bytes + by_place[place] > max_bytes) {
        ends_.push_back(place);
        bytes = 0;
      }
      bytes += by_place[place];
    }
    if (!by_place.empty()) ends_.push_back(static_cast<std::uint32_t>(by_place.size()));
    if (ends_.size() > kMaxRanges)
      return Error(Code::kInvalid,
                   "to order " + std::to_string(all >> 20) + " MiB of stored fields takes a memory limit of " +
                       std::to_string((all * 10 / kMaxRanges >> 20) + 1) + " MiB; raise --memory-limit");
    return {};
  }

  // The memory of the document of each place.
  Result<std::vector<std::uint32_t>> bytes_by_place(const std::filesystem::path& spool) {
    std::vector<std::uint32_t> bytes(how_.places.size());
    std::size_t documents = 0;
    runs::SpoolReader reader = FROND_TRY(runs::SpoolReader::open(spool));
    while (const auto frame = FROND_TRY(reader.next())) {
      if (how_.stop.stop_requested()) return stopped();
      for (const partition::StoredDocument& document : frame->documents())
        if (documents++ < bytes.size())
          bytes[how_.places[documents - 1]] = static_cast<std::uint32_t>(bytes_of(document));
    }
    if (documents != bytes.size())
      return Error(Code::kCorrupt, spool.string() + ": " + std::to_string(documents) + " documents instead of " +
                                       std::to_string(bytes.size()));
    return bytes;
  }

  Result<void> scatter(const std::filesystem::path& spool) {
    std::vector<SpoolFiller> ranges;
    for (std::size_t r = 0; r < ends_.size(); ++r)
      ranges.push_back(FROND_TRY(SpoolFiller::create(range_path(r), frame_bytes(how_, ends_.size()))));
    runs::SpoolReader reader = FROND_TRY(runs::SpoolReader::open(spool));
    std::size_t n = 0;
    while (const auto frame = FROND_TRY(reader.next())) {
      if (how_.stop.stop_requested()) return stopped();
      for (std::size_t i = 0; i < frame->documents().size(); ++i, ++n)
        FROND_TRY(ranges[range_of(how_.places[n])].add(frame->documents()[i], frame->length(i)));
    }
    for (SpoolFiller& range : ranges) FROND_TRY(range.finish());
    return {};
  }

  Result<std::vector<std::filesystem::path>> gather() {
    // places[n] for the documents of each range, in the order of the range's file.
    std::vector<std::vector<std::uint32_t>> held(ends_.size());
    for (const std::uint32_t place : how_.places) held[range_of(place)].push_back(place);
    std::vector<std::filesystem::path> paths;
    std::vector<SpoolFiller> spools;
    for (std::uint32_t p = 0; p < how_.partitions; ++p) {
      paths.push_back(how_.folder / ("ordered-spool-p" + std::to_string(p)));
      spools.push_back(FROND_TRY(SpoolFiller::create(paths.back(), frame_bytes(how_, how_.partitions))));
    }
    for (std::size_t r = 0; r < held.size(); ++r) {
      if (how_.stop.stop_requested()) return stopped();
      FROND_TRY(sort_range(r, std::exchange(held[r], {}), spools));
    }
    for (SpoolFiller& spool : spools) FROND_TRY(spool.finish());
    return paths;
  }

  Result<void> sort_range(std::size_t range, const std::vector<std::uint32_t>& places,
                          std::vector<SpoolFiller>& spools) {
    struct Held {
      std::uint32_t place, length;
      partition::StoredDocument document;
    };
    std::vector<runs::DocumentFrame> frames;  // which the documents borrow from
    std::vector<Held> documents;
    runs::SpoolReader reader = FROND_TRY(runs::SpoolReader::open(range_path(range)));
    while (auto frame = FROND_TRY(reader.next())) {
      for (std::size_t i = 0; i < frame->documents().size() && documents.size() < places.size(); ++i)
        documents.push_back({places[documents.size()], frame->length(i), frame->documents()[i]});
      frames.push_back(std::move(*frame));
    }
    if (documents.size() != places.size())
      return Error(Code::kCorrupt, range_path(range).string() + ": not the documents that were put there");
    std::sort(documents.begin(), documents.end(), [](const Held& a, const Held& b) { return a.place < b.place; });
    for (const Held& held : documents) FROND_TRY(spools[held.place % spools.size()].add(held.document, held.length));
    std::error_code ignored;  // the folder goes as a whole anyway
    std::filesystem::remove(range_path(range), ignored);
    return {};
  }

  const Renumbering& how_;
  std::vector<std::uint32_t> ends_;  // of the ranges: one past their last places
};

}  // namespace

Result<std::vector<runs::RunFile>> renumber_runs(std::span<const std::filesystem::path> runs, const Renumbering& how) {
  const std::span<const std::uint32_t> places = how.places;
  const auto frame_bytes = std::clamp<std::size_t>(how.memory / 8 / how.partitions, runs::RunWriter::kMinFrameBytes,
                                                   runs::kFramePayloadBytes);
  invert::PartitionRuns to(how.folder, "ordered", how.partitions, frame_bytes);
  struct Posting {
    std::uint32_t place;
    Frequency frequency;
  };
  std::vector<Posting> postings;  // of the term at hand
  const auto add = [&](std::string_view term, std::span<const DocId> docids, std::span<const Frequency> frequencies) {
    postings.clear();
    for (std::size_t i = 0; i < docids.size(); ++i) postings.push_back({places[docids[i]], frequencies[i]});
    std::sort(postings.begin(), postings.end(), [](const Posting& a, const Posting& b) { return a.place < b.place; });
    for (const Posting& posting : postings) to.add(term, posting.place, posting.frequency);
    return to.end_term(term);
  };
  FROND_TRY(for_each_list(runs, static_cast<std::uint32_t>(places.size()), how.stop, add));
  std::vector<runs::RunFile> made;
  FROND_TRY(to.finish(made));
  return made;
}

Result<std::vector<std::filesystem::path>> renumber_documents(const std::filesystem::path& spool,
                                                              const Renumbering& how) {
  return DocumentRenumbering(how).renumber(spool);
}

}  // namespace frond::indexer::order
