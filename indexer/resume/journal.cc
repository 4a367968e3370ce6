#include "indexer/resume/journal.h"

#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "common/files/read.h"
#include "common/repository/manifest.h"

namespace frond::indexer::resume {
namespace {

constexpr std::uint32_t kMagic = 0x4e524a46;  // "FJRN"
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeaderBytes = 24;  // magic, version, bytes of payload, XXH3-64 of it
constexpr std::size_t kMaxDigest = 64;

void put_tally(ByteWriter& out, const ingest::Tally& tally) {
  out.put_varint(tally.count);
  out.put_varint(tally.examples.size());
  for (const std::string& example : tally.examples) out.put_text(example);
}

// The reasons that occurred.
void put_skipped(ByteWriter& out, const ingest::Skipped& skipped) {
  const auto tallies = skipped.by_reason();
  const auto occurred = [](const ingest::Tally& tally) { return tally.count > 0; };
  out.put_varint(static_cast<std::uint64_t>(std::count_if(tallies.begin(), tallies.end(), occurred)));
  for (std::size_t reason = 0; reason < tallies.size(); ++reason) {
    if (!occurred(tallies[reason])) continue;
    out.put_varint(reason);
    put_tally(out, tallies[reason]);
  }
}

void put_input(ByteWriter& out, const ingest::InputSummary& input) {
  out.put_varint(input.files);
  out.put_varint(input.bytes);
  out.put_text(input.xxh3);
}

void put_identity(ByteWriter& out, const BuildIdentity& identity) {
  out.put_text(identity.program);
  out.put_varint(identity.options.size());
  for (const auto& [flag, value] : identity.options) {
    out.put_text(flag);
    out.put_text(value);
  }
  put_input(out, identity.input);
}

void put_position(ByteWriter& out, const ingest::ReadPosition& at) {
  for (const std::uint64_t number : {at.files, at.cuts, at.offset, at.plain_before, at.stored_before})
    out.put_varint(number);
}

void put_counts(ByteWriter& out, const pipeline::InvertedDocuments& all) {
  out.put_varint(all.files_read.size());
  for (const std::uint64_t files : all.files_read) out.put_varint(files);
  put_skipped(out, all.skipped);
  put_skipped(out, all.skipped_records);
  put_tally(out, all.titles_cut);
  put_tally(out, all.urls_dropped);
  put_tally(out, all.not_utf8);
  out.put_text(all.order);
  out.put_text(all.last_bad);
  put_input(out, all.input);
  for (const std::uint64_t number :
       {all.documents, all.tokens, all.bytes, all.bad_records, all.duplicates, all.runs, all.run_bytes})
    out.put_varint(number);
  out.put_varint(all.sample.stride());
  out.put_varint(all.sample.sizes().size());
  for (const std::size_t size : all.sample.sizes()) out.put_varint(size);
  out.put_text(as_text(all.sample.bytes()));
}

void put_parts(ByteWriter& out, const Journal& journal) {
  const auto& parts = journal.checkpoint.so_far.partitions;
  out.put_varint(parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    out.put_text(parts[p].spool.filename().string());
    out.put_varint(parts[p].spool_bytes);
    out.put_varint(parts[p].runs.size());
    for (std::size_t i = 0; i < parts[p].runs.size(); ++i) {
      out.put_text(parts[p].runs[i].filename().string());
      out.put_varint(journal.run_bytes[p][i]);
    }
  }
}

void put_finished(ByteWriter& out, const FinishedPartition& finished) {
  const partition::PartitionSummary& s = finished.summary;
  out.put_varint(finished.number);
  out.put_text(finished.id);
  for (const std::uint64_t number : {s.documents, s.tokens, s.terms, s.postings, s.docid_bytes, s.frequency_bytes,
                                     s.index_bytes, s.bound_bytes, s.header_bytes})
    out.put_varint(number);
  out.put(s.built_average_length);
  out.put_varint(s.files.size());
  for (const auto& file : s.files) {
    out.put_text(file.name);
    out.put_varint(file.bytes);
    out.put_text(file.xxh3);
  }
}

// Reads the payload. The first thing that is wrong is kept, and nothing after it has a meaning.
class Decoder {
 public:
  Decoder(ByteView payload, const std::filesystem::path& folder) : in_(payload), folder_(folder) {}

