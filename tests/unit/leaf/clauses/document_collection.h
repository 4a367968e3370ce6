#pragma once
// Random documents of the schema of queries, in memory, assigned to partitions; and what a clause finds in them.
#include <map>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/partition/format/format.h"
#include "common/partition/values/stored_sequences.h"
#include "common/partition/values/token_codes.h"
#include "common/partition/values/value_column.h"
#include "common/postings/list_builder.h"
#include "common/text/field_term.h"
#include "leaf/clauses/evaluation.h"
#include "leaf/clauses/resolve/resolver.h"
#include "tests/support/collections/clause_reference.h"
#include "tests/support/oracle_collection.h"
#include "tests/support/posting_lists.h"
#include "tests/support/query_schema.h"

namespace frond::leaf::clauses {

struct TextDocument {
  std::string id;
  std::vector<std::vector<std::string>> texts;                 // by field; empty: no text field, or no words
  std::map<std::uint32_t, std::vector<schema::Value>> values;  // by field
};

// Words as RandomClauses asks for them.
inline std::vector<TextDocument> random_documents(const schema::Schema& schema, std::uint32_t count,
                                                  std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(random() % bound); };
  // Some words are rare.
  const auto word = [&] {
    const std::uint32_t first = std::min(below(5), below(5));
    return std::string(1, static_cast<char>('a' + first)) + static_cast<char>('a' + std::min(below(3), below(3)));
  };
  std::vector<TextDocument> documents(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    TextDocument& document = documents[i];
    document.id = i % 40 == 3 ? word() + (i < 600 ? "" : std::to_string(i)) : "d" + std::to_string(i);
    document.texts.resize(schema.fields.size());
    for (std::uint32_t field = 0; field < schema.fields.size(); ++field) {
      const schema::Field& of = schema.fields[field];
      if (below(4) == 0) continue;
      if (of.type == schema::FieldType::kText) {
        const std::uint32_t words = below(of.name == "body" ? 12 : 4);
        for (std::uint32_t j = 0; j < words; ++j) document.texts[field].push_back(word());
        if (i % 97 == 5 && of.name == "body")
          for (std::uint32_t j = 0; j < 400; ++j) document.texts[field].push_back("w" + std::to_string(below(900)));
      } else if (of.name == "tag") {
        std::set<std::string> tags;
        for (std::uint32_t j = below(3) + 1; j-- > 0;) tags.insert(word());
        for (const std::string& tag : tags) document.values[field].push_back(tag);
      } else if (of.name == "year") {
        document.values[field].push_back(std::int64_t{2000} + below(7));
      }
    }
  }
  std::set<std::string> ids;
  for (TextDocument& document : documents)
    while (!ids.insert(document.id).second) document.id += "x";
  return documents;
}

// The same documents as the oracle has them.
inline std::vector<support::OracleDocument> oracle_documents(const schema::Schema& schema,
                                                             const std::vector<TextDocument>& documents) {
  std::vector<support::OracleDocument> made;
  for (const TextDocument& document : documents) {
    support::OracleDocument& one = made.emplace_back();
    one.id = document.id;
    one.values = document.values;
    one.texts.resize(schema.fields.size());
    for (std::size_t field = 0; field < schema.fields.size(); ++field)
      for (const std::string& word : document.texts[field]) {
        one.texts[field].places.push_back(word);
        if (schema.fields[field].field_search) one.texts[field].add(word, 1);
        one.plain.add(word, schema.fields[field].weight);
      }
  }
  return made;
}

class MemoryPartition final : public SearchedPartition {
 public:
  const partition::ValueColumn* column(std::uint32_t field) const override {
    const auto at = columns.find(field);
    return at == columns.end() ? nullptr : &at->second;
  }
  std::span<const std::uint32_t> lengths_in(std::uint32_t field) const override {
    const auto at = field_lengths.find(field);
    return at == field_lengths.end() ? std::span<const std::uint32_t>() : *at->second;
  }
  ByteView token_codes(DocId docid) const override { return codes[docid]; }
  Result<DocId> docid_of(std::string_view id) const override {
    const auto at = ids.find(id);
    if (at == ids.end()) return Error(Code::kNotFound, "no such document");
    return at->second;
  }

