#include "indexer/change/merged_partition.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <utility>

#include "common/partition/terms/term_digests.h"
#include "common/postings/list_builder.h"
#include "indexer/change/stored_list.h"

namespace frond::indexer::change {
namespace {

using partition::Partition;

struct Posting {
  DocId docid = 0;
  Frequency frequency = 0;
};

// A source's documents on their way to the merged partition.
class Renumbering {
 public:
  Renumbering(const MergeSource& source, std::uint32_t number, std::span<const MergedDocument> documents)
      : partition_(*source.partition) {
    for (std::size_t i = 0; i < documents.size(); ++i) {
      if (documents[i].source != number) continue;
      if (first_ == kNoDoc) {
        first_ = documents[i].docid;
        numbers_.assign(partition_.documents() - first_, kNoDoc);
      }
      last_ = documents[i].docid;
      numbers_[last_ - first_] = static_cast<DocId>(i);
    }
  }
  bool empty() const { return first_ == kNoDoc; }

  std::unique_ptr<partition::TermCursor> terms() const { return partition_.terms(); }

  // Appends the postings of the cursor's term of documents that are kept, with their new docIDs. Gives the bytes of the
  // list.
  Result<std::uint64_t> read(const partition::TermCursor& at, std::vector<Posting>& out) {
    const StoredList stored = FROND_TRY(StoredList::open(partition_, at.term(), at.inline_list()));
    FROND_TRY(decode(at.term(), stored.postings(), out));
    FROND_TRY(stored.intact());
    return stored.bytes();
  }

 private:
  Result<void> decode(std::string_view term, const postings::PostingList& list, std::vector<Posting>& out) const {
    std::array<std::uint32_t, codec::kBlockLength> docids, frequencies;
    for (std::uint32_t block = list.find_block(first_, 0); block < list.blocks(); ++block) {
      FROND_TRY(list.decode_docids(block, docids));
      FROND_TRY(list.decode_frequencies(block, frequencies));
      for (std::uint32_t i = 0; i < list.block_size(block); ++i) {
        if (docids[i] >= partition_.documents())
          return Error(Code::kCorrupt, "list of " + partition::printable(term) + ": docID " +
                                           std::to_string(docids[i]) + " is no document");
        if (docids[i] < first_ || docids[i] > last_) continue;
        if (const DocId number = numbers_[docids[i] - first_]; number != kNoDoc)
          out.push_back({number, frequencies[i]});
      }
      if (list.last_docid(block) >= last_) break;
    }
    return {};
  }

