#include "indexer/ciff/ciff.h"

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include "common/partition/partition.h"
#include "common/partition/terms/change_file.h"
#include "common/partition/terms/term_statistics.h"
#include "common/repository/repository.h"
#include "common/text/field_term.h"
#include "indexer/change/current_generation.h"
#include "indexer/change/stored_list.h"
#include "indexer/check/check.h"

namespace frond::indexer::ciff {
namespace {

namespace fs = std::filesystem;
using partition::Partition;

std::string description_of(const repository::Manifest& manifest) {
  const bool has_priors = std::any_of(manifest.partitions.begin(), manifest.partitions.end(),
                                      [](const auto& entry) { return entry.summary.has_priors(); });
  const std::string ranked = scoring::are_impacts(manifest.bm25) ? "impacts"
                                                                 : "BM25 k1 " + std::to_string(manifest.bm25.k1) +
                                                                       ", b " + std::to_string(manifest.bm25.b);
  return "Frond: generation " + std::to_string(manifest.generation) + " of " + manifest.collection + "; " +
         text::described(manifest.analyzer) + "; " + ranked +
         (has_priors ? "; documents' static priors are left out" : "") +
         (manifest.schema.empty() ? "" : "; columns and lists of single fields are left out");
}

// A place in the generation: the next document of a partition.
struct Next {
  Ordinal ordinal;
  std::size_t partition;
  DocId docid;
  friend bool operator>(const Next& a, const Next& b) { return a.ordinal > b.ordinal; }
};

// One term's postings in a whole generation, by document number: the lists of its partitions, merged.
struct MergedPosting {
  std::uint32_t document = 0;
  Frequency frequency = 0;
};

// One thread. Holds a block of each partition's list.
class MergedList {
 public:
  // `numbers[p][docid]`: the numbers of partition p's documents, ascending; kNoDoc: hidden, so its postings are passed
  // over. kCorrupt: a list does not open.
  static Result<std::unique_ptr<MergedList>> open(
      std::span<const std::shared_ptr<const partition::Partition>> partitions,
      const std::vector<std::vector<std::uint32_t>>& numbers, std::string_view term);
  // The next posting; no value at the end. kCorrupt.
  Result<std::optional<MergedPosting>> next();
  // Starts again with the first posting.
  Result<void> rewind();

 private:
  struct Part {
    Part(change::StoredList list, std::span<const std::uint32_t> its_numbers)
        : stored(std::move(list)), numbers(its_numbers) {}
    change::StoredList stored;
    std::span<const std::uint32_t> numbers;
    std::uint32_t block = 0, size = 0,
                  at = 0;  // the next block to decode; of the one at hand
    std::array<std::uint32_t, postings::kBlockLength> docids{}, frequencies{};
  };
  struct Head {
    std::uint32_t document;
    std::size_t part;
    friend bool operator>(const Head& a, const Head& b) { return a.document > b.document; }
  };
  Result<void> advance(std::size_t part);

  std::vector<std::unique_ptr<Part>> parts_;
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads_;
};

Result<std::unique_ptr<MergedList>> MergedList::open(
    std::span<const std::shared_ptr<const partition::Partition>> partitions,
    const std::vector<std::vector<std::uint32_t>>& numbers, std::string_view term) {
  auto merged = std::make_unique<MergedList>();
  for (std::size_t p = 0; p < partitions.size(); ++p) {
    auto list = change::StoredList::open(*partitions[p], term);
    if (!list && list.error().code() == Code::kNotFound) continue;
    if (!list) return std::move(list).error();
    merged->parts_.push_back(std::make_unique<Part>(*std::move(list), numbers[p]));
  }
  FROND_TRY(merged->rewind());
  return merged;
}

Result<void> MergedList::rewind() {
  heads_ = {};
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    parts_[i]->block = parts_[i]->size = parts_[i]->at = 0;
    FROND_TRY(advance(i));
  }
  return {};
}

// Puts the part's next posting among the heads, unless there is none.
Result<void> MergedList::advance(std::size_t i) {
  Part& part = *parts_[i];
  const postings::PostingList& list = part.stored.postings();
  for (;; ++part.at) {
    if (part.at == part.size) {
      if (part.block == list.blocks()) return {};
      part.size = list.block_size(part.block);
      part.at = 0;
      FROND_TRY(list.decode_docids(part.block, part.docids));
      FROND_TRY(list.decode_frequencies(part.block, part.frequencies));
      ++part.block;
    }
    const std::uint32_t docid = part.docids[part.at];
    if (docid >= part.numbers.size())
      return Error(Code::kCorrupt, "docID " + std::to_string(docid) + " is no document");
    if (part.numbers[docid] == kNoDoc) continue;
    heads_.push({part.numbers[docid], i});
    return {};
  }
}

Result<std::optional<MergedPosting>> MergedList::next() {
  if (heads_.empty()) return std::optional<MergedPosting>();
  const Head head = heads_.top();
  heads_.pop();
  Part& part = *parts_[head.part];
  const MergedPosting posting{head.document, part.frequencies[part.at]};
  ++part.at;
  FROND_TRY(advance(head.part));
  return std::optional<MergedPosting>(posting);
}

class Export {
 public:
  Export(const change::GenerationFiles& files, const repository::Manifest& manifest, std::stop_token stop)
      : files_(files), manifest_(manifest), stop_(std::move(stop)) {}