  Placement placement;
  std::vector<std::uint32_t> lengths;
  std::map<std::uint32_t, std::shared_ptr<std::vector<std::uint32_t>>> field_lengths;
  std::vector<ByteBuffer> codes, chunks;
  // As stored: `codes` in chunks, for devices.
  std::vector<ByteBuffer> code_chunks;
  std::unique_ptr<const partition::StoredSequences> sequences;
  std::map<std::uint32_t, partition::ValueColumn> columns;
  std::map<std::string, DocId, std::less<>> ids;
  std::map<std::string, lists::ListLease> lists;
  std::shared_ptr<const partition::HiddenDocuments> hidden;
};

class MemoryCollection {
 public:
  static constexpr double kBuiltAverage = 9;

  MemoryCollection(const schema::Schema& schema, const std::vector<TextDocument>& documents, std::uint32_t partitions,
                   std::string_view codec = codec::kDefaultCodec)
      : schema_(schema), codec_(codec), field_tokens_(schema.fields.size()) {
    for (std::uint32_t p = 0; p < partitions; ++p) add_partition(documents, p, partitions);
  }

  Result<ResolvedQuery> resolve(const query::Clause& clause, text::Analyzer& analyzer, text::Analyzer& plain) const {
    const ResolverSource source{schema_,
                                {},
                                {documents_, tokens_},
                                field_tokens_,
                                [&](const schema::Field*) -> text::Analyzer& { return analyzer; },
                                [&](const schema::Field*) -> text::Analyzer& { return plain; },
                                [&](std::string_view term) {
                                  const auto at = dfs_.find(std::string(term));
                                  return Result<std::uint64_t>(at == dfs_.end() ? 0 : at->second);
                                },
                                [&](std::string_view first, const ResolverSource::Visit& visit) -> Result<void> {
                                  for (auto at = dfs_.lower_bound(std::string(first)); at != dfs_.end(); ++at)
                                    if (!visit(at->first, at->second)) break;
                                  return {};
                                },
                                max_expansions};
    return clauses::resolve(clause, source);
  }
  ClausePlan plan(std::size_t number, const ResolvedQuery& query, std::uint32_t k, bool ranked,
                  engine::SharedFloor* floor = nullptr) const {
    const MemoryPartition& partition = *partitions_[number];
    ClausePlan plan;
    plan.plan.k = k;
    plan.plan.ranked = ranked;
    plan.plan.lengths = partition.lengths;
    plan.plan.partition = number + 1;
    plan.plan.norm = query.norms.at(kAllText);
    plan.plan.placement = partition.placement;
    plan.plan.hidden = partition.hidden.get();
    plan.plan.floor = floor;
    if (floor != nullptr) plan.plan.count_to = 5;
    plan.query = &query;
    for (const QueryList& list : query.lists) {
      const auto at = partition.lists.find(list.term);
      plan.lists.push_back(at == partition.lists.end() ? nullptr : at->second);
    }
    plan.partition = &partition;
    plan.built = {scoring::Bm25Parameters().b, kBuiltAverage};
    return plan;
  }
  std::size_t partitions() const { return partitions_.size(); }
  const MemoryPartition& partition(std::size_t number) const { return *partitions_[number]; }
  // By their numbers in the collection.
  void hide(const std::vector<bool>& hidden) {
    for (const auto& partition : partitions_) {
      std::vector<DocId> docids;
      for (DocId docid = 0; docid < partition->lengths.size(); ++docid)
        if (hidden[partition->placement.ordinal(docid)]) docids.push_back(docid);
      partition->hidden = std::make_shared<const partition::HiddenDocuments>(
          static_cast<std::uint32_t>(partition->lengths.size()), docids);
    }
  }

  std::size_t max_expansions = 1024;

  // Of its codes.
  static void add_sequences(MemoryPartition& made) {
    std::vector<DocId> starts;
    for (std::size_t first = 0; first < made.codes.size(); first += partition::kValueGroup) {
      const auto group = std::span(made.codes)
                             .subspan(first)
                             .first(std::min<std::size_t>(made.codes.size() - first, partition::kValueGroup));
      starts.push_back(static_cast<DocId>(first));
      ByteWriter out(made.code_chunks.emplace_back());
      out.put(static_cast<std::uint32_t>(group.size()));
      std::uint32_t end = 0;
      for (const ByteBuffer& record : group) out.put(end += static_cast<std::uint32_t>(record.size()));
      for (const ByteBuffer& record : group) out.put_bytes(record);
    }
    std::vector<partition::CodesChunk> chunks;
    for (const ByteBuffer& chunk : made.code_chunks) chunks.push_back(partition::CodesChunk::open(chunk).value());
    made.sequences = std::make_unique<const partition::StoredSequences>(static_cast<std::uint32_t>(made.codes.size()),
                                                                        std::move(starts), std::move(chunks));
  }

