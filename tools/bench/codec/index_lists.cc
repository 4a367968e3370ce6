#include "tools/bench/codec/index_lists.h"

#include <array>
#include <memory>
#include <system_error>

#include "common/partition/partition.h"
#include "common/postings/posting_list.h"
#include "common/repository/repository.h"
#include "tools/bench/scratch_folder.h"

namespace frond::tools::bench {
namespace {

namespace fs = std::filesystem;

// Appends a term's list to both sets.
Result<void> append(const partition::Partition& partition, std::string_view term, IntegerSet& docids,
                    IntegerSet& frequencies) {
  const auto stored = FROND_TRY(partition.list(term));
  std::vector<ByteView> segments;
  for (const auto& segment : stored.segments) segments.push_back(segment.bytes());
  const auto list = FROND_TRY(postings::PostingList::open(segments));
  std::vector<std::uint32_t> all_docids, all_frequencies;
  std::array<std::uint32_t, codec::kBlockLength> out;
  for (std::uint32_t block = 0; block < list.blocks(); ++block) {
    const auto size = static_cast<std::ptrdiff_t>(list.block_size(block));
    FROND_TRY(list.decode_docids(block, out));
    all_docids.insert(all_docids.end(), out.begin(), out.begin() + size);
    FROND_TRY(list.decode_frequencies(block, out));
    all_frequencies.insert(all_frequencies.end(), out.begin(), out.begin() + size);
  }
  docids.lists.push_back(std::move(all_docids));
  frequencies.lists.push_back(std::move(all_frequencies));
  return {};
}

class Reader {
 public:
  Reader(std::size_t min_length, std::uint64_t max_postings) : min_length_(min_length), left_(max_postings) {
    sets_[0].name = "index docids";
    sets_[1].name = "index freqs";
    sets_[1].kind = codec::Numbers::kFrequencies;
  }

  Result<void> read(const fs::path& database) {
    const auto partition = FROND_TRY(partition::Partition::open(database));
    Result<void> outcome;
    FROND_TRY(partition->for_each_term([&](std::string_view term, const partition::TermStatistics& statistics) {
      if (statistics.document_frequency < min_length_ || statistics.document_frequency > left_) return true;
      left_ -= statistics.document_frequency;
      outcome = append(*partition, term, sets_[0], sets_[1]);
      return outcome.has_value();
    }));
    return outcome;
  }

  // Reads the partitions of a collection's current generation, one after the other.
  Result<void> read_collection(const fs::path& folder) {
    const auto source =
        FROND_TRY(repository::RepositorySource::open(folder.parent_path().string(), folder.filename().string()));
    const Generation current = FROND_TRY(source->current());
    const auto manifest = FROND_TRY(source->manifest(current));
    const auto scratch = FROND_TRY(ScratchFolder::create());
    for (const auto& entry : manifest.partitions) {
      const fs::path database = scratch->path() / entry.id;
      FROND_TRY(partition::Partition::ingest(folder / "partitions" / entry.id, entry.summary.files, database,
                                             /*move=*/false));
      FROND_TRY(read(database));
    }
    return {};
  }

  std::vector<IntegerSet> take() && { return std::move(sets_); }

 private:
  std::size_t min_length_;
  std::uint64_t left_;
  std::vector<IntegerSet> sets_ = std::vector<IntegerSet>(2);
};

}  // namespace

Result<std::vector<IntegerSet>> sets_of_index(const fs::path& path, std::size_t min_length,
                                              std::uint64_t max_postings) {
  std::error_code failure;
  const fs::path whole = fs::canonical(path, failure);
  if (failure) return Error(Code::kNotFound, path.string() + ": " + failure.message());
  Reader reader(min_length, max_postings);
  if (fs::exists(whole / "generations", failure)) {
    FROND_TRY(reader.read_collection(whole));
  } else {
    FROND_TRY(reader.read(whole));
  }
  return std::move(reader).take();
}

}  // namespace frond::tools::bench