  Result<Journal> read() {
    Journal journal;
    journal.identity = identity();
    const std::uint64_t session = number();
    expect(session < 1u << 30, "its session");
    journal.session = static_cast<std::uint32_t>(session);
    const std::uint64_t stage = number();
    expect(stage <= static_cast<std::uint64_t>(Stage::kOrdered), "its stage");
    journal.stage = static_cast<Stage>(stage);
    ingest::ReadPosition& at = journal.checkpoint.position;
    for (std::uint64_t* const value : {&at.files, &at.cuts, &at.offset, &at.plain_before, &at.stored_before})
      *value = number();
    read_counts(journal.checkpoint.so_far);
    at.files_read = journal.checkpoint.so_far.files_read;
    at.skipped = journal.checkpoint.so_far.skipped;
    at.skipped_records = journal.checkpoint.so_far.skipped_records;
    read_parts(journal);
    journal.checkpoint.ids_xxh3 = digest();
    for (std::uint64_t left = count(); ok() && left > 0; --left) journal.finished.push_back(finished(journal));
    expect(journal.finished.empty() || journal.stage != Stage::kInverting, "a finished partition");
    expect(in_.at_end(), "its length");
    if (!ok()) return Error(Code::kCorrupt, wrong_ + " is impossible");
    return journal;
  }

