#include "indexer/check/partition_check.h"

#include <algorithm>
#include <array>

#include "common/files/descriptor.h"
#include "common/partition/documents/hidden_documents.h"
#include "common/partition/terms/term_digests.h"
#include "common/partition/values/document_values.h"
#include "common/partition/values/token_codes.h"
#include "common/postings/posting_list.h"
#include "common/schema/schema.h"
#include "common/scoring/bm25.h"
#include "common/text/field_term.h"

namespace frond::indexer::check {
namespace {

using partition::Partition;
using postings::kBlockLength;

// What the lists of fields say how long documents are in them. Memory: 4 bytes a document for each field.
class FieldLengths {
 public:
  explicit FieldLengths(std::uint32_t documents) : documents_(documents) {}
  std::vector<std::uint32_t>& of(std::string_view term) {
    auto& lengths = by_field_[text::field_of_term(term)];
    lengths.resize(documents_);
    return lengths;
  }
  // Of the document, at least one token, by ascending field.
  std::vector<partition::DocumentValues::Length> of(DocId docid) const {
    std::vector<partition::DocumentValues::Length> all;
    for (const auto& [field, lengths] : by_field_)
      if (lengths[docid] > 0) all.push_back({field, lengths[docid]});
    return all;
  }

 private:
  std::uint32_t documents_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_field_;
};

// Checks one term's list in a partition.
class ListCheck {
 public:
  // digests, field_lengths: the postings are added to them.
  ListCheck(const Partition& partition, double b, const partition::HiddenDocuments& hidden,
            partition::TermDigests& digests, FieldLengths& field_lengths, std::string_view term, std::string where,
            FaultList& faults)
      : lengths_(partition.lengths()),
        b_(b),
        average_length_(partition.built_average_length()),
        hidden_(hidden),
        digests_(digests),
        field_lengths_(text::is_field_term(term) ? &field_lengths.of(term) : nullptr),
        term_(term),
        where_(std::move(where)),
        faults_(faults) {}

  void run(const partition::TermList& list) {
    std::vector<ByteView> segments;
    for (const auto& segment : list.segments) segments.push_back(segment.bytes());
    const auto postings = postings::PostingList::open(segments);
    if (!faults_.expect(where_, postings)) return;
    for (std::uint32_t block = 0; block < postings->blocks(); ++block)
      if (!check_block(*postings, block)) return;  // the rest would only say it again
    for (std::size_t i = 0; i < postings->segments().size(); ++i) {
      check_list_deficit(postings->segments()[i]);
      check_best(postings->segments()[i], i);
    }
    faults_.expect_equal(where_, "document frequency", count_, list.statistics.document_frequency);
    faults_.expect_equal(where_, "occurrences", occurrences_, list.statistics.occurrences);
    faults_.report().postings += count_;
  }
  std::uint64_t hidden_postings() const { return hidden_postings_; }
  std::uint64_t hidden_occurrences() const { return hidden_occurrences_; }

 private:
  bool check_block(const postings::PostingList& list, std::uint32_t block) {
    const std::string where = where_ + ", block " + std::to_string(block);
    const std::uint32_t size = list.block_size(block);
    if (!faults_.expect(where, list.decode_docids(block, docids_)) ||
        !faults_.expect(where, list.decode_frequencies(block, frequencies_)))
      return false;
    scoring::PackedDeficit least = 0xffff;
    for (std::uint32_t i = 0; i < size; ++i) {
      const DocId docid = docids_[i];
      if (docid >= lengths_.size()) return fail(where, "docID " + std::to_string(docid) + " is no document");
      if (last_ != kNoDoc && docid <= last_)
        return fail(where, "docID " + std::to_string(docid) + " after " + std::to_string(last_));
      if (frequencies_[i] == 0) return fail(where, "docID " + std::to_string(docid) + " has frequency 0");
      last_ = docid;
      occurrences_ += frequencies_[i];
      if (field_lengths_ != nullptr) (*field_lengths_)[docid] += frequencies_[i];
      if (hidden_.contains(docid)) {
        ++hidden_postings_;
        hidden_occurrences_ += frequencies_[i];
      }
      const float deficit = scoring::deficit(b_, average_length_, frequencies_[i], lengths_[docid]);
      least = std::min(least, scoring::pack_deficit(deficit));
      count_best(list, block / postings::kSegmentBlocks, deficit);
    }
    digests_.add(term_, std::span(docids_).first(size), std::span(frequencies_).first(size));
    count_ += size;
    if (list.last_docid(block) != last_)
      return fail(where, "says its last docID is " + std::to_string(list.last_docid(block)) + ", it is " +
                             std::to_string(last_));
    if (list.block_deficit(block) > least)
      return fail(where, "deficit " + std::to_string(list.block_deficit(block)) + " is above a posting's, " +
                             std::to_string(least));
    if (list.list_deficit() > list.block_deficit(block)) return fail(where, "deficit is below the list's");
    return true;
  }
  void check_list_deficit(const postings::ListView& segment) {
    for (std::uint32_t block = 0; block < segment.blocks(); ++block)
      if (segment.list_deficit() > segment.block_deficit(block))
        return faults_.add(where_, "a segment's deficit is above that of its block " + std::to_string(block));
  }
  // How many postings of the segment reach each of its best deficits.
  void count_best(const postings::PostingList& list, std::size_t segment, float deficit) {
    best_.resize(list.segments().size());
    for (std::size_t i = 0; i < postings::kBestRanks.size(); ++i)
      best_[segment][i] += deficit <= scoring::unpack_deficit(list.segments()[segment].best_deficit(i));
  }
  void check_best(const postings::ListView& segment, std::size_t number) {
    for (std::size_t i = 0; i < postings::kBestRanks.size(); ++i)
      if (segment.best_deficit(i) != postings::kNoDeficit && best_[number][i] < postings::kBestRanks[i])
        faults_.add(where_, "segment " + std::to_string(number) + " has " + std::to_string(best_[number][i]) +
                                " postings that reach its best " + std::to_string(postings::kBestRanks[i]));
  }
  bool fail(const std::string& where, std::string what) {
    faults_.add(where, std::move(what));
    return false;
  }

