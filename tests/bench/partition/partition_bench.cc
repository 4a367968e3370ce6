// A partition of 300,000 documents with 300,000 short lists (about 40 bytes, inline), 2,000 of about 1 kB and 16 of
// about 1 MB, and term statistics of the same terms. Files are in the page cache: this is the cost of RocksDB, not of
// the disk.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>

#include "common/partition/documents/document_block_cache.h"
#include "common/partition/partition.h"
#include "common/partition/terms/term_statistics.h"
#include "common/postings/list_builder.h"
#include "tests/support/scratch_folder.h"

namespace frond::partition {
namespace {

constexpr std::uint32_t kDocuments = 300000;
constexpr std::uint32_t kShort = 300000, kMiddle = 2000, kLong = 16;

std::string term_of(char kind, std::uint32_t number) {
  char text[16];
  std::snprintf(text, sizeof text, "%c%07u", kind, number);
  return text;
}

class World {
 public:
  World() {
    std::mt19937 random(1);
    std::vector<std::uint32_t> lengths(kDocuments);
    for (auto& length : lengths) length = 50 + random() % 400;
    const postings::ListBuilder builder(*codec::codec_named(codec::kDefaultCodec), lengths, 0.4, 250);
    auto writer = PartitionWriter::create(scratch_ / "files", 250).value();
    const auto add = [&](char kind, std::uint32_t count, std::uint32_t step) {
      for (std::uint32_t i = 0; i < count; ++i) {
        std::vector<DocId> docids;
        std::vector<Frequency> frequencies;
        for (DocId docid = random() % step; docid < kDocuments; docid += 1 + random() % (2 * step)) {
          docids.push_back(docid);
          frequencies.push_back(1 + random() % (kind == 'a' ? 100000000 : 8));
        }
        const std::uint64_t occurrences = docids.size() * 100000000ull;
        writer->add_list(term_of(kind, i), docids.size(), occurrences, builder.build(docids, frequencies)).value();
      }
    };
    add('a', kLong, 1);
    add('m', kMiddle, 500);
    add('z', kShort, 40000);
    for (std::uint32_t i = 0; i < kDocuments; ++i) {
      std::string body;
      for (int word = 0; word < 40; ++word) body += "word" + std::to_string(random() % 20000) + " ";
      writer
          ->add_document({"doc-" + std::to_string(i), "http://example.test/" + std::to_string(i), "A title", body},
                         lengths[i])
          .value();
    }
    const auto summary = writer->finish().value();
    Partition::ingest(scratch_ / "files", summary.files, scratch_ / "database", true).value();
    partition_ = Partition::open(scratch_ / "database", FileReads::kMapped).value();
    cached_ = Partition::open(scratch_ / "database", FileReads::kMapped,
                              std::make_shared<DocumentBlockCache>(std::size_t{64} << 20))
                  .value();
    const std::vector partitions{partition_};
    (void)write_term_statistics(partitions, scratch_ / "terms.sst").value();
    terms_ = GenerationTerms::open(scratch_ / "terms.sst").value();
  }
  static const World& get() {
    static const World world;
    return world;
  }
  const Partition& partition() const { return *partition_; }
  const Partition& cached() const { return *cached_; }
  const GenerationTerms& terms() const { return *terms_; }

 private:
  support::ScratchFolder scratch_;
  std::shared_ptr<const Partition> partition_, cached_;
  std::shared_ptr<const GenerationTerms> terms_;
};

void get_lists(benchmark::State& state, char kind, std::uint32_t count) {
  const auto& partition = World::get().partition();
  std::mt19937 random(2);
  std::uint64_t bytes = 0;
  for ([[maybe_unused]] auto _ : state) {
    const auto list = partition.list(term_of(kind, random() % count));
    for (const auto& segment : list->segments) bytes += segment.bytes().size();
  }
  state.counters["list_bytes"] = static_cast<double>(bytes) / static_cast<double>(state.iterations());
}
void ListOfAShortTerm(benchmark::State& state) { get_lists(state, 'z', kShort); }
void ListOfAMiddlingTerm(benchmark::State& state) { get_lists(state, 'm', kMiddle); }
void ListOfALongTerm(benchmark::State& state) { get_lists(state, 'a', kLong); }
BENCHMARK(ListOfAShortTerm);
BENCHMARK(ListOfAMiddlingTerm);
BENCHMARK(ListOfALongTerm);

void TermThatIsNotThere(benchmark::State& state) {
  const auto& partition = World::get().partition();
  std::mt19937 random(2);
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(partition.term(term_of('q', random() % kShort)));
}
BENCHMARK(TermThatIsNotThere);

void DocumentFrequencyOfTheGeneration(benchmark::State& state) {
  const auto& terms = World::get().terms();
  std::mt19937 random(2);
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(terms.df(term_of('z', random() % kShort)));
}
BENCHMARK(DocumentFrequencyOfTheGeneration);

void DocidOfAnId(benchmark::State& state) {
  const auto& partition = World::get().partition();
  std::mt19937 random(2);
  for ([[maybe_unused]] auto _ : state)
    benchmark::DoNotOptimize(partition.docid_of("doc-" + std::to_string(random() % kDocuments)));
}
BENCHMARK(DocidOfAnId);

void StoredFieldsOfADocument(benchmark::State& state) {
  const auto& partition = World::get().partition();
  std::mt19937 random(2);
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(partition.document(random() % kDocuments));
}
BENCHMARK(StoredFieldsOfADocument);

// The ten documents of a page, in ascending order as a leaf reads them, of 20,000 documents that fit in the cache.
void read_page(benchmark::State& state, const Partition& partition) {
  constexpr DocId kShown = 20000;
  std::size_t bytes = 0;
  const auto add = [&](std::size_t, const Result<StoredDocument>& document) {
    bytes += document->title.size();
    return true;
  };
  std::vector<DocId> docids(kShown);
  for (DocId docid = 0; docid < kShown; ++docid) docids[docid] = docid;
  partition.read_documents(docids, add);
  docids.resize(10);
  std::mt19937 random(2);
  for ([[maybe_unused]] auto _ : state) {
    for (DocId& docid : docids) docid = random() % kShown;
    std::sort(docids.begin(), docids.end());
    partition.read_documents(docids, add);
  }
  benchmark::DoNotOptimize(bytes);
}
// The heads of ten documents among all, in ascending order.
void HeadsOfAPage(benchmark::State& state) {
  const auto& partition = World::get().partition();
  std::size_t bytes = 0;
  const auto add = [&](std::size_t, const Result<StoredDocument>& document) {
    bytes += document->title.size();
    return true;
  };
  std::vector<DocId> docids(10);
  std::mt19937 random(2);
  for ([[maybe_unused]] auto _ : state) {
    for (DocId& docid : docids) docid = random() % kDocuments;
    std::sort(docids.begin(), docids.end());
    partition.read_heads(docids, add);
  }
  benchmark::DoNotOptimize(bytes);
}
BENCHMARK(HeadsOfAPage);

void StoredFieldsOfAPage(benchmark::State& state) { read_page(state, World::get().partition()); }
void StoredFieldsOfACachedPage(benchmark::State& state) { read_page(state, World::get().cached()); }
BENCHMARK(StoredFieldsOfAPage);
BENCHMARK(StoredFieldsOfACachedPage);

}  // namespace
}  // namespace frond::partition
