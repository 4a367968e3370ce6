#include "indexer/publish/coded_lists.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "common/base/thread_name.h"
#include "common/codec/list_codec.h"

namespace frond::indexer::publish {
namespace {

struct Statistics {
  std::uint64_t document_frequency = 0, occurrences = 0;
};

Result<void> put_terms(const runs::PostingSlices& from, const runs::CodedSlice& slice, WrittenTerms& terms) {
  std::vector<Statistics> all(slice.end - slice.first);
  for (const runs::CodedPiece& piece : slice.pieces) {
    all[piece.term].document_frequency += piece.count;
    all[piece.term].occurrences += piece.occurrences;
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    FROND_TRY(terms.put(from.term(slice.first + i), all[i].document_frequency, all[i].occurrences));
  return {};
}

// A thread that has the terms of slices written, so that the device does not wait for it.
class TermsThread {
 public:
  TermsThread(const runs::PostingSlices& from, WrittenTerms& terms, std::stop_token stop)
      : slices_(kSlicesAhead), thread_([this, &from, &terms, stop] {
          name_this_thread("terms-0");
          try {
            while (put_) {
              const auto slice = slices_.pop(stop);
              if (!slice) break;
              put_ = put_terms(from, **slice, terms);
            }
          } catch (const std::exception& thrown) {
            put_ = Error(Code::kUnavailable, thrown.what());
          }
          slices_.close();
        }) {}
  ~TermsThread() { slices_.close(); }
  TermsThread(const TermsThread&) = delete;
  TermsThread& operator=(const TermsThread&) = delete;
  // False: it has stopped; end() says why.
  bool give(const std::shared_ptr<const runs::CodedSlice>& slice, const std::stop_token& stop) {
    return slices_.push(slice, stop);
  }
  Result<void> end() {
    slices_.close();
    if (thread_.joinable()) thread_.join();
    return put_;
  }

 private:
  static constexpr std::size_t kSlicesAhead = 4;
  BoundedQueue<std::shared_ptr<const runs::CodedSlice>> slices_;
  Result<void> put_;  // of the thread
  std::jthread thread_;
};

// The pieces of each partition.
std::vector<std::span<const runs::CodedPiece>> by_partition(const runs::CodedSlice& slice, std::size_t partitions) {
  std::vector<std::span<const runs::CodedPiece>> parts;
  std::span<const runs::CodedPiece> rest = slice.pieces;
  for (std::size_t p = 0; p < partitions; ++p) {
    const auto behind = std::upper_bound(rest.begin(), rest.end(), p, [](std::size_t partition, const auto& piece) {
      return partition < piece.partition;
    });
    const auto count = static_cast<std::size_t>(behind - rest.begin());
    parts.push_back(rest.first(count));
    rest = rest.subspan(count);
  }
  return parts;
}

std::uint64_t bytes_of(std::span<const runs::CodedPiece> pieces) {
  return pieces.back().begin + pieces.back().bytes - pieces.front().begin + pieces.size_bytes();
}

}  // namespace

bool can_be_coded(const codec::CodecChoice& codecs) {
  const auto is_default = [](const codec::Candidates& candidates) {
    return candidates.size() == 1 && candidates[0]->name() == codec::kDefaultCodec;
  };
  return is_default(codecs.docids) && is_default(codecs.frequencies);
}

Result<std::vector<std::vector<std::uint64_t>>> give_coded_lists(runs::PostingSlices& from,
                                                                 const runs::ListCoding& coding,
                                                                 const runs::SliceLimits& limits,
                                                                 const std::vector<std::unique_ptr<CodedGroups>>& to,
                                                                 WrittenTerms* terms, std::stop_token stop) {
  std::optional<TermsThread> thread;
  if (terms != nullptr) thread.emplace(from, *terms, stop);
  const auto give = [&](const std::shared_ptr<const runs::CodedSlice>& slice) -> Result<void> {
    const Error stopped(Code::kUnavailable, "stopped");
    if (thread && !thread->give(slice, stop)) return stopped;
    const auto parts = by_partition(*slice, to.size());
    const std::uint64_t share = (slice->blobs.size() + slice->pieces.size_bytes()) / to.size();
    for (std::size_t p = 0; p < to.size(); ++p) {
      if (parts[p].empty()) continue;
      const std::uint64_t bytes = std::max(share, bytes_of(parts[p]));
      if (!to[p]->push({slice, parts[p], bytes}, stop, bytes)) return stopped;
    }
    return {};
  };
  auto digests = from.code(coding, limits, give);
  if (thread) FROND_TRY(thread->end());
  return digests;
}

Result<std::vector<BuiltLists>> built_of(const runs::PostingSlices& from, const CodedGroup& group) {
  std::vector<BuiltLists> lists(1);
  std::size_t bytes = 0;
  for (const runs::CodedPiece& piece : group.pieces)
    bytes += piece.bytes + from.term(group.slice->first + piece.term).size();
  lists.back().whole.reserve(group.pieces.size(), bytes);
  bool first = true;  // piece of its list
  for (const runs::CodedPiece& piece : group.pieces) {
    const std::string_view term = from.term(group.slice->first + piece.term);
    const ByteView blob = group.slice->blob(piece);
    const bool last = piece.last != 0;
    if (first && last) {
      FROND_TRY(lists.back().whole.add(term, piece.count, piece.occurrences, blob));
      continue;
    }
    first = last;
    BuiltList part{std::string(term), piece.count, piece.occurrences, {}, last};
    part.segments.emplace_back(blob.begin(), blob.end());
    lists.back().piece = std::move(part);
    lists.emplace_back();
  }
  return lists;
}

}  // namespace frond::indexer::publish