  std::span<const std::uint32_t> lengths_;
  double b_;
  double average_length_;
  const partition::HiddenDocuments& hidden_;
  partition::TermDigests& digests_;
  std::vector<std::uint32_t>* field_lengths_;  // of the term's field; null: it is no field's
  std::string_view term_;
  std::string where_;
  FaultList& faults_;
  std::array<std::uint32_t, kBlockLength> docids_{}, frequencies_{};
  DocId last_ = kNoDoc;
  std::uint64_t count_ = 0, occurrences_ = 0, hidden_postings_ = 0, hidden_occurrences_ = 0;
  std::vector<std::array<std::uint32_t, postings::kBestRanks.size()>> best_;  // by segment
};

// digests: by docID, as the lists say.
void check_digests(const Partition& partition, const std::string& name, std::span<const std::uint64_t> digests,
                   FaultList& faults) {
  const auto stored = partition.term_digests();
  if (!faults.expect(name, stored) || stored->empty()) return;  // empty: written before there were any
  const auto differ = std::ranges::mismatch(*stored, digests);
  if (differ.in1 == stored->end()) return;
  faults.add(name, "the term digest of document " + std::to_string(differ.in1 - stored->begin()) +
                       " is not that of its postings");
}

// Adds up what hidden documents have in the lists; returns how many postings.
std::uint64_t check_lists(const Partition& partition, const std::string& name, double b,
                          const partition::HiddenDocuments& hidden, FieldLengths& field_lengths, HiddenPostings& taken,
                          FaultList& faults) {
  std::uint64_t terms = 0, postings = 0, hidden_postings = 0;
  partition::TermDigests digests(partition.documents());
  const auto visited = partition.for_each_term([&](std::string_view term, const auto& statistics) {
    const std::string where = name + ", term '" + std::string(term) + "'";
    ++terms;
    postings += statistics.document_frequency;
    auto list = partition.list(term);
    if (!faults.expect(where, list)) return true;
    ListCheck check(partition, b, hidden, digests, field_lengths, term, where, faults);
    check.run(*list);
    if (check.hidden_postings() > 0) taken.documents[std::string(term)] += check.hidden_postings();
    taken.occurrences += check.hidden_occurrences();
    hidden_postings += check.hidden_postings();
    return true;
  });
  faults.report().lists += terms;
  if (!faults.expect(name + ", terms", visited)) return hidden_postings;
  faults.expect_equal(name, "terms", terms, partition.summary().terms);
  faults.expect_equal(name, "postings", postings, partition.summary().postings);
  check_digests(partition, name, digests.take(), faults);
  return hidden_postings;
}

// False: there are documents that the partition does not have.
bool check_hidden(const Partition& partition, const repository::PartitionEntry& entry, std::span<const DocId> hidden,
                  const std::string& name, FaultList& faults) {
  faults.expect_equal(name, "hidden documents", hidden.size(), entry.hidden.documents);
  std::uint64_t tokens = 0;
  for (const DocId docid : hidden) {
    if (docid >= partition.documents()) {
      faults.add(name, "hides document " + std::to_string(docid) + ", which it does not have");
      return false;
    }
    tokens += partition.lengths()[docid];
  }
  faults.expect_equal(name, "tokens of hidden documents", tokens, entry.hidden.tokens);
  return true;
}

// Values are those of the schema, with the lengths in fields that their lists say. Adds these up.
void check_values(const Partition& partition, DocId docid, const FieldLengths& lengths, const std::string& where,
                  partition::FieldTokens& tokens, FaultList& faults) {
  const auto record = partition.values_of(docid);
  if (!faults.expect(where, record)) return;
  const auto values = partition::decode_values(*record, *partition.schema());
  if (!faults.expect(where, values)) return;
  if (!values->codes.empty()) faults.expect(where, partition::TokenCodes::open(values->codes));
  if (values->lengths != lengths.of(docid)) faults.add(where, "its lengths in fields are not those of the lists");
  for (const auto& length : values->lengths) tokens[length.field] += length.tokens;
}

void check_documents(const Partition& partition, const repository::PartitionEntry& entry, std::span<const DocId> hidden,
                     const FieldLengths& lengths, const std::string& name, FaultList& faults) {
  const std::size_t fields = partition.schema() == nullptr ? 0 : partition.schema()->fields.size();
  partition::FieldTokens tokens(fields), hidden_tokens(fields);
  const auto visited = partition.for_each_document([&](DocId docid, const partition::StoredDocument& document) {
    ++faults.report().documents;
    const auto back = partition.docid_of(document.id);
    const std::string where = name + ", document " + std::to_string(docid) + " ('" + std::string(document.id) + "')";
    if (faults.expect(where, back) && *back != docid)
      faults.add(where, "its id leads to document " + std::to_string(*back));
    if (partition.schema() == nullptr) return true;
    const bool is_hidden = std::ranges::binary_search(hidden, docid);
    partition::FieldTokens of_document(fields);
    check_values(partition, docid, lengths, where, of_document, faults);
    partition::add_field_tokens(tokens, of_document);
    if (is_hidden) partition::add_field_tokens(hidden_tokens, of_document);
    return true;
  });
  faults.expect(name + ", documents", visited);
  if (tokens != entry.summary.field_tokens) faults.add(name, "its tokens in fields are not those of its documents");
  partition::FieldTokens says = entry.hidden.field_tokens;
  says.resize(std::max(fields, says.size()));
  hidden_tokens.resize(says.size());
  if (says != hidden_tokens) faults.add(name, "its hidden tokens in fields are not those of its hidden documents");
}

}  // namespace

bool check_file(const std::filesystem::path& folder, const std::string& name, const repository::PartitionFile& expected,
                FaultList& faults) {
  const auto file = files::open_beneath(folder, name);
  const auto found = file ? partition::describe_file(folder / name) : Result<repository::PartitionFile>(file.error());
  if (!faults.expect(name, found)) return false;
  ++faults.report().files;
  faults.report().file_bytes += found->bytes;
  if (!faults.expect_equal(name, "size", found->bytes, expected.bytes)) return false;
  if (found->xxh3 == expected.xxh3) return true;
  faults.add(name, "checksum " + found->xxh3 + ", expected " + expected.xxh3);
  return false;
}

void check_partition(const Partition& partition, const repository::PartitionEntry& entry, double b,
                     std::span<const DocId> hidden, HiddenPostings& taken, FaultList& faults) {
  const std::string name = "partition " + entry.id;
  faults.expect(name, partition.verify_checksums());
  faults.expect(name, partition.count_entries());
  faults.expect(name, partition.check_heads());
  const auto &is = partition.summary(), &should = entry.summary;
  faults.expect_equal(name, "documents", is.documents, should.documents);
  faults.expect_equal(name, "tokens", is.tokens, should.tokens);
  faults.expect_equal(name, "terms in the summary", is.terms, should.terms);
  faults.expect_equal(name, "postings in the summary", is.postings, should.postings);
  faults.expect_equal(name, "average length at build", is.built_average_length, should.built_average_length);
  if ((partition.priors() != nullptr) != should.has_priors())
    faults.add(name, should.has_priors() ? "its files of priors have none" : "it has priors, but no file of priors");
  const auto list_bytes = [](const partition::PartitionSummary& s) {
    return s.docid_bytes + s.frequency_bytes + s.index_bytes + s.bound_bytes + s.header_bytes;
  };
  if (is.field_tokens != should.field_tokens) faults.add(name, "its tokens in fields are not those of its summary");
  faults.expect_equal(name, "bytes of lists", list_bytes(is), list_bytes(should));
  const bool known = check_hidden(partition, entry, hidden, name, faults);
  const partition::HiddenDocuments passed_over(partition.documents(), known ? hidden : std::span<const DocId>());
  FieldLengths field_lengths(partition.documents());
  const std::uint64_t postings = check_lists(partition, name, b, passed_over, field_lengths, taken, faults);
  if (known) faults.expect_equal(name, "postings of hidden documents", postings, entry.hidden.postings);
  check_documents(partition, entry, known ? hidden : std::span<const DocId>(), field_lengths, name, faults);
}

}  // namespace frond::indexer::check