  Result<Exported> run(const fs::path& scratch, const fs::path& to) {
    std::vector<partition::ChangesPtr> changes;
    const auto local = FROND_TRY(files_.generation_files(manifest_.changes));
    for (const fs::path& file : local) changes.push_back(FROND_TRY(partition::Changes::open(file)));
    for (const auto& entry : manifest_.partitions) {
      FROND_TRY(expect_time());
      const fs::path files = FROND_TRY(files_.for_reading(entry, scratch / entry.id, /*ids=*/true));
      partitions_.push_back(FROND_TRY(Partition::open(files, entry.summary.files, partition::FileReads::kCopied)));
      numbers_.emplace_back(partitions_.back()->documents(), 0);
      const auto hidden_now =
          FROND_TRY(partition::hidden_documents_of(entry.id, partitions_.back()->documents(), changes));
      for (const DocId docid : hidden_now) numbers_.back()[docid] = kNoDoc;
    }
    const auto writer = FROND_TRY(CiffWriter::create(to));
    made_.generation = manifest_.generation;
    CiffHeader& header = made_.header;
    FROND_TRY(count_field_terms());
    header.lists = header.total_lists = manifest_.terms - field_terms_;
    header.documents = header.total_documents = manifest_.statistics.documents;
    header.tokens = manifest_.statistics.tokens;
    header.average_length =
        header.documents == 0 ? 0 : static_cast<double>(header.tokens) / static_cast<double>(header.documents);
    header.description = description_of(manifest_);
    FROND_TRY(writer->header(header));
    FROND_TRY(number_documents());
    FROND_TRY(write_lists(*writer));
    FROND_TRY(write_documents(*writer));
    made_.bytes = FROND_TRY(writer->finish());
    return made_;
  }

 private:
  Result<void> expect_time() const {
    if (stop_.stop_requested()) return Error(Code::kUnavailable, "stopped");
    return {};
  }

  bool hidden(std::size_t p, DocId docid) const { return numbers_[p][docid] == kNoDoc; }

  // Calls visit(partition, docID) for every document that is not hidden, by ordinal.
  Result<void> for_each_by_ordinal(const std::function<Result<void>(std::size_t, DocId)>& visit) const {
    std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
    const auto push = [&](std::size_t p, DocId docid) {
      while (docid < partitions_[p]->documents() && hidden(p, docid)) ++docid;
      if (docid < partitions_[p]->documents())
        next.push({manifest_.partitions[p].placement().ordinal(docid), p, docid});
    };
    for (std::size_t p = 0; p < partitions_.size(); ++p) push(p, 0);
    while (!next.empty()) {
      const Next at = next.top();
      next.pop();
      FROND_TRY(visit(at.partition, at.docid));
      push(at.partition, at.docid + 1);
    }
    return {};
  }

  // Numbers are dense, whatever gaps the ordinals have.
  Result<void> number_documents() {
    std::uint32_t number = 0;
    FROND_TRY(for_each_by_ordinal([&](std::size_t p, DocId docid) -> Result<void> {
      numbers_[p][docid] = number++;
      return {};
    }));
    if (number == manifest_.statistics.documents) return {};
    return Error(Code::kCorrupt, "the partitions have " + std::to_string(number) + " documents, the manifest says " +
                                     std::to_string(manifest_.statistics.documents));
  }

  bool is_of_field(std::string_view term) const { return !manifest_.schema.empty() && text::is_field_term(term); }

  // Lists of single fields are left out: the format has no fields. The header says first how many lists follow.
  Result<void> count_field_terms() {
    if (manifest_.schema.empty()) return {};
    const auto count = [&](std::string_view term, const partition::TermStatistics&) -> Result<void> {
      FROND_TRY(expect_time());
      if (!is_of_field(term)) return {};
      const auto list = FROND_TRY(MergedList::open(partitions_, numbers_, term));
      if (FROND_TRY(list->next())) ++field_terms_;  // else of hidden documents only
      return {};
    };
    FROND_TRY(partition::merge_terms(partitions_, count));
    return {};
  }

