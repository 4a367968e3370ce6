#pragma once
// A random collection written as one partition, for tests of partitions, repositories and checks.
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/codec/list_codec.h"
#include "common/partition/partition.h"
#include "common/partition/partition_writer.h"
#include "common/partition/terms/term_digests.h"
#include "common/partition/values/document_values.h"
#include "common/postings/list_builder.h"

namespace frond::support {

struct TestDocument {
  std::string id, url, title, body;
  std::map<std::string, Frequency> terms;
  std::uint32_t length = 0;
  scoring::Prior prior = 0;
  partition::DocumentValues values = {};  // of a collection with a schema
  bool wrong_digest = false;  // its term digest is written as that of other terms, as a faulty builder might
};

// `count` documents with the terms "t0" (in every document), "t1" (in about half), "t2" (in a third) …, and one term of
// their own each.
inline std::vector<TestDocument> random_documents(std::uint32_t count, std::uint32_t seed,
                                                  std::string_view prefix = "doc") {
  std::mt19937 random(seed);
  std::vector<TestDocument> documents(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    auto& document = documents[i];
    document.id = std::string(prefix) + "-" + std::to_string(i * 7919u % 1000003u) + "-" + std::to_string(i);
    document.url = "http://example.test/" + document.id;
    document.title = "Title of " + document.id;
    for (std::uint32_t t = 0; t < 12; ++t)
      if (random() % (t + 1) == 0) document.terms["t" + std::to_string(t)] = 1 + random() % 5;
    document.terms["own" + document.id] = 1;
    for (const auto& [term, frequency] : document.terms) {
      document.length += frequency;
      for (Frequency f = 0; f < frequency; ++f) document.body += term + " ";
    }
  }
  return documents;
}

// Writes the documents to `folder`. The lists are built with the average length of these documents. digests: whether
// the partition has term digests; those of before 2026-11-25 have none. schema: of the documents' values.
inline Result<partition::PartitionSummary> write_partition(const std::vector<TestDocument>& documents,
                                                           const std::filesystem::path& folder, double b = 0.4,
                                                           bool digests = true,
                                                           const std::shared_ptr<const schema::Schema>& schema = {}) {
  std::map<std::string, std::pair<std::vector<DocId>, std::vector<Frequency>>> lists;
  std::vector<std::uint32_t> lengths;
  std::uint64_t tokens = 0;
  for (DocId docid = 0; docid < documents.size(); ++docid) {
    for (const auto& [term, frequency] : documents[docid].terms) {
      lists[term].first.push_back(docid);
      lists[term].second.push_back(frequency);
    }
    lengths.push_back(documents[docid].length);
    tokens += documents[docid].length;
  }
  const double average = documents.empty() ? 1.0 : static_cast<double>(tokens) / static_cast<double>(documents.size());
  auto writer = FROND_TRY(partition::PartitionWriter::create(folder, average, partition::PartitionWriter::kIdBytes,
                                                             partition::StoredCompression::kSmall, schema));
  const postings::ListBuilder builder(*codec::codec_named(codec::kDefaultCodec), lengths, b, average);
  partition::TermDigests sums(documents.size());
  for (const auto& [term, list] : lists) {
    sums.add(term, list.first, list.second);
    std::uint64_t occurrences = 0;
    for (const Frequency frequency : list.second) occurrences += frequency;
    const auto segments = builder.build(list.first, list.second);
    FROND_TRY(writer->add_list(term, list.first.size(), occurrences, segments));
  }
  for (const auto& document : documents) {
    ByteBuffer values;
    if (schema != nullptr) partition::encode_values(document.values, values);
    FROND_TRY(writer->add_document({document.id, document.url, document.title, document.body, document.prior,
                                    std::string_view(reinterpret_cast<const char*>(values.data()), values.size())},
                                   document.length));
  }
  auto all = sums.take();
  for (std::size_t i = 0; i < documents.size(); ++i) all[i] += documents[i].wrong_digest;
  if (digests) writer->set_term_digests(std::move(all));
  return writer->finish();
}

}  // namespace frond::support
