#include "indexer/publish/partition_lists.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/base/check.h"
#include "indexer/pipeline/memory.h"
#include "indexer/publish/split_postings.h"

namespace frond::indexer::publish {
namespace {

constexpr char kTermsFile[] = "terms.sst";
constexpr std::size_t kMergedAhead = 4 * kPostingGroupBytes;  // bytes of postings that wait for packers
constexpr std::size_t kCodedAhead = 4 * kMergedAhead;         // the same of coded lists, which are borrowed

// A device is idle for most of the time where slices are small: one thread block codes a segment of a list, and takes
// as long for it alone. On the host, a list of a coded slice takes up to 128 bytes, a posting about 2 in it;
// plan_writing_at_once() has 40 for each posting of a slice for each packer. So a slice has as many lists as a quarter
// of the packers have postings, and more postings.
constexpr std::size_t kMostSlices = 8, kPostingsOfAList = 8;
runs::SliceLimits encoded_slice(const pipeline::WritePlan& plan) {
  const std::size_t lists = pipeline::kSlicePostings * std::clamp<std::size_t>(plan.packers / 4, 1, kMostSlices);
  return {lists * kPostingsOfAList, lists};
}

template <class Queue>
std::vector<std::unique_ptr<Queue>> queues(std::size_t partitions, std::size_t bytes) {
  std::vector<std::unique_ptr<Queue>> made;
  for (std::size_t p = 0; p < partitions; ++p) made.push_back(std::make_unique<Queue>(bytes));
  return made;
}

}  // namespace

Result<void> ListSupply::prepare(const std::vector<pipeline::InvertedDocuments::Part>& parts,
                                 const std::filesystem::path& folder) {
  const pipeline::UnspilledPostings* const unspilled = options_.unspilled;
  const bool writes_all =
      std::none_of(options_.written.begin(), options_.written.end(), [](const auto& one) { return one.has_value(); });
  terms_file_ = folder / kTermsFile;
  if (options_.writes_terms && options_.memory.has_terms && writes_all) {
    if (unspilled != nullptr || parts.size() == 1)
      terms_ = FROND_TRY(TermsWriter::create(terms_file_, options_.memory.packers));
    else
      partition_terms_ = std::make_unique<PartitionTerms>(parts.size(), options_.memory.kept_terms_bytes);
  }
  if (unspilled == nullptr) return {};
  FROND_CHECK(options_.memory.at_once == parts.size());
  if (unspilled->on_device && can_be_encoded(options_.codecs)) {
    coding_ = {{}, options_.b, options_.average_length};
    FROND_TRY(read_contents(parts));
    for (const runs::SpoolContents& of : contents_) coding_.lengths.emplace_back(of.lengths);
    if (unspilled->on_device->codes(coding_, encoded_slice(options_.memory))) {
      coded_ = queues<EncodedGroups>(parts.size(), kCodedAhead);
      return {};
    }
    contents_.clear();
  }
  split_ = queues<Groups>(parts.size(), kMergedAhead);
  return {};
}

Result<void> ListSupply::read_contents(const std::vector<pipeline::InvertedDocuments::Part>& parts) {
  OrderedTasks<runs::SpoolContents> tasks(pool_, 0);
  for (const auto& part : parts)
    tasks.begin(0, [&part](std::size_t) { return runs::SpoolReader::read_contents(part.spool); });
  while (!tasks.empty()) contents_.push_back(FROND_TRY(tasks.take()));
  return {};
}

Result<void> ListSupply::split_all(std::stop_token stop) {
  Result<void> read;
  if (!coded_.empty()) {
    auto digests = distribute_encoded_lists(*options_.unspilled->on_device, coding_, encoded_slice(options_.memory),
                                            coded_, terms_.get(), stop);
    if (digests) {
      digests_ = *std::move(digests);
      for (const auto& queue : coded_) queue->close();
    } else {
      read = std::move(digests).error();
    }
  } else {
    SplitPostings to(split_, terms_.get(), pool_, options_.memory.postings_a_slice, stop);
    read = options_.unspilled->on_device ? split_slices(*options_.unspilled->on_device, to) : split_in_memory(to);
  }
  add_merge_seconds(pipeline::thread_seconds());
  if (read && terms_) read = terms_->end();
  return read;
}

Result<void> ListSupply::split_in_memory(SplitPostings& to) {
  auto& postings = options_.unspilled->in_memory;
  FROND_TRY(publish::split_in_memory(postings, pool_, to));
  // The memory of each takes its time to give back.
  FirstError error;
  FROND_TRY(in_parallel(pool_, error, postings.size(), pool_.threads(), [&](std::size_t i) -> Result<void> {
    postings[i].reset();
    return {};
  }));
  postings.clear();
  return {};
}

Result<std::optional<TermsFile>> ListSupply::finish_terms() {
  if (partition_terms_) {
    terms_ = FROND_TRY(TermsWriter::create(terms_file_, options_.memory.packers));
    if (!FROND_TRY(partition_terms_->merge(pool_, *terms_))) terms_.reset();
    partition_terms_.reset();
  }
  if (!terms_) return std::optional<TermsFile>();
  return std::optional(FROND_TRY(terms_->finish()));
}

double ListSupply::merge_seconds() const {
  const MutexLock lock(times_);
  return merge_seconds_;
}

void ListSupply::add_merge_seconds(double seconds) {
  const MutexLock lock(times_);
  merge_seconds_ += seconds;
}

PartitionLists::PartitionLists(partition::PartitionWriter& writer, const Of& of, ListSupply& supply, FirstError& error)
    : writer_(writer),
      number_(of.number),
      supply_(supply),
      error_(error),
      deficits_(supply.options_.b, supply.options_.average_length),
      source_{of.runs,
              of.number,
              of.scratch,
              of.lengths,
              supply.options_.codecs,
              supply.options_.b,
              supply.options_.average_length,
              &deficits_,
              &supply.pool_,
              supply.options_.memory.runs_ahead_bytes},
      digests_(supply.coded_.empty() ? of.lengths.size() : 0),
      of_runs_(kMergedAhead),
      built_(kMergedAhead),
      threads_(error) {
  const std::string number = std::to_string(number_);
  if (!supply_.coded_.empty()) {
    threads_.begin("lists-" + number, [this] { return write_encoded(); });
    return;
  }
  if (supply_.split_.empty()) threads_.begin("merge-" + number, [this] { return merge_runs(); });
  threads_.begin("lists-" + number, [this] { return write_postings(); });
  threads_.begin("digests-" + number, [this] { return sum_digests(); });
}

std::vector<std::uint64_t> PartitionLists::take_digests() {
  return supply_.coded_.empty() ? digests_.take() : std::move(supply_.digests_[number_]);
}

// Merges the runs, and gives the postings of groups of terms to the thread that has them built.
Result<void> PartitionLists::merge_runs() {
  const double began = pipeline::thread_seconds();
  PostingMerger merger = FROND_TRY(PostingMerger::open(source_));
  while (std::optional<PostingGroup> next = FROND_TRY(merger.next())) {
    const std::uint64_t bytes = next->bytes;
    if (!of_runs_.push(std::make_shared<const PostingGroup>(*std::move(next)), error_.token(), bytes)) break;
  }
  of_runs_.close();
  supply_.add_merge_seconds(pipeline::thread_seconds() - began);
  return {};
}

// Has tasks make lists of what comes, and writes them in order. begin(tasks, group) begins a task.
template <class Queue, class Begin>
Result<void> PartitionLists::write_lists(Queue& from, const Begin& begin) {
  const std::stop_token stop = error_.token();
  ListJoiner joiner(writer_);
  OrderedTasks<std::vector<BuiltLists>> tasks(supply_.pool_, supply_.options_.memory.ahead_bytes);
  while (!stop.stop_requested()) {
    while (!tasks.full()) {
      auto next = tasks.empty() ? from.pop(stop) : from.try_pop();
      if (!next) break;
      begin(tasks, *std::move(next));
    }
    if (tasks.empty()) break;
    std::vector<BuiltLists> lists = FROND_TRY(tasks.take());
    FROND_TRY(joiner.add(std::move(lists)));
  }
  return {};
}

// The groups go on to the digests.
Result<void> PartitionLists::write_postings() {
  FROND_TRY(write_lists(postings(), [this](auto& tasks, Group group) {
    tasks.begin(group->bytes, [this, group](std::size_t) { return build_lists(source_, *group); });
    (void)built_.push(group, error_.token(), group->bytes);
  }));
  built_.close();
  return {};
}

// Of lists that a device has coded, which has the digests, too.
Result<void> PartitionLists::write_encoded() {
  return write_lists(*supply_.coded_[number_], [this](auto& tasks, EncodedGroup group) {
    tasks.begin(group.bytes, [&slices = *supply_.options_.unspilled->on_device, group](std::size_t) {
      return built_of(slices, group);
    });
  });
}

// A thread of its own adds each document's digest up: packers would wait for each other at documents of many terms.
Result<void> PartitionLists::sum_digests() {
  TermsWriter* const terms = supply_.split_.empty() ? supply_.terms_.get() : nullptr;  // who splits has them
  while (const std::optional<Group> group = built_.pop(error_.token())) {
    add_digests(**group, digests_);
    if (terms != nullptr) FROND_TRY(terms->put(**group));
    if (supply_.partition_terms_) supply_.partition_terms_->put(number_, **group);
  }
  return terms != nullptr ? terms->end() : Result<void>();
}

}  // namespace frond::indexer::publish
