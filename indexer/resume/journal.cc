#include "indexer/resume/journal.h"

#include <xxhash.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <system_error>
#include <utility>

#include "common/base/threads/thread_name.h"
#include "common/files/read.h"
#include "common/files/write.h"
#include "common/repository/manifest.h"

namespace frond::indexer::resume {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kMagic = 0x4e524a46;  // "FJRN"
constexpr std::uint32_t kVersion = 3;
constexpr std::size_t kHeaderBytes = 24;  // magic, version, bytes of payload, XXH3-64 of it
constexpr std::size_t kMaxDigest = 64;

// Both have the same methods, so that code_journal() names the fields of a journal once, for writing and reading.
class Encoder {
 public:
  static constexpr bool kReads = false;
  explicit Encoder(ByteBuffer& out) : out_(out) {}
  void number(std::uint64_t value) { out_.put_varint(value); }
  void real(double value) { out_.put(value); }
  void text(std::string_view value) { out_.put_text(value); }
  void digest(std::string_view value) { out_.put_text(value); }
  void name(std::string_view value) { out_.put_text(value); }
  void path(const fs::path& value) { out_.put_text(value.filename().string()); }
  template <class Items, class Each>
  void list(const Items& items, const Each& each) {
    number(items.size());
    for (const auto& item : items) each(item);
  }
  void expect(bool, const char*) {}
  bool ok() const { return true; }

 private:
  ByteWriter out_;
};

// The first thing that is wrong is kept, and nothing after it has a meaning.
class Decoder {
 public:
  static constexpr bool kReads = true;
  Decoder(ByteView payload, const fs::path& folder) : in_(payload), folder_(folder) {}

  template <class Number>
  void number(Number& value) {
    constexpr std::uint64_t kMaxNumber = std::uint64_t{1} << 62;
    const std::uint64_t read = in_.get_varint();
    expect(read <= std::min<std::uint64_t>(kMaxNumber, std::numeric_limits<Number>::max()), "a number");
    value = ok() ? static_cast<Number>(read) : 0;
  }
  void real(double& value) { value = in_.get<double>(); }
  void text(std::string& value) {
    value = in_.get_text();
    expect(true, "a text");
  }
  void digest(std::string& value) {
    text(value);
    expect(value.size() <= kMaxDigest, "a checksum");
  }
  void name(std::string& value) {
    text(value);
    expect(repository::is_safe_name(value), "a file's name");
  }
  void path(fs::path& value) {
    std::string name_in_folder;
    name(name_in_folder);
    value = folder_ / name_in_folder;
  }
  // Of things that take a byte each at least.
  template <class Items, class Each>
  void list(Items& items, const Each& each) {
    std::uint64_t left = 0;
    number(left);
    expect(left <= in_.left(), "a count");
    for (; ok() && left > 0; --left) each(items.emplace_back());
  }
  void expect(bool holds, const char* what) {
    if (wrong_.empty() && (!holds || !in_.ok())) wrong_ = what;
  }
  bool ok() const { return wrong_.empty() && in_.ok(); }
  Result<Journal> outcome(Journal journal) {
    expect(in_.at_end(), "its length");
    if (!ok()) return Error(Code::kCorrupt, wrong_ + " is impossible");
    return journal;
  }