  Result<void> write_lists(CiffWriter& writer) {
    const auto write = [&](std::string_view term, const partition::TermStatistics& sum) -> Result<void> {
      FROND_TRY(expect_time());
      if (is_of_field(term)) return {};
      Result<void> written = write_list(writer, term, sum);
      if (!written) return std::move(written).error().within("term '" + std::string(term) + "'");
      return {};
    };
    FROND_TRY(partition::merge_terms(partitions_, write));
    if (terms_ + field_terms_ == manifest_.terms) return {};
    return Error(Code::kCorrupt, "the partitions have " + std::to_string(terms_ + field_terms_) +
                                     " terms, the manifest says " + std::to_string(manifest_.terms));
  }
  // The length of a list stands before it, so it is read twice.
  Result<void> write_list(CiffWriter& writer, std::string_view term, const partition::TermStatistics& sum) {
    const auto list = FROND_TRY(MergedList::open(partitions_, numbers_, term));
    std::uint64_t bytes = 0, count = 0, occurrences = 0;
    std::uint32_t last = 0;
    while (const auto posting = FROND_TRY(list->next())) {
      bytes += posting_bytes(posting->document - last, posting->frequency);
      last = posting->document;
      occurrences += posting->frequency;
      ++count;
    }
    if (count > sum.document_frequency || (manifest_.changes.empty() && count != sum.document_frequency))
      return Error(Code::kCorrupt, std::to_string(count) + " postings, but a document frequency of " +
                                       std::to_string(sum.document_frequency));
    if (count == 0) return {};  // of hidden documents only
    ++terms_;
    FROND_TRY(writer.list(term, count, occurrences, bytes));
    FROND_TRY(list->rewind());
    last = 0;
    while (const auto posting = FROND_TRY(list->next())) {
      FROND_TRY(writer.posting(posting->document - last, posting->frequency));
      last = posting->document;
    }
    made_.postings += count;
    return {};
  }

  // Documents are read a piece of each partition at a time, since each needs a look at the disk.
  Result<void> write_documents(CiffWriter& writer) {
    constexpr std::size_t kAhead = 256;
    struct Read {
      std::vector<std::string> ids;
      std::size_t at = 0;
    };
    std::vector<Read> read(partitions_.size());
    std::uint64_t number = 0;
    return for_each_by_ordinal([&](std::size_t p, DocId docid) -> Result<void> {
      if (read[p].at == read[p].ids.size()) {
        FROND_TRY(expect_time());
        read[p] = {};
        std::vector<DocId> wanted;
        for (DocId next = docid; next < partitions_[p]->documents() && wanted.size() < kAhead; ++next)
          if (!hidden(p, next)) wanted.push_back(next);
        std::optional<Error> failed;
        partitions_[p]->read_heads(wanted, [&](std::size_t, const Result<partition::StoredDocument>& document) {
          if (document)
            read[p].ids.emplace_back(document->id);
          else
            failed = document.error();
          return document.has_value();
        });
        if (failed) return *failed;
      }
      return writer.document(number++, read[p].ids[read[p].at++], partitions_[p]->lengths()[docid]);
    });
  }

  const change::GenerationFiles& files_;
  const repository::Manifest& manifest_;
  std::stop_token stop_;
  std::vector<std::shared_ptr<const Partition>> partitions_;
  std::vector<std::vector<std::uint32_t>> numbers_;  // by partition and docID; kNoDoc: hidden
  std::uint64_t terms_ = 0;                          // written
  std::uint64_t field_terms_ = 0;                    // left out
  Exported made_;
};

}  // namespace

Result<Exported> export_ciff(const fs::path& root, std::string_view collection, Generation generation,
                             const fs::path& to, std::stop_token stop, const repository::ObjectWriting& objects) {
  try {
    const auto source = FROND_TRY(repository::RepositorySource::open(root.string(), collection, {}, objects.access));
    if (generation == 0) generation = FROND_TRY(source->current());
    const repository::Manifest manifest = FROND_TRY(source->manifest(generation));
    const bool in_place = !objects::is_object_place(root.string());
    const fs::path local = FROND_TRY(repository::local_folder(root, collection, objects));
    std::error_code failed;
    if (!in_place) fs::create_directories(local, failed);
    if (failed) return Error(Code::kUnavailable, "creating " + local.string() + ": " + failed.message());
    const auto scratch = FROND_TRY(check::Scratch::make(local));
    const change::GenerationFiles files(*source, in_place ? local : fs::path(), scratch->path() / "fetched");
    return Export(files, manifest, std::move(stop)).run(scratch->path(), to);
  } catch (const std::exception& thrown) {
    return Error(Code::kUnavailable, root.string() + ": " + thrown.what());
  }
}

}  // namespace frond::indexer::ciff
