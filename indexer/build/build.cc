#include "indexer/build/build.h"

#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "common/repository/disk_space.h"
#include "common/repository/repository.h"
#include "common/schema/schema_json.h"
#include "indexer/build/publication.h"
#include "indexer/invert/cpu_text_inverter.h"
#include "indexer/order/order_choice.h"
#include "indexer/publish/partition_build.h"
#include "indexer/publish/publication.h"
#include "indexer/publish/share.h"
#include "indexer/resume/build_folder.h"
#include "indexer/runs/document_spool.h"

namespace frond::indexer {
namespace {

// Seconds since the last call.
class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> span = now - last_;
    last_ = now;
    return span.count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Other writers hold LOCK while they begin or publish a build, or prune.
constexpr std::chrono::seconds kPatienceToBegin{30};

std::string what_was_skipped(const pipeline::InvertedDocuments& inverted) {
  std::string text;
  if (inverted.bad_records > 0)
    text += "; " + std::to_string(inverted.bad_records) + " bad records, the last: " + inverted.last_bad;
  if (inverted.duplicates > 0) text += "; " + std::to_string(inverted.duplicates) + " duplicate ids";
  const auto add = [&text](std::string_view what, const ingest::Skipped& skipped) {
    if (skipped.total() == 0) return;
    text.append("; ").append(what).append(" skipped: ").append(to_string(skipped));
    for (std::size_t i = 0; i < ingest::kSkipReasons; ++i) {
      const auto reason = static_cast<ingest::SkipReason>(i);
      if (skipped.by_reason()[i].count > 0)
        text.append("; ").append(name_of(reason)).append(": ").append(meaning_of(reason));
    }
  };
  add("files", inverted.skipped);
  add("records", inverted.skipped_records);
  if (text.empty()) text = "; there are no files";
  return text;
}

bool can_be_read_again(const pipeline::InvertOptions& options) {
  return resume::input_identity(options.inputs, options.read.hidden).has_value();
}

// One try at a build: from the beginning, or from where a killed build left off.
class Build {
 public:
  // from: the first half; null: pipeline::invert_documents().
  Build(const BuildOptions& options, BuildProgress& progress, Logger& logger, std::stop_token stop,
        const InvertStage* from = nullptr)
      : options_(options), progress_(progress), logger_(logger), stop_(std::move(stop)), from_(from) {}

  // resume: whether to go on with a killed build.
  Result<BuildSummary> run(bool resume) {
    FROND_TRY(claim(resume));
    auto built = stages();
    if (!built && (built.error().code() == Code::kUnavailable || built.error().code() == Code::kDevice)) keep();
    return built;
  }
  // Whether an error may come from what a killed build left, so that a build from the beginning is worth trying.
  bool blames_remains(const Error& error) const {
    const bool reads_input = progress_.stage == BuildProgress::Stage::kInvert && progress_.invert.reading;
    return error.code() == Code::kCorrupt && folder_ && folder_->journal() && !reads_input;
  }

 private:
  Result<void> claim(bool resume);
  void keep();
  Result<BuildSummary> stages();
  Result<void> invert();
  Result<void> order();
  Result<std::vector<partition::PartitionSummary>> write(std::vector<std::string>& ids);
  bool is_ordered() const { return options_.order != order::DocumentOrder::kInput; }
  // Another order than the input's is computed over the whole collection, before it is assigned to partitions.
  std::uint32_t inverted_partitions() const { return is_ordered() ? 1 : options_.invert.partitions; }
  resume::Stage last_stage() const { return is_ordered() ? resume::Stage::kOrdered : resume::Stage::kInverted; }
  // Of the killed build; null: there is none, or it did not get so far.
  const resume::Journal* journal_of(resume::Stage stage) const {
    const auto& journal = folder_->journal();
    return journal && journal->stage >= stage ? &*journal : nullptr;
  }
  // Whether the ends of stages are worth recording: the input was as long as what may be lost.
  bool records_stages() const {
    return journal_ && (journal_->written() || summary_.inverted.bytes >= options_.checkpoint_bytes);
  }