 private:
  ByteReader in_;
  const fs::path& folder_;
  std::string wrong_;
};

// `coder` is one of the two, and what is coded is const for the first.
void code_input(auto& coder, auto& input) {
  coder.number(input.files);
  coder.number(input.bytes);
  coder.digest(input.xxh3);
}

void code_tally(auto& coder, auto& tally) {
  coder.number(tally.count);
  coder.list(tally.examples, [&](auto& example) { coder.text(example); });
  coder.expect(tally.examples.size() <= ingest::Tally::kMaxExamples, "a number of examples");
}

// The reasons that occurred.
void code_skipped(auto& coder, auto& skipped) {
  std::vector<std::pair<std::uint64_t, ingest::Tally>> occurred;  // none yet, where it is read
  const auto tallies = skipped.by_reason();
  for (std::size_t reason = 0; reason < tallies.size(); ++reason)
    if (tallies[reason].count > 0) occurred.emplace_back(reason, tallies[reason]);
  coder.list(occurred, [&](auto& one) {
    coder.number(one.first);
    coder.expect(one.first < ingest::kSkipReasons, "a reason to skip a file");
    code_tally(coder, one.second);
    coder.expect(one.second.count > 0, "a number of files");
  });
  if constexpr (std::decay_t<decltype(coder)>::kReads)
    for (auto& [reason, tally] : occurred)
      if (coder.ok()) skipped.set(static_cast<ingest::SkipReason>(reason), std::move(tally));
}

void code_counts(auto& coder, auto& all) {
  coder.list(all.files_read, [&](auto& files) { coder.number(files); });
  code_skipped(coder, all.skipped);
  code_skipped(coder, all.skipped_records);
  for (auto* const tally : {&all.titles_cut, &all.urls_dropped, &all.not_utf8, &all.values_left_out, &all.impacts_cut})
    code_tally(coder, *tally);
  coder.text(all.order);
  coder.expect(all.order.empty() || repository::is_safe_name(all.order), "its order of documents");
  coder.text(all.last_bad);
  code_input(coder, all.input);
  for (auto* const value :
       {&all.documents, &all.tokens, &all.bytes, &all.bad_records, &all.duplicates, &all.runs, &all.run_bytes})
    coder.number(*value);
  if constexpr (std::decay_t<decltype(coder)>::kReads) {
    std::uint64_t stride = 0;
    std::vector<std::size_t> sizes;
    std::string bytes;
    coder.number(stride);
    coder.list(sizes, [&](std::size_t& size) { coder.number(size); });
    coder.text(bytes);
    const ByteView view = as_bytes(bytes);
    auto sample = pipeline::FieldSample::of(stride, ByteBuffer(view.begin(), view.end()), std::move(sizes));
    coder.expect(sample.has_value(), "its sample of stored fields");
    if (coder.ok()) all.sample = *std::move(sample);
  } else {
    coder.number(all.sample.stride());
    coder.list(all.sample.sizes(), [&](std::size_t size) { coder.number(size); });
    coder.text(as_text(all.sample.bytes()));
  }
}

void code_parts(auto& coder, auto& journal) {
  auto& parts = journal.checkpoint.so_far.partitions;
  coder.list(parts, [&](auto& part) {
    const auto p = static_cast<std::size_t>(&part - parts.data());
    if constexpr (std::decay_t<decltype(coder)>::kReads) journal.run_bytes.emplace_back();
    coder.path(part.spool);
    coder.number(part.spool_bytes);
    coder.list(part.runs, [&](auto& run) {
      const auto i = static_cast<std::size_t>(&run - part.runs.data());
      if constexpr (std::decay_t<decltype(coder)>::kReads) journal.run_bytes[p].emplace_back();
      coder.path(run);
      coder.number(journal.run_bytes[p][i]);
    });
  });
  coder.expect(!parts.empty(), "its number of partitions");
}

void code_finished(auto& coder, auto& finished, bool has_schema) {
  coder.number(finished.number);
  coder.expect(finished.number < 1u << 16, "a partition's number");
  coder.name(finished.id);
  auto& s = finished.summary;
  for (auto* const value : {&s.documents, &s.tokens, &s.terms, &s.postings, &s.docid_bytes, &s.frequency_bytes,
                            &s.index_bytes, &s.bound_bytes, &s.header_bytes})
    coder.number(*value);
  coder.real(s.built_average_length);
  if (has_schema) coder.list(s.field_tokens, [&](auto& tokens) { coder.number(tokens); });
  coder.list(s.files, [&](auto& file) {
    coder.name(file.name);
    coder.number(file.bytes);
    coder.digest(file.xxh3);
  });
}

void code_journal(auto& coder, auto& journal) {
  coder.text(journal.identity.program);
  coder.list(journal.identity.options, [&](auto& option) {
    coder.text(option.first);
    coder.text(option.second);
  });
  code_input(coder, journal.identity.input);
  coder.number(journal.session);
  coder.expect(journal.session < 1u << 30, "its session");
  auto stage = static_cast<std::uint64_t>(journal.stage);
  coder.number(stage);
  coder.expect(stage <= static_cast<std::uint64_t>(Stage::kOrdered), "its stage");
  auto& at = journal.checkpoint.position;
  auto& so_far = journal.checkpoint.so_far;
  for (auto* const value : {&at.files, &at.cuts, &at.offset, &at.plain_before, &at.stored_before}) coder.number(*value);
  code_counts(coder, so_far);
  code_parts(coder, journal);
  coder.digest(journal.checkpoint.ids_xxh3);
  const bool has_schema = std::ranges::any_of(journal.identity.options, [](const auto& option) {
    return option.first == "--schema";  // only builds that have one have this option (deciding_options())
  });
  coder.list(journal.finished, [&](auto& finished) {
    code_finished(coder, finished, has_schema);
    const auto same = [&](const FinishedPartition& other) { return other.number == finished.number; };
    coder.expect(finished.number < so_far.partitions.size() && std::ranges::count_if(journal.finished, same) == 1,
                 "a partition's number");
  });
  if constexpr (std::decay_t<decltype(coder)>::kReads) {
    journal.stage = static_cast<Stage>(stage);
    at.files_read = so_far.files_read;
    at.skipped = so_far.skipped;
    at.skipped_records = so_far.skipped_records;
    coder.expect(journal.finished.empty() || journal.stage != Stage::kInverting, "a finished partition");
  }
}

}  // namespace

std::string_view name_of(Stage stage) {
  constexpr std::string_view kNames[] = {"inverting", "inverted", "ordered"};
  return kNames[static_cast<std::size_t>(stage)];
}

bool Journal::is_finished(std::uint32_t partition) const {
  return std::any_of(finished.begin(), finished.end(),
                     [&](const FinishedPartition& other) { return other.number == partition; });
}

