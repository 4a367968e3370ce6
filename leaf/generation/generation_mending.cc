// Finds files of served generations that are damaged on this disk, and replaces those of the current one.
#include "leaf/generation/generation_follower.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace frond::leaf::generation {
namespace {

constexpr std::size_t kMaxReports = 1024;

// kCorrupt, kUnavailable: a file of the generation has changed on disk since it was opened. Checks the sizes of all.
Result<void> check_files(const ServedGeneration& generation) {
  Result<void> outcome = generation.terms->check_files();
  for (const ServedPartition& one : generation.partitions) {
    auto checked = one.open->partition().check_files();
    if (checked) checked = one.open->intact();
    if (outcome && !checked) outcome = std::move(checked).error().within("partition " + one.open->id());
  }
  return outcome;
}

}  // namespace

// What is read of the partition may be wrong then. What can't be read may be there in a moment, so it only is verified.
// The follower, which may be fetching for hours, is not waited for. Blocks of term statistics and of changes have
// checksums that each read verifies.
void GenerationFollower::damaged(DamagedFile file) {
  const auto number = file.partition_number;
  const Error why = file.why;
  {
    const MutexLock lock(reports_mutex_);
    if (reports_.size() < kMaxReports) reports_.push_back(std::move(file));  // the rest is reported again
  }
  const auto set = board_.get();
  for (const auto& one : *set)
    for (const ServedPartition& partition : one->partitions)
      if (partition.open->number() == number && why.code() == Code::kCorrupt) partition.open->condemn(why);
  thread_.wake();
}

// Believes what was reported of files that are served. False: there was nothing new.
bool GenerationFollower::hear_of_damage() {
  std::vector<DamagedFile> reports;
  {
    const MutexLock lock(reports_mutex_);
    reports.swap(reports_);
  }
  bool is_new = false;
  const auto set = board_.get();
  for (const DamagedFile& file : reports) {
    bool served = file.name == data_.current_manifest().filename();
    for (const auto& one : *set) {
      served = served || file.name == DataFolder::manifest_file(one->id()) ||
               std::ranges::find(one->files, file.name) != one->files.end();
      for (const ServedPartition& partition : one->partitions)
        served = served || partition.open->number() == file.partition_number;
    }
    const std::string& name = file.partition.empty() ? file.name : file.partition;
    Error why = file.why;
    if (!file.partition.empty()) why = std::move(why).within("partition " + file.partition);
    if (!served || !rotten_.emplace(name, why).second) continue;
    is_new = true;
    loader_.distrust(name);
    damage_ = why.message();
    mend_at_ = Instant::min();
    mend_back_off_ = {};
    log_.warn("a file on this disk has changed or is gone: it is fetched anew", {{"partition", file.partition},
                                                                                 {"file", file.name},
                                                                                 {"expected", file.expected},
                                                                                 {"error", file.why.message()}});
  }
  return is_new;
}

// Empty: all is well.
std::string GenerationFollower::damage_of(const ServedGeneration& current) const {
  if (const Result<void> checked = check_files(current); !checked) return checked.error().message();
  std::vector<std::string> names = current.files;
  names.push_back(DataFolder::manifest_file(current.id()));
  names.push_back(data_.current_manifest().filename());
  for (const ServedPartition& one : current.partitions) names.push_back(one.open->id());
  for (const std::string& name : names)
    if (const auto known = rotten_.find(name); known != rotten_.end()) return known->second.message();
  return {};
}

// Replaces files of the current generation that were damaged on disk after they were opened.
void GenerationFollower::mend() {
  const auto set = board_.get();
  if (set->empty()) return;
  for (const auto& one : *set) static_cast<void>(check_files(*one));  // marks truncated files in every generation
  const ServedGeneration& current = *set->back();
  const std::string damage = damage_of(current);
  if (damage.empty()) {
    damage_.clear();
    mend_back_off_ = {};
    return;
  }
  if (damage_.empty()) log_.warn("a file on this disk is damaged: it is fetched anew", {{"error", damage}});
  if (!damage_.starts_with(damage)) {  // another file than at the last attempt
    damage_ = damage;
    mend_at_ = Instant::min();
    mend_back_off_ = {};
  }
  board_.set_detail("generation " + std::to_string(current.generation) + " is damaged on this disk: " + damage_);
  if (clock_.now() < mend_at_) return;
  const Result<std::string> text = manifest_of(current.id());
  const auto manifest = text ? repository::manifest_from_json(*text) : Result<repository::Manifest>(text.error());
  auto loaded = manifest ? loader_.load(*manifest, *set, [this] { return thread_.stopping(); })
                         : Result<std::shared_ptr<const ServedGeneration>>(manifest.error());
  if (loaded) {
    mended_total_.add();
    mend_back_off_ = {};
    rotten_.clear();  // of older generations, too: they are reported once more
    const GenerationId id = (*loaded)->id();
    take(std::move(*loaded));
    return remember(id, *text);
  }
  mend_back_off_ = mend_back_off_.count() == 0 ? options_.poll : std::min(kLongestMendBackOff, mend_back_off_ * 2);
  mend_at_ = clock_.now() + mend_back_off_;
  const std::string told = damage + "; fetching it anew: " + loaded.error().message();
  board_.set_detail("generation " + std::to_string(current.generation) + " is damaged on this disk: " + told);
  if (told == damage_ || thread_.stopping()) return;
  damage_ = told;
  log_.error("a damaged file could not be fetched anew", {{"error", told}});
}

// The manifest of a served generation: a copy in the data folder if one matches, else the repository's. With the local
// copy a partition whose files are intact again needs no repository.
Result<std::string> GenerationFollower::manifest_of(const GenerationId& id) const {
  const auto expect_meant = [&](std::string_view text) -> Result<void> {
    const auto manifest = FROND_TRY(repository::manifest_from_json(text));
    if (GenerationId{manifest.generation, manifest.content} != id || manifest.collection != options_.collection)
      return Error(Code::kNotFound, "the repository has another " + name_of({id.number, 0}));
    return loader_.expect_signed(manifest);
  };
  if (auto kept = data_.remembered(); kept && expect_meant(*kept)) return kept;
  for (std::string& kept : data_.kept_manifests())
    if (expect_meant(kept)) return std::move(kept);
  const std::string text = FROND_TRY(source_.manifest_text(id.number));
  FROND_TRY(expect_meant(text));
  return text;
}

}  // namespace frond::leaf::generation
