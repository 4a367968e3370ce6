#include "indexer/change/removed_terms.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <system_error>

#include "common/base/mutex.h"
#include "common/base/threads/parallel.h"
#include "common/schema/schema_json.h"
#include "indexer/change/stored_list.h"

namespace frond::indexer::change {
namespace {

namespace fs = std::filesystem;
using partition::PublishedPartition;
using partition::StoredDocument;

constexpr std::size_t kFewDocuments = 1024;    // always analysed, if there are digests
constexpr std::size_t kShareToReadLists = 16;  // of a partition's documents, from which all lists are read
constexpr std::size_t kLeastDocuments = 128;   // a piece of work has more, unless there are no more

// Whether so many documents are so large a part of a partition that all its lists are read, rather than the documents'.
bool reads_all_lists(std::size_t docids, std::size_t documents) {
  return docids > kFewDocuments && docids * kShareToReadLists > documents;
}

// Finds documents in a list. They ascend.
class ListReader {
 public:
  explicit ListReader(StoredList stored) : stored_(std::move(stored)) {}
  // 0: the list does not have the document.
  Result<Frequency> frequency_of(DocId docid) {
    const std::uint32_t block = list().find_block(docid, block_ == kNone ? 0 : block_);
    if (block == list().blocks()) return Frequency{0};
    if (block != block_) {
      FROND_TRY(list().decode_docids(block, docids_));
      FROND_TRY(list().decode_frequencies(block, frequencies_));
      block_ = block;
    }
    const auto end = docids_.begin() + list().block_size(block);
    const auto at = std::lower_bound(docids_.begin(), end, docid);
    if (at == end || *at != docid) return Frequency{0};
    return frequencies_[static_cast<std::size_t>(at - docids_.begin())];
  }
  std::uint32_t blocks() const { return list().blocks(); }
  // Calls visit(docid, frequency) for postings of documents from `first` to `last` for which wanted(docid) holds.
  template <class Wanted, class Visit>
  Result<void> for_each(DocId first, DocId last, const Wanted& wanted, const Visit& visit) {
    for (std::uint32_t block = list().find_block(first, 0); block < list().blocks(); ++block) {
      FROND_TRY(list().decode_docids(block, docids_));
      bool decoded = false;
      for (std::uint32_t i = 0; i < list().block_size(block); ++i) {
        if (docids_[i] < first || docids_[i] > last || !wanted(docids_[i])) continue;
        if (!decoded) FROND_TRY(list().decode_frequencies(block, frequencies_));
        decoded = true;
        visit(docids_[i], frequencies_[i]);
      }
      if (list().last_docid(block) >= last) break;
    }
    return {};
  }
  Result<void> intact() const { return stored_.intact(); }

 private:
  const postings::PostingList& list() const { return stored_.postings(); }

  static constexpr std::uint32_t kNone = 0xffffffff;
  StoredList stored_;
  std::uint32_t block_ = kNone;
  std::array<std::uint32_t, codec::kBlockLength> docids_{}, frequencies_{};
};

// Documents that a partition is to lose. Each piece opens the partition for itself, which is cheap where it was
// published: a PublishedPartition is one thread's.
struct Piece {
  std::size_t number = 0;  // of the partition
  std::span<const DocId> docids;
  RemovedTerms::Counts counts{};
  std::vector<DocId> unknown{};  // what docids is of, where ranges did not tell
};

// Whether less is fetched if only ranges are read. A small partition comes while one answer is waited for.
bool pays_to_read_ranges(const repository::PartitionEntry& entry, std::size_t docids) {
  constexpr std::uint64_t kSmallPartition = std::uint64_t{1} << 20;
  std::uint64_t bytes = 0;
  for (const auto& file : entry.summary.files) bytes += file.bytes;
  return !reads_all_lists(docids, entry.summary.documents) && bytes > kSmallPartition;
}

// Whether a partition that is there has the digests of its documents.
Result<bool> has_digests(const CurrentGeneration& current, const repository::PartitionEntry& entry, DocId docid) {
  auto opened = PublishedPartition::open(FROND_TRY(current.files().for_reading(entry, {})), entry.summary.files);
  if (!opened) return std::move(opened).error().within("partition " + entry.id);
  return FROND_TRY((*opened)->term_digest(docid)).has_value();
}

// Few pieces: each opens the lists of common terms. Where all lists are read, or files are elsewhere, one a partition:
// each would read the same lists, or fetch the same indexes and arrays, or all files.
Result<std::vector<Piece>> pieces_of(const CurrentGeneration& current,
                                     const std::map<std::size_t, std::vector<DocId>>& hidden,
                                     std::size_t documents_each) {
  std::vector<Piece> pieces;
  for (const auto& [number, docids] : hidden) {
    const repository::PartitionEntry& entry = current.manifest().partitions[number];
    const bool whole = !current.files().in_place() || reads_all_lists(docids.size(), entry.summary.documents) ||
                       (docids.size() > documents_each && !FROND_TRY(has_digests(current, entry, docids[0])));
    const std::span<const DocId> all = docids;
    for (std::size_t at = 0, some = 0; at < all.size(); at += some) {
      some = whole ? all.size() : std::min(all.size() - at, documents_each);
      pieces.push_back({number, all.subspan(at, some)});
    }
  }
  return pieces;
}

// Lends each thread an analyzer and the counts of what it has analysed. Any thread.
class Counters {
 public:
  Counters(const text::AnalyzerConfig& analyzer, std::shared_ptr<const schema::Schema> schema, const fs::path& scratch,
           std::size_t held)
      : analyzer_(analyzer), schema_(std::move(schema)), scratch_(scratch), held_(held) {}

