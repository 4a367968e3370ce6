#include "indexer/publish/stored_fields.h"

#include <algorithm>
#include <utility>

#include "indexer/runs/document_spool.h"

namespace frond::indexer::publish {

Result<std::vector<BlockGroup>> BlockCutter::next() {
  if (ended_) return std::vector<BlockGroup>();
  ended_ = !FROND_TRY(spool_.append_next(documents_));
  // Most frames are cut as they come, so that few are moved to be put together.
  if (!ended_ && documents_.fields.size() < kBlockGroupBytes / 2 && documents_.values.size() < kBlockGroupBytes)
    return std::vector<BlockGroup>();
  return cut();
}

Result<std::vector<BlockGroup>> BlockCutter::cut() {
  const auto fields = std::make_shared<const runs::FieldBuffer>(std::exchange(documents_.fields, {}));
  const std::vector<std::uint32_t> lengths = std::exchange(documents_.lengths, {});
  const std::vector<scoring::Prior> priors = std::exchange(documents_.priors, {});
  const auto values = std::make_shared<const ByteBuffer>(std::exchange(documents_.values, {}));
  const std::vector<std::uint32_t> value_sizes = std::exchange(documents_.value_sizes, {});
  std::size_t values_begin = 0, values_end = 0;  // of the block
  std::vector<BlockGroup> groups;
  bool open = false;  // whether the last group takes more blocks
  BlockGroup::Block block;
  ByteView left = fields->view();
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    block.end += FROND_TRY(runs::take_fields(left)).size();
    ++block.documents;
    values_end += value_sizes[i];
    if (block.end - block.begin < block_bytes_ && values_end - values_begin < kBlockValuesBytes &&
        !(ended_ && i + 1 == lengths.size()))
      continue;
    if (!open) groups.push_back({fields, {}, {}, {}, values, values_begin, {}});
    BlockGroup& group = groups.back();
    group.blocks.push_back(block);
    const auto first = static_cast<std::ptrdiff_t>(i + 1 - block.documents), end = static_cast<std::ptrdiff_t>(i + 1);
    const auto append = [&](auto& to, const auto& from) {
      to.insert(to.end(), from.begin() + first, from.begin() + end);
    };
    append(group.lengths, lengths);
    append(group.priors, priors);
    append(group.value_sizes, value_sizes);
    values_begin = values_end;
    open = group.bytes() < kBlockGroupBytes && values_end - group.values_begin < kBlockValuesBytes;
    block = {block.end, block.end, 0};
  }
  if (!left.empty()) return Error(Code::kCorrupt, "a spool has fields of no document");
  // The block that is not full yet is the beginning of what is cut next.
  const ByteView begun = fields->view().subspan(block.begin);
  std::copy(begun.begin(), begun.end(), documents_.fields.grow(begun.size()).begin());
  documents_.lengths.assign(lengths.end() - block.documents, lengths.end());
  documents_.priors.assign(priors.end() - block.documents, priors.end());
  documents_.values.assign(values->begin() + static_cast<std::ptrdiff_t>(values_begin), values->end());
  documents_.value_sizes.assign(value_sizes.end() - block.documents, value_sizes.end());
  return groups;
}

PackedGroup pack(BlockGroup group, partition::BlockCompressor& compressor) {
  PackedGroup packed;
  packed.documents.reserve(group.lengths.size());
  packed.blocks.reserve(group.blocks.size());
  // Blocks lie behind each other, so what is taken of this is little more than what is used.
  std::size_t room = 0;
  for (const BlockGroup::Block& block : group.blocks)
    room += partition::BlockCompressor::max_bytes(block.end - block.begin);
  packed.bytes = std::make_unique_for_overwrite<std::byte[]>(room);
  std::span<std::byte> left(packed.bytes.get(), room);
  ByteView values = ByteView(*group.values).subspan(group.values_begin);
  for (const BlockGroup::Block& block : group.blocks) {
    const ByteView fields = group.fields->view().subspan(block.begin, block.end - block.begin);
    const std::size_t size = compressor.compress(fields, block.documents, left);
    packed.blocks.push_back(left.first(size));
    left = left.subspan(size);
    ByteReader in(fields);
    for (std::uint32_t i = 0; i < block.documents; ++i) {
      packed.documents.push_back(runs::read_fields(in));
      partition::StoredDocument& document = packed.documents.back();
      document.prior = group.priors[packed.documents.size() - 1];
      document.values = as_text(values.first(group.value_sizes[packed.documents.size() - 1]));
      values = values.subspan(document.values.size());
    }
  }
  packed.group = std::move(group);
  return packed;
}

Result<void> add_group(partition::PartitionWriter& writer, const PackedGroup& packed) {
  std::size_t first = 0;
  for (std::size_t b = 0; b < packed.blocks.size(); ++b) {
    const std::size_t count = packed.group.blocks[b].documents;
    FROND_TRY(writer.add_block(std::span(packed.documents).subspan(first, count),
                               std::span(packed.group.lengths).subspan(first, count), packed.blocks[b]));
    first += count;
  }
  return {};
}