ByteBuffer encode(const Journal& journal) {
  ByteBuffer bytes(kHeaderBytes);
  Encoder out(bytes);
  code_journal(out, journal);
  const ByteView payload = ByteView(bytes).subspan(kHeaderBytes);
  store_le(bytes.data(), kMagic);
  store_le(bytes.data() + 4, kVersion);
  store_le(bytes.data() + 8, std::uint64_t{payload.size()});
  store_le(bytes.data() + 16, std::uint64_t{XXH3_64bits(payload.data(), payload.size())});
  return bytes;
}

Result<Journal> decode(ByteView bytes, const std::filesystem::path& folder) {
  const auto corrupt = [](std::string what) { return Error(Code::kCorrupt, std::move(what)); };
  if (bytes.size() < kHeaderBytes || load_le<std::uint32_t>(bytes.data()) != kMagic)
    return corrupt("not a build's journal");
  if (const auto version = load_le<std::uint32_t>(bytes.data() + 4); version != kVersion)
    return corrupt("version " + std::to_string(version) + " of the journal is unknown");
  const ByteView payload = bytes.subspan(kHeaderBytes);
  if (load_le<std::uint64_t>(bytes.data() + 8) != payload.size()) return corrupt("the journal is cut short");
  if (load_le<std::uint64_t>(bytes.data() + 16) != XXH3_64bits(payload.data(), payload.size()))
    return corrupt("the journal's checksum is wrong");
  Journal journal;
  Decoder in(payload, folder);
  code_journal(in, journal);
  return in.outcome(std::move(journal));
}

Result<Journal> load_journal(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kJournalName;
  const std::string bytes = FROND_TRY(files::read_text(path, kMaxJournalBytes));
  auto journal = decode(as_bytes(bytes), folder);
  if (!journal) return std::move(journal).error().within(path.string());
  return journal;
}

JournalWriter::JournalWriter(fs::path folder, Journal journal, bool written)
    : folder_(std::move(folder)), journal_(std::move(journal)), written_(written) {}

JournalWriter::~JournalWriter() {
  if (pending_.valid()) pending_.wait();
}

Result<void> JournalWriter::checkpoint(pipeline::Checkpoint made) {
  FROND_TRY(wait());
  {
    const MutexLock lock(mutex_);
    journal_.checkpoint = std::move(made);
  }
  pending_ = std::async(std::launch::async, [this]() -> Result<void> {
    name_this_thread("journal");
    try {
      const MutexLock lock(mutex_);
      return write();
    } catch (const std::exception& thrown) {
      return Error(Code::kUnavailable, std::string("writing the journal: ") + thrown.what());
    }
  });
  return {};
}

Result<void> JournalWriter::wait() { return pending_.valid() ? pending_.get() : Result<void>(); }

Result<void> JournalWriter::end_stage(Stage stage, const pipeline::InvertedDocuments& documents) {
  FROND_TRY(wait());
  const MutexLock lock(mutex_);
  journal_.stage = stage;
  journal_.checkpoint.so_far = documents;
  journal_.finished.clear();
  return write();
}

Result<void> JournalWriter::finish(FinishedPartition partition) {
  const MutexLock lock(mutex_);
  FROND_TRY(files::sync(folder_ / partition.id));  // its files were synced when they were finished
  journal_.finished.push_back(std::move(partition));
  return write();
}

bool JournalWriter::written() const {
  const MutexLock lock(mutex_);
  return written_;
}

Result<void> JournalWriter::sync_once(const fs::path& file) {
  if (synced_.contains(file)) return {};
  FROND_TRY(files::sync(file));
  synced_.insert(file);
  return {};
}

Result<void> JournalWriter::write() {
  const auto& parts = journal_.checkpoint.so_far.partitions;
  journal_.run_bytes.assign(parts.size(), {});
  for (std::uint32_t p = 0; p < parts.size(); ++p) {
    if (journal_.is_finished(p)) continue;  // its runs and its spool may be gone; their sizes do not matter any more
    for (const fs::path& run : parts[p].runs) {
      FROND_TRY(sync_once(run));
      std::error_code failed;
      journal_.run_bytes[p].push_back(fs::file_size(run, failed));
      if (failed) return Error(Code::kUnavailable, run.string() + ": " + failed.message());
    }
    if (journal_.stage == Stage::kInverting)
      FROND_TRY(files::sync(parts[p].spool));
    else
      FROND_TRY(sync_once(parts[p].spool));
  }
  for (std::uint32_t p = 0; p < parts.size(); ++p) journal_.run_bytes[p].resize(parts[p].runs.size());
  if (journal_.stage == Stage::kInverting) FROND_TRY(files::sync(folder_ / pipeline::kIdsName));
  FROND_TRY(files::sync(folder_));
  FROND_TRY(files::replace_file(folder_ / kJournalName, as_text(encode(journal_))));
  written_ = true;
  return {};
}

}  // namespace frond::indexer::resume