  template <class Work>
  Result<void> with_one(const Work& work) {
    std::unique_ptr<RemovedTerms> one;
    {
      const MutexLock lock(mutex_);
      if (!idle_.empty()) {
        one = std::move(idle_.back());
        idle_.pop_back();
      }
    }
    if (one == nullptr) one = std::make_unique<RemovedTerms>(analyzer_, scratch_, held_, schema_);
    auto outcome = work(*one);
    const MutexLock lock(mutex_);
    idle_.push_back(std::move(one));
    return outcome;
  }
  // Called last: of all.
  std::unique_ptr<partition::ChangeCursor> sum() {
    const MutexLock lock(mutex_);
    std::vector<TermCounts> all;
    for (const auto& one : idle_) all.push_back(one->take_documents());
    return terms_of(std::move(all));
  }

 private:
  const text::AnalyzerConfig& analyzer_;
  const std::shared_ptr<const schema::Schema> schema_;
  const fs::path& scratch_;
  const std::size_t held_;
  Mutex mutex_;
  std::vector<std::unique_ptr<RemovedTerms>> idle_ FROND_GUARDED_BY(mutex_);
};

// What ranges tell; leaves the other documents in piece.docids. Changes nothing after an error. Of an object store.
Result<void> count_by_ranges(const CurrentGeneration& current, Piece& piece, const fs::path& scratch,
                             RemovedTerms& terms) {
  const repository::PartitionEntry& entry = current.manifest().partitions[piece.number];
  const auto partition =
      partition::RangedPartition::open("partition " + entry.id, entry.summary, current.files().ranges_of(entry));
  RemovedTerms told(current.manifest().analyzer, scratch, terms.held(), terms.schema());
  std::vector<DocId> unknown;
  piece.counts = FROND_TRY(told.add_told(*partition, piece.docids, unknown));
  terms.add_all(std::move(told));
  piece.unknown = std::move(unknown);
  piece.docids = piece.unknown;
  return {};
}

Result<void> count(const CurrentGeneration& current, Piece& piece, const fs::path& scratch, RemovedTerms& terms) {
  const GenerationFiles& files = current.files();
  const repository::PartitionEntry& entry = current.manifest().partitions[piece.number];
  if (!files.in_place() && pays_to_read_ranges(entry, piece.docids.size())) {
    auto told = count_by_ranges(current, piece, scratch, terms);
    if (told && piece.docids.empty()) return {};
    // What was damaged on the way is fetched as a whole, which is repeated where its checksum is wrong.
    if (!told && told.error().code() != Code::kCorrupt) return told;
  }
  const fs::path folder = scratch / ("opened-" + entry.id);
  auto counted = [&]() -> Result<RemovedTerms::Counts> {
    auto opened = PublishedPartition::open(FROND_TRY(files.for_reading(entry, folder)), entry.summary.files);
    if (!opened) return std::move(opened).error().within("partition " + entry.id);
    return terms.add(**opened, piece.docids);
  }();
  if (!files.in_place()) {
    std::error_code failed;
    fs::remove_all(folder, failed);
    if (failed && counted) return Error(Code::kUnavailable, folder.string() + ": " + failed.message());
  }
  piece.counts += FROND_TRY(std::move(counted));
  return {};
}

}  // namespace

Result<std::uint64_t> count_in_all_lists(const PublishedPartition& partition, std::span<const DocId> docids,
                                         TermCounts& counts) {
  if (docids.empty()) return std::uint64_t{0};
  const DocId first = docids.front(), last = docids.back();
  std::vector<bool> wanted(last - first + 1);
  std::uint64_t expected = 0, found = 0, postings = 0;
  for (const DocId docid : docids) {
    wanted[docid - first] = true;
    expected += FROND_TRY(partition.length(docid));
    expected += partition::sum_of(FROND_TRY(partition.field_lengths(docid)));
  }
  const auto read = [&](const partition::TermCursor& at) -> Result<void> {
    ListReader list(FROND_TRY(StoredList::open(partition, at.term(), at.inline_list())));
    std::uint64_t documents = 0;
    const auto count = [&](DocId, Frequency frequency) {
      documents += frequency > 0;
      found += frequency;
    };
    // Few documents are looked up in a long list; else all postings are looked at.
    if (docids.size() < list.blocks())
      for (const DocId docid : docids) count(docid, FROND_TRY(list.frequency_of(docid)));
    else
      FROND_TRY(list.for_each(
          first, last, [&](DocId docid) { return wanted[docid - first]; }, count));
    FROND_TRY(list.intact());
    if (documents == 0) return {};
    counts.add_documents(at.term(), documents);
    postings += documents;
    return {};
  };
  const auto terms = partition.terms();
  while (FROND_TRY(terms->next())) FROND_TRY(read(*terms));
  if (found == expected) return postings;
  return Error(Code::kCorrupt, partition.folder().string() + ": the lists have " + std::to_string(found) +
                                   " tokens of " + std::to_string(docids.size()) + " documents with " +
                                   std::to_string(expected));
}

bool RemovedTerms::count(const StoredDocument& document, std::uint64_t length,
                         const std::vector<std::uint32_t>& field_lengths, std::optional<std::uint64_t> digest,
                         Counts& counts) {
  tokens_.take(document.title, document.body, {}, [this](std::string_view term, std::uint32_t times) {
    for (std::uint32_t i = 0; i < times; ++i) terms_.add_token(term);
  });
  const bool tells = terms_.tokens() == length + partition::sum_of(field_lengths) && terms_.digest() == digest;
  if (!tells) {
    terms_.drop_document();
    return false;
  }
  counts += {length, terms_.keep_document()};
  partition::add_field_tokens(counts.field_tokens, field_lengths);
  return true;
}

Result<RemovedTerms::Counts> RemovedTerms::add_told(partition::RangedPartition& partition,
                                                    std::span<const DocId> docids, std::vector<DocId>& unknown) {
  Counts counts;
  const auto take = [&](DocId docid, const partition::RangedPartition::Document& document) -> Result<void> {
    if (!count(document.fields, document.length, document.field_lengths, document.term_digest, counts))
      unknown.push_back(docid);
    return {};
  };
  const bool digests = FROND_TRY(partition.read(docids, take));
  if (!digests) unknown.insert(unknown.end(), docids.begin(), docids.end());
  FROND_TRY(Result<void>(terms_.outcome()));
  return counts;
}

Result<RemovedTerms::Counts> RemovedTerms::add(const PublishedPartition& partition, std::span<const DocId> docids) {
  Counts counts;
  std::vector<DocId> unknown;  // whose terms only the lists know
  if (docids.empty() || reads_all_lists(docids.size(), partition.documents()) ||
      !FROND_TRY(partition.term_digest(docids[0]))) {
    unknown.assign(docids.begin(), docids.end());
  } else {
    Result<void> outcome;
    const auto take = [&](DocId docid, const StoredDocument& document) -> Result<void> {
      const auto digest = FROND_TRY(partition.term_digest(docid));
      const auto length = FROND_TRY(partition.length(docid));
      if (!count(document, length, FROND_TRY(partition.field_lengths(docid)), digest, counts)) unknown.push_back(docid);
      return {};
    };
    partition.read_documents(docids, [&](std::size_t place, const Result<StoredDocument>& document) {
      outcome = document ? take(docids[place], *document) : Result<void>(document.error());
      return outcome.has_value();
    });
    FROND_TRY(std::move(outcome));
    std::sort(unknown.begin(), unknown.end());
  }
  for (const DocId docid : unknown) {
    counts.tokens += FROND_TRY(partition.length(docid));
    partition::add_field_tokens(counts.field_tokens, FROND_TRY(partition.field_lengths(docid)));
  }
  if (!unknown.empty()) counts.postings += FROND_TRY(count_in_all_lists(partition, unknown, terms_));
  FROND_TRY(partition.check_files());
  FROND_TRY(Result<void>(terms_.outcome()));
  return counts;
}

Result<std::shared_ptr<const schema::Schema>> schema_of(const repository::Manifest& manifest) {
  if (manifest.schema.empty()) return std::shared_ptr<const schema::Schema>();
  return std::make_shared<const schema::Schema>(FROND_TRY(schema::parse_schema(manifest.schema)));
}

Result<HiddenTerms> hidden_terms(const CurrentGeneration& current,
                                 const std::map<std::size_t, std::vector<DocId>>& hidden, const fs::path& scratch) {
  std::size_t documents = 0;
  for (const auto& [number, docids] : hidden) documents += docids.size();
  const std::size_t threads = threads_for(documents, kLeastDocuments);
  std::vector<Piece> pieces =
      FROND_TRY(pieces_of(current, hidden, std::max(kLeastDocuments, (documents + threads - 1) / threads)));
  const std::size_t at_once =
      current.files().in_place() ? threads : std::max(threads, GenerationFiles::kPartitionsByRanges);
  auto schema = FROND_TRY(schema_of(current.manifest()));
  Counters counters(current.manifest().analyzer, std::move(schema), scratch, kHeldTermBytes / at_once);
  FROND_TRY(in_parallel(pieces.size(), at_once, [&](std::size_t i) {
    return counters.with_one([&](RemovedTerms& terms) { return count(current, pieces[i], scratch, terms); });
  }));
  HiddenTerms all{counters.sum(), {}};
  for (const Piece& piece : pieces) all.counts[piece.number] += piece.counts;
  return all;
}

}  // namespace frond::indexer::change