  const BuildOptions& options_;
  BuildProgress& progress_;
  Logger& logger_;
  std::stop_token stop_;
  const InvertStage* from_;
  Stopwatch watch_;
  Generation next_generation_ = 0;
  std::unique_ptr<resume::BuildFolder> folder_;
  std::unique_ptr<resume::JournalWriter> journal_;  // null: nothing is recorded
  BuildSummary summary_;
  pipeline::UnspilledPostings unspilled_;    // of the first half, if they fit
  std::optional<publish::TermsFile> terms_;  // if they were written beside the lists
};

Result<void> Build::claim(bool resume) {
  std::optional<resume::BuildIdentity> identity;
  auto input = resume::input_identity(options_.invert.inputs, options_.invert.read.hidden);
  auto program = resume::this_program();
  if (input && program) identity = {*std::move(program), deciding_options(options_), *std::move(input)};
  std::unique_ptr<repository::RepositoryWriter> writer;
  std::filesystem::path folder;
  if (const auto known = options_.objects.memory ? options_.objects.memory->known() : nullptr) {
    next_generation_ = known->generation + 1;  // for names only
    folder = FROND_TRY(repository::local_folder(options_.repository, options_.collection, options_.objects));
  } else {
    writer = FROND_TRY(change::open_writer(options_, stop_, kPatienceToBegin));
    next_generation_ = writer->next_generation();
    folder = writer->folder();
  }
  folder_ = FROND_TRY(resume::BuildFolder::claim(folder, identity, resume, logger_));
  const auto& found = folder_->journal();
  if (found && found->checkpoint.so_far.partitions.size() !=
                   (found->stage == resume::Stage::kOrdered ? options_.invert.partitions : inverted_partitions()))
    return Error(Code::kCorrupt, folder_->path().string() + ": its journal is of another number of partitions");
  if (found && !found->finished.empty() && found->stage != last_stage())
    return Error(Code::kCorrupt, folder_->path().string() + ": its journal names partitions too early");
  if (found)
    logger_.info("going on with a killed build", {{"folder", folder_->path().string()},
                                                  {"stage", std::string(name_of(found->stage))},
                                                  {"documents", std::to_string(found->checkpoint.so_far.documents)},
                                                  {"partitions_finished", std::to_string(found->finished.size())}});
  if (!identity || !options_.resume) return {};
  resume::Journal journal = found ? *found : resume::Journal();
  journal.identity = *std::move(identity);
  if (found) ++journal.session;
  journal_ = std::make_unique<resume::JournalWriter>(folder_->path(), std::move(journal), found.has_value());
  return {};
}

// After an error that may go away.
void Build::keep() {
  if (!journal_) return;
  (void)journal_->wait().has_value();  // the journal of before stays valid
  if (!journal_->written()) return;
  folder_->keep();
  logger_.info("what is done is kept: the same command goes on with it", {{"folder", folder_->path().string()}});
}

Result<void> Build::invert() {
  if (const auto* const done = journal_of(resume::Stage::kInverted)) {
    summary_.inverted = done->checkpoint.so_far;
    summary_.inverted.resumed_documents = summary_.inverted.documents;
    progress_.invert.documents = summary_.inverted.documents;
    progress_.invert.bytes = summary_.inverted.bytes;
    return {};
  }
  pipeline::InvertOptions invert = options_.invert;
  invert.partitions = inverted_partitions();
  if (journal_) {
    invert.checkpoints.every = options_.checkpoint_bytes;
    invert.checkpoints.save = [this](pipeline::Checkpoint made) { return journal_->checkpoint(std::move(made)); };
  }
  if (const auto* const begun = journal_of(resume::Stage::kInverting)) {
    invert.checkpoints.from = &begun->checkpoint;
    invert.checkpoints.session = begun->session + 1;
  }
  if (!is_ordered()) invert.unspilled = &unspilled_;
  summary_.inverted =
      FROND_TRY(from_ ? (*from_)(folder_->path(), invert.partitions)
                      : pipeline::invert_documents(invert, folder_->path(), progress_.invert, logger_, stop_));
  if (is_ordered()) pipeline::release_unused_memory();
  if (summary_.inverted.documents == 0 && !options_.may_be_empty)
    return Error(Code::kInvalid,
                 "the input has no document; nothing is published" + what_was_skipped(summary_.inverted));
  if (const auto& wanted = options_.documents; wanted && summary_.inverted.documents != *wanted)
    return Error(Code::kInvalid, "the input has " + std::to_string(summary_.inverted.documents) +
                                     " documents instead of " + std::to_string(*wanted) +
                                     what_was_skipped(summary_.inverted));
  if (journal_) FROND_TRY(journal_->wait());
  if (records_stages()) FROND_TRY(journal_->end_stage(resume::Stage::kInverted, summary_.inverted));
  return {};
}

Result<void> Build::order() {
  if (!is_ordered() || journal_of(resume::Stage::kOrdered) != nullptr) return {};
  const pipeline::InvertedDocuments::Part before = summary_.inverted.partitions[0];
  const order::OrderOptions how{
      options_.order,
      options_.invert.partitions,
      options_.threads,
      options_.invert.memory.limit,
      order::packs_blocks(options_.codecs),
      {options_.gpu_bisect, options_.reckons_with_gpu, [this](const std::string& said) { logger_.warn(said); }}};
  FROND_TRY(order::order_documents(summary_.inverted, how, folder_->path(), stop_));
  pipeline::release_unused_memory();
  if (records_stages()) FROND_TRY(journal_->end_stage(resume::Stage::kOrdered, summary_.inverted));
  if (summary_.inverted.partitions[0].spool == before.spool) return {};  // nothing had to be done
  std::error_code ignored;                                               // the folder goes as a whole anyway
  for (const auto& run : before.runs) std::filesystem::remove(run, ignored);
  std::filesystem::remove(before.spool, ignored);
  std::filesystem::remove(runs::lengths_path(before.spool), ignored);
  return {};
}

// Writes what is not written yet. Sets `ids`, the folders of all partitions.
Result<std::vector<partition::PartitionSummary>> Build::write(std::vector<std::string>& ids) {
  const std::uint32_t partitions = options_.invert.partitions;
  for (std::uint32_t p = 0; p < partitions; ++p) ids.push_back(publish::new_partition_id(next_generation_, p));
  const std::uint64_t documents = summary_.inverted.documents;
  const std::uint64_t limit = options_.invert.memory.limit;
  publish::PartitionBuildOptions how{
      options_.codecs,
      options_.stored,
      options_.schema,
      options_.bm25.b,
      scoring::CollectionStatistics{options_.beside.documents + summary_.inverted.documents,
                                    options_.beside.tokens + summary_.inverted.tokens}
          .average_length(),
      summary_.inverted.sample,
      unspilled_.empty()
          ? pipeline::plan_writing(limit, partitions, options_.threads, 0, (documents + partitions - 1) / partitions)
          : pipeline::plan_writing_at_once(limit, partitions, options_.threads, unspilled_.bytes, documents),
      options_.disk_reserve,
      unspilled_.empty() ? nullptr : &unspilled_,
      !options_.add,  // what is added is counted otherwise
      std::vector<std::optional<partition::PartitionSummary>>(partitions),
      {}};
  pipeline::release_unused_memory(how.memory);
  if (const auto* const journal = journal_of(last_stage()))
    for (const resume::FinishedPartition& finished : journal->finished) {
      ids[finished.number] = finished.id;
      how.written[finished.number] = finished.summary;
    }
  if (records_stages())
    how.finished = [&](std::uint32_t p, const partition::PartitionSummary& summary) {
      return journal_->finish({p, ids[p], summary});
    };
  auto built = FROND_TRY(publish::build_partitions(summary_.inverted.partitions, ids, folder_->path(), how,
                                                   progress_.documents_written, stop_));
  std::uint64_t written = 0;
  for (const auto& partition : built.summaries) written += partition.documents;
  if (written != summary_.inverted.documents)
    return Error(Code::kCorrupt, std::to_string(summary_.inverted.documents) + " documents were inverted, but " +
                                     std::to_string(written) + " written");
  summary_.merge_seconds = built.merge_seconds;
  terms_ = std::move(built.terms);
  return std::move(built.summaries);
}

Result<BuildSummary> Build::stages() {
  FROND_TRY(repository::expect_room(folder_->path(), 0, options_.disk_reserve, "building"));
  progress_.stage = BuildProgress::Stage::kInvert;
  FROND_TRY(invert());
  summary_.invert_seconds = watch_.lap();
  if (is_ordered()) progress_.stage = BuildProgress::Stage::kOrder;
  FROND_TRY(order());
  summary_.order_seconds = watch_.lap();
  progress_.stage = BuildProgress::Stage::kWrite;
  std::vector<std::string> ids;
  auto summaries = FROND_TRY(write(ids));
  summary_.write_seconds = watch_.lap();
  progress_.stage = BuildProgress::Stage::kPublish;
  const BuiltIndex built{folder_->path(), next_generation_, std::move(ids), std::move(summaries), std::move(terms_)};
  summary_.manifest = FROND_TRY(publish_build(options_, built, summary_, logger_, stop_));
  summary_.publish_seconds = watch_.lap();
  summary_.total_seconds =
      summary_.invert_seconds + summary_.order_seconds + summary_.write_seconds + summary_.publish_seconds;
  progress_.stage = BuildProgress::Stage::kDone;
  return std::move(summary_);
}

}  // namespace

Result<BuildSummary> build(const BuildOptions& options, BuildProgress& progress, Logger& logger, std::stop_token stop) {
  if (options.schema == nullptr && options.invert.parse.coerce)
    return Error(Code::kInvalid, "--coerce needs a schema: without one, documents have no columns");
  if (options.schema != nullptr) {
    if (options.schema->source_stored && !options.invert.parse.store_bodies)
      return Error(Code::kInvalid,
                   "--store-bodies off, but the schema keeps whole sources: give it \"source\": \"none\"");
    if (options.invert.text_inverter != nullptr)
      return Error(Code::kInvalid,
                   "a collection with a schema: the GPU knows no fields of texts; without --gpu-texts "
                   "the cores index it");
    FROND_TRY(expect_own_texts(*options.schema, ingest::names_or_usual(options.invert.parse.names.get())));
  }
  const invert::TextInverterKind& cores = invert::cpu_text_inverter_kind();
  BuildOptions now = options;
  bool resume = options.resume, gpu_failed = false;
  while (true) {
    Build tried(now, progress, logger, stop);
    auto built = tried.run(resume);
    if (built) return built;
    if (built.error().code() == Code::kDevice && now.invert.text_inverter != &cores && can_be_read_again(now.invert)) {
      const bool cores_next = std::exchange(gpu_failed, true);
      logger.warn(cores_next ? "the GPU failed again with postings that nothing else has; cores make them again"
                             : "the GPU failed with postings that nothing else has; it makes them again",
                  {{"reason", built.error().message()}});
      if (cores_next) now.invert.text_inverter = &cores;
    } else if (resume && tried.blames_remains(built.error())) {
      logger.warn("what a killed build left cannot be used; the build begins anew",
                  {{"reason", built.error().message()}});
      resume = false;
    } else if (built.error().code() == Code::kDevice && now.invert.text_inverter != &cores) {
      return std::move(built).error().within(
          "the GPU failed, and the input can't be read again (with --gpu-texts off the cores index it)");
    } else {
      return built;
    }
    progress.invert.reading = false;
    progress.documents_written = 0;
  }
}

Result<BuildSummary> build_from(const InvertStage& invert, BuildOptions options, BuildProgress& progress,
                                Logger& logger, std::stop_token stop) {
  options.resume = false;
  return Build(options, progress, logger, std::move(stop), &invert).run(false);
}

namespace {

// Its kind is compared with what is current when the documents are published.
Result<repository::Manifest> manifest_to_add_to(const BuildOptions& options) {
  const auto source = FROND_TRY(
      repository::RepositorySource::open(options.repository.string(), options.collection, {}, options.objects.access));
  if (const auto known = options.objects.memory ? options.objects.memory->known() : nullptr)
    return source->parse_manifest(known->generation, known->manifest_text);
  const auto number = source->current();
  if (!number && number.error().code() == Code::kNotFound)
    return Error(Code::kNotFound, "collection " + options.collection +
                                      " has no generation to add to: make one with frond-indexer build");
  if (!number) return number.error();
  return source->manifest(*number);
}

}  // namespace

Result<BuildSummary> add(BuildOptions options, BuildProgress& progress, Logger& logger, std::stop_token stop) {
  const repository::Manifest current = FROND_TRY(manifest_to_add_to(options));
  options.add = true;
  options.beside = current.statistics;
  const auto codecs = FROND_TRY(codec::codec_choice_named(current.codec));
  std::shared_ptr<const schema::Schema> schema = options.schema;
  if (!current.schema.empty()) {
    auto of_collection = FROND_TRY(schema::parse_schema(current.schema));
    if (schema != nullptr) {
      auto wider = schema::extended(of_collection, *schema);
      if (!wider) return std::move(wider).error().within("the schema of collection " + options.collection);
      of_collection = *std::move(wider);
    }
    schema = std::make_shared<const schema::Schema>(std::move(of_collection));
  } else if (schema != nullptr) {
    return Error(Code::kInvalid, "collection " + options.collection + " has no schema: build it anew with one");
  }
  options.take({current.analyzer, current.bm25, codecs, current.stored, std::move(schema)});
  return build(options, progress, logger, std::move(stop));
}

Result<BuildSummary> build_share(BuildOptions options, BuildProgress& progress, Logger& logger, std::stop_token stop) {
  const ingest::InputShare share = options.invert.read.share;
  options.repository = publish::share_repository(options.repository, options.collection, share.index, share.count);
  options.invert.partitions = 1;
  options.may_be_empty = true;
  BuildSummary summary = FROND_TRY(build(options, progress, logger, stop));
  const auto writer =
      FROND_TRY(repository::RepositoryWriter::open(options.repository, options.collection, {}, options.objects));
  FROND_TRY(writer->prune(0));
  return summary;
}

}  // namespace frond::indexer