 private:
  void add_partition(const std::vector<TextDocument>& documents, std::uint32_t number, std::uint32_t partitions) {
    auto made = std::make_unique<MemoryPartition>();
    made->placement = {number, partitions};
    std::map<std::string, std::pair<std::vector<DocId>, std::vector<Frequency>>> postings;
    partition::TokenCodesWriter codes;
    for (std::size_t i = number; i < documents.size(); i += partitions) {
      const TextDocument& document = documents[i];
      const auto docid = static_cast<DocId>(made->lengths.size());
      std::map<std::string, Frequency> terms;
      std::uint32_t length = 0;
      codes.begin_document();
      for (std::uint32_t field = 0; field < schema_.fields.size(); ++field) {
        const schema::Field& of = schema_.fields[field];
        if (of.type != schema::FieldType::kText) continue;
        if (of.positions) codes.begin_field(field);
        const auto words = static_cast<std::uint32_t>(document.texts[field].size());
        for (const std::string& word : document.texts[field]) {
          terms[word] += of.weight;
          if (of.field_search) ++terms[text::field_term(field, word)];
          if (of.positions)
            codes.add(partition::term_hash(word));
          else
            codes.add_elsewhere(partition::term_hash(word));
        }
        length += words * of.weight;
        if (!of.field_search) continue;
        auto& lengths = made->field_lengths[field];
        if (lengths == nullptr) lengths = std::make_shared<std::vector<std::uint32_t>>();
        lengths->push_back(words);
        field_tokens_[field] += words;
      }
      codes.finish(made->codes.emplace_back());
      made->lengths.push_back(length);
      made->ids[document.id] = docid;
      tokens_ += length;
      ++documents_;
      for (const auto& [term, frequency] : terms) {
        postings[term].first.push_back(docid);
        postings[term].second.push_back(frequency);
        ++dfs_[term];
      }
    }
    const postings::ListBuilder builder(*codec::codec_choice_named(codec_), made->lengths, scoring::Bm25Parameters().b,
                                        kBuiltAverage);
    for (const auto& [term, list] : postings) {
      auto lease = std::make_shared<lists::List>();
      lease->key = {number + 1, term};
      std::vector<ByteView> views;
      for (const ByteBuffer& blob : builder.build(list.first, list.second)) {
        auto bytes = std::make_shared<const support::SlackBytes>(blob);
        views.push_back(bytes->view());
        lease->owners.push_back(std::move(bytes));
      }
      lease->postings = *postings::PostingList::open(views);
      if (list.first.size() % 2 == 0) lease->buckets = lists::BucketIndex::build(lease->postings);  // as in a cache
      made->lists[term] = std::move(lease);
    }
    add_sequences(*made);
    add_columns(documents, number, partitions, *made);
    partitions_.push_back(std::move(made));
  }
  void add_columns(const std::vector<TextDocument>& documents, std::uint32_t number, std::uint32_t partitions,
                   MemoryPartition& made) {
    const auto count = static_cast<std::uint32_t>(made.lengths.size());
    for (std::uint32_t field = 0; field < schema_.fields.size(); ++field) {
      const schema::FieldType type = schema_.fields[field].type;
      if (!schema::is_column(type)) continue;
      const auto column = made.columns.try_emplace(field, type, count).first;
      partition::ColumnChunkWriter writer(type);
      std::uint32_t chunk = 0;
      const auto put = [&] {
        ByteBuffer bytes = writer.finish();
        if (!bytes.empty()) {
          made.chunks.push_back(std::move(bytes));
          column->second.put_chunk(chunk, made.chunks.back()).value();
        }
        ++chunk;
      };
      for (std::size_t i = number; i < documents.size(); i += partitions) {
        const auto values = documents[i].values.find(field);
        writer.add(values == documents[i].values.end() ? std::vector<schema::Value>() : values->second);
        if (writer.documents() == partition::ColumnChunkWriter::kChunkDocuments) put();
      }
      if (writer.documents() != 0) put();
    }
  }

  const schema::Schema& schema_;
  const std::string codec_;
  std::vector<std::uint64_t> field_tokens_;
  std::uint64_t documents_ = 0, tokens_ = 0;
  std::map<std::string, std::uint64_t> dfs_;
  std::vector<std::unique_ptr<MemoryPartition>> partitions_;
};

}  // namespace frond::leaf::clauses