namespace {

using partition::StoredCompression;

constexpr std::uint64_t kLargeFrameBytes = std::uint64_t{4} << 20;  // of fields: more than a batch of usual records has

// The sample has every 32nd document or fewer for each partition, so a partition has about 32 MiB of fields or more,
// and its copy of a large dictionary is small beside them.
constexpr std::uint64_t kMinStrideOfLarge = 32;
std::size_t dictionary_bytes(const pipeline::FieldSample& sample, std::size_t partitions) {
  return sample.stride() >= kMinStrideOfLarge * partitions ? partition::kLargeDictionaryBytes
                                                           : partition::kDictionaryBytes;
}

// Training takes as long as the sample is large, so that of a small collection has fewer documents.
constexpr std::uint64_t kSampleShare = 32;  // of all fields
std::size_t sample_bytes(const pipeline::FieldSample& sample) {
  return std::max<std::size_t>(4 * partition::kMinSampleBytes, sample.estimated_bytes() / kSampleShare);
}

}  // namespace

BuildDictionary::BuildDictionary(TaskPool& pool, StoredCompression how, const pipeline::FieldSample& sample,
                                 std::size_t partitions)
    : how_(how), training_(pool, 0) {
  if (how_ == StoredCompression::kFast) return;
  training_.begin(0, [&sample, partitions](std::size_t) -> Result<ByteBuffer> {
    if (sample.estimated_bytes() / partitions < partition::kMinTrainedBytes) return ByteBuffer();
    const pipeline::FieldSample some = sample.thinned(sample_bytes(sample));
    return partition::train_dictionary(some.bytes(), some.sizes(), dictionary_bytes(sample, partitions));
  });
}

Result<const ByteBuffer*> BuildDictionary::bytes() {
  if (how_ == StoredCompression::kFast) return &nothing_;
  const MutexLock lock(mutex_);
  if (!bytes_) {
    bytes_.emplace(training_.take());
    if (*bytes_) trained_.emplace(**bytes_);
  }
  if (!*bytes_) return bytes_->error();
  return &**bytes_;
}

std::unique_ptr<partition::BlockCompressor> BuildDictionary::compressor(bool trained) const {
  if (trained) return std::make_unique<partition::BlockCompressor>(*trained_);
  return std::make_unique<partition::BlockCompressor>(ByteView(), how_);
}

// The documents of one partition.
class StoredFields::Stream {
 public:
  // trained: the blocks need the dictionary.
  Stream(StoredFields& shared, partition::PartitionWriter& writer, runs::SpoolReader spool, bool trained,
         std::atomic<std::uint64_t>& done)
      : shared_(shared),
        writer_(writer),
        cutter_(std::move(spool), partition::document_block_bytes(shared.how_)),
        trained_(trained),
        done_(done),
        tasks_(shared.pool_, shared.memory_.ahead_bytes) {}

  Result<void> write(const std::stop_token& stop) {
    while (!cutter_.done() && !stop.stop_requested()) {
      const std::uint64_t bytes = FROND_TRY(cutter_.next_bytes());
      if (bytes <= kLargeFrameBytes) {
        FROND_TRY(write_frame());
        continue;
      }
      FROND_TRY(take_all());
      const MutexLock alone(shared_.large_frame_);
      FROND_TRY(write_frame());
      FROND_TRY(take_all());
      pipeline::release_unused_memory(shared_.memory_);
    }
    return take_all();
  }

 private:
  Result<void> write_frame() {
    std::vector<BlockGroup> groups = FROND_TRY(cutter_.next());
    for (BlockGroup& group : groups) FROND_TRY(write_group(std::move(group)));
    return {};
  }
  Result<void> write_group(BlockGroup group) {
    while (tasks_.full() || tasks_.ready()) FROND_TRY(take());
    const std::uint64_t bytes = group.held_bytes();
    tasks_.begin(bytes, [this, group = std::move(group)](std::size_t worker) mutable -> Result<PackedGroup> {
      return pack(std::move(group), shared_.compressor(worker, trained_));
    });
    return {};
  }
  Result<void> take() { return add(FROND_TRY(tasks_.take())); }
  Result<void> take_all() {
    while (!tasks_.empty()) FROND_TRY(take());
    return {};
  }
  Result<void> add(const PackedGroup& packed) {
    FROND_TRY(add_group(writer_, packed));
    done_ += packed.documents.size();
    return {};
  }

  StoredFields& shared_;
  partition::PartitionWriter& writer_;
  BlockCutter cutter_;
  const bool trained_;
  std::atomic<std::uint64_t>& done_;
  OrderedTasks<PackedGroup> tasks_;
};

StoredFields::StoredFields(TaskPool& pool, StoredCompression how, const pipeline::FieldSample& sample,
                           const pipeline::WritePlan& memory, std::size_t partitions)
    : pool_(pool),
      how_(how),
      memory_(memory),
      dictionary_(pool, how, sample, partitions),
      compressors_(2 * pool.threads()) {}

partition::BlockCompressor& StoredFields::compressor(std::size_t worker, bool trained) {
  auto& compressor = compressors_[2 * worker + (trained ? 1 : 0)];
  if (!compressor) compressor = dictionary_.compressor(trained);
  return *compressor;
}

Result<void> StoredFields::write(partition::PartitionWriter& writer, const std::filesystem::path& spool,
                                 std::uint64_t field_bytes, std::atomic<std::uint64_t>& done,
                                 const std::stop_token& stop) {
  const ByteBuffer* const dictionary = FROND_TRY(dictionary_.bytes());
  const bool trained = !dictionary->empty() && field_bytes >= partition::kMinTrainedBytes;
  if (trained) writer.set_dictionary(*dictionary);
  return Stream(*this, writer, FROND_TRY(runs::SpoolReader::open(spool)), trained, done).write(stop);
}

}  // namespace frond::indexer::publish