 private:
  bool ok() const { return wrong_.empty() && in_.ok(); }
  void expect(bool holds, const char* what) {
    if (wrong_.empty() && (!holds || !in_.ok())) wrong_ = what;
  }
  std::uint64_t number() {
    constexpr std::uint64_t kMaxNumber = std::uint64_t{1} << 62;
    const std::uint64_t value = in_.get_varint();
    expect(value <= kMaxNumber, "a number");
    return ok() ? value : 0;
  }
  // Of things that take a byte each at least.
  std::uint64_t count() {
    const std::uint64_t value = number();
    expect(value <= in_.left(), "a count");
    return ok() ? value : 0;
  }
  std::string text() {
    const std::string_view found = in_.get_text();
    expect(true, "a text");
    return std::string(found);
  }
  std::string digest() {
    std::string found = text();
    expect(found.size() <= kMaxDigest, "a checksum");
    return found;
  }
  std::string safe_name() {
    std::string found = text();
    expect(repository::is_safe_name(found), "a file's name");
    return found;
  }
  ingest::InputSummary input() {
    ingest::InputSummary found;
    found.files = number();
    found.bytes = number();
    found.xxh3 = digest();
    return found;
  }
  BuildIdentity identity() {
    BuildIdentity found;
    found.program = text();
    for (std::uint64_t left = count(); ok() && left > 0; --left) {
      std::string flag = text();
      found.options.emplace_back(std::move(flag), text());
    }
    found.input = input();
    return found;
  }
  ingest::Tally tally() {
    ingest::Tally found;
    found.count = number();
    const std::uint64_t examples = count();
    expect(examples <= ingest::Tally::kMaxExamples, "a number of examples");
    for (std::uint64_t i = 0; ok() && i < examples; ++i) found.examples.push_back(text());
    return found;
  }
  ingest::Skipped skipped() {
    ingest::Skipped found;
    for (std::uint64_t left = count(); ok() && left > 0; --left) {
      const std::uint64_t reason = number();
      expect(reason < ingest::kSkipReasons, "a reason to skip a file");
      ingest::Tally its = tally();
      expect(its.count > 0, "a number of files");
      if (ok()) found.set(static_cast<ingest::SkipReason>(reason), std::move(its));
    }
    return found;
  }
  void read_counts(pipeline::InvertedDocuments& all) {
    for (std::uint64_t left = count(); ok() && left > 0; --left) all.files_read.push_back(number());
    all.skipped = skipped();
    all.skipped_records = skipped();
    all.titles_cut = tally();
    all.urls_dropped = tally();
    all.not_utf8 = tally();
    all.order = text();
    expect(all.order.empty() || repository::is_safe_name(all.order), "its order of documents");
    all.last_bad = text();
    all.input = input();
    for (std::uint64_t* const value :
         {&all.documents, &all.tokens, &all.bytes, &all.bad_records, &all.duplicates, &all.runs, &all.run_bytes})
      *value = number();
    const std::uint64_t stride = number();
    std::vector<std::size_t> sizes;
    for (std::uint64_t left = count(); ok() && left > 0; --left) sizes.push_back(number());
    const ByteView bytes = as_bytes(in_.get_text());
    auto sample = pipeline::FieldSample::of(stride, ByteBuffer(bytes.begin(), bytes.end()), std::move(sizes));
    expect(sample.has_value(), "its sample of stored fields");
    if (ok()) all.sample = *std::move(sample);
  }
  void read_parts(Journal& journal) {
    auto& parts = journal.checkpoint.so_far.partitions;
    for (std::uint64_t left = count(); ok() && left > 0; --left) {
      pipeline::InvertedDocuments::Part& part = parts.emplace_back();
      std::vector<std::uint64_t>& bytes = journal.run_bytes.emplace_back();
      part.spool = folder_ / safe_name();
      part.spool_bytes = number();
      for (std::uint64_t runs = count(); ok() && runs > 0; --runs) {
        part.runs.push_back(folder_ / safe_name());
        bytes.push_back(number());
      }
    }
    expect(!parts.empty(), "its number of partitions");
  }
  FinishedPartition finished(const Journal& journal) {
    FinishedPartition found;
    const std::uint64_t partition = number();
    expect(partition < 1u << 16, "a partition's number");
    found.number = static_cast<std::uint32_t>(partition);
    expect(found.number < journal.checkpoint.so_far.partitions.size() && !journal.is_finished(found.number),
           "a partition's number");
    found.id = safe_name();
    partition::PartitionSummary& s = found.summary;
    for (std::uint64_t* const value : {&s.documents, &s.tokens, &s.terms, &s.postings, &s.docid_bytes,
                                       &s.frequency_bytes, &s.index_bytes, &s.bound_bytes, &s.header_bytes})
      *value = number();
    s.built_average_length = in_.get<double>();
    for (std::uint64_t left = count(); ok() && left > 0; --left) {
      partition::PartitionFile& file = s.files.emplace_back();
      file.name = safe_name();
      file.bytes = number();
      file.xxh3 = digest();
    }
    return found;
  }

  ByteReader in_;
  const std::filesystem::path& folder_;
  std::string wrong_;
};

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
  ByteWriter out(bytes);
  put_identity(out, journal.identity);
  out.put_varint(journal.session);
  out.put_varint(static_cast<std::uint64_t>(journal.stage));
  put_position(out, journal.checkpoint.position);
  put_counts(out, journal.checkpoint.so_far);
  put_parts(out, journal);
  out.put_text(journal.checkpoint.ids_xxh3);
  out.put_varint(journal.finished.size());
  for (const FinishedPartition& finished : journal.finished) put_finished(out, finished);
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
  return Decoder(payload, folder).read();
}

Result<Journal> load_journal(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kJournalName;
  const std::string bytes = FROND_TRY(files::read_text(path, kMaxJournalBytes));
  auto journal = decode(as_bytes(bytes), folder);
  if (!journal) return std::move(journal).error().within(path.string());
  return journal;
}

}  // namespace frond::indexer::resume