  const Partition& partition_;
  DocId first_ = kNoDoc, last_ = 0;  // that are kept
  std::vector<DocId> numbers_;       // by docID - first_; kNoDoc: not kept
};

// Calls `visit` with each term of the sources, in order, and with the bytes of its lists; `postings` are the term's
// then.
Result<void> for_each_term(std::vector<Renumbering>& sources, std::vector<Posting>& postings,
                           const std::function<Result<void>(std::string_view, std::uint64_t)>& visit) {
  struct Front {
    Renumbering* source;
    std::unique_ptr<partition::TermCursor> at;
  };
  const auto later = [](const Front* a, const Front* b) { return a->at->term() > b->at->term(); };
  std::vector<Front> all;
  all.reserve(sources.size());
  for (Renumbering& source : sources) all.push_back({&source, source.terms()});
  std::priority_queue<Front*, std::vector<Front*>, decltype(later)> front(later);
  for (Front& one : all)
    if (FROND_TRY(one.at->next())) front.push(&one);
  std::string term;
  while (!front.empty()) {
    term.assign(front.top()->at->term());
    postings.clear();
    std::uint64_t bytes = 0;
    while (!front.empty() && front.top()->at->term() == term) {
      Front* const one = front.top();
      front.pop();
      bytes += FROND_TRY(one->source->read(*one->at, postings));
      if (FROND_TRY(one->at->next())) front.push(one);
    }
    FROND_TRY(visit(term, bytes));
  }
  return {};
}

Result<void> write_lists(std::span<const MergeSource> sources, std::span<const MergedDocument> documents,
                         std::span<const std::uint32_t> lengths, const MergeOptions& options,
                         partition::PartitionWriter& writer, const std::stop_token& stop) {
  std::vector<Renumbering> renumberings;
  for (std::uint32_t s = 0; s < sources.size(); ++s) {
    Renumbering one(sources[s], s, documents);
    if (!one.empty()) renumberings.push_back(std::move(one));
  }
  const postings::ListBuilder builder(options.codecs, lengths, options.b, options.average_length);
  partition::TermDigests digests(documents.size());
  std::vector<Posting> postings;
  std::vector<DocId> docids;
  std::vector<Frequency> frequencies;
  const auto write = [&](std::string_view term, std::uint64_t bytes) -> Result<void> {
    if (stop.stop_requested()) return Error(Code::kUnavailable, "stopped");
    if (options.pace != nullptr) FROND_TRY(options.pace->spend(bytes, stop));
    if (postings.empty()) return {};  // of hidden documents only, or of another part
    std::sort(postings.begin(), postings.end(), [](const Posting& a, const Posting& b) { return a.docid < b.docid; });
    docids.clear();
    frequencies.clear();
    std::uint64_t occurrences = 0;
    for (const Posting& one : postings) {
      docids.push_back(one.docid);
      frequencies.push_back(one.frequency);
      occurrences += one.frequency;
    }
    digests.add(term, docids, frequencies);
    return writer.add_list(term, docids.size(), occurrences, builder.build(docids, frequencies));
  };
  FROND_TRY(for_each_term(renumberings, postings, write));
  writer.set_term_digests(digests.take());
  return {};
}

}  // namespace

std::vector<MergedDocument> merged_documents(std::span<const MergeSource> sources) {
  std::vector<MergedDocument> documents;
  for (std::uint32_t s = 0; s < sources.size(); ++s) {
    auto hidden = sources[s].hidden.begin();
    for (DocId docid = 0; docid < sources[s].partition->documents(); ++docid) {
      if (hidden != sources[s].hidden.end() && *hidden == docid)
        ++hidden;
      else
        documents.push_back({sources[s].placement.ordinal(docid), s, docid});
    }
  }
  std::sort(documents.begin(), documents.end(),
            [](const MergedDocument& a, const MergedDocument& b) { return a.ordinal < b.ordinal; });
  return documents;
}

Result<partition::PartitionSummary> write_merged(std::span<const MergeSource> sources,
                                                 std::span<const MergedDocument> documents,
                                                 const std::filesystem::path& folder, const MergeOptions& options,
                                                 std::stop_token stop) {
  const auto writer = FROND_TRY(partition::PartitionWriter::create(
      folder, options.average_length, partition::PartitionWriter::kIdBytes, options.stored, options.schema));
  std::vector<std::uint32_t> lengths;
  lengths.reserve(documents.size());
  std::vector<std::unique_ptr<partition::DocumentCursor>> cursors;  // each source's documents come in their order
  for (const MergeSource& source : sources) cursors.push_back(source.partition->document_cursor());
  for (const MergedDocument& one : documents) {
    if (stop.stop_requested()) return Error(Code::kUnavailable, "stopped");
    const Partition& source = *sources[one.source].partition;
    lengths.push_back(source.lengths()[one.docid]);
    const partition::OwnedDocument document = FROND_TRY(cursors[one.source]->document(one.docid));
    const scoring::Prior prior = source.priors() == nullptr ? 0 : source.priors()->of(one.docid);
    const ByteBuffer values = FROND_TRY(source.values_of(one.docid));
    const partition::StoredDocument fields{document.id,   document.url, document.title,
                                           document.body, prior,        as_text(values)};
    FROND_TRY(writer->add_document(fields, lengths.back()));
    if (options.pace != nullptr)
      FROND_TRY(options.pace->spend(
          document.id.size() + document.url.size() + document.title.size() + document.body.size() + values.size(),
          stop));
    if (options.documents_written != nullptr) ++*options.documents_written;
  }
  FROND_TRY(write_lists(sources, documents, lengths, options, *writer, stop));
  return writer->finish();
}

}  // namespace frond::indexer::change
