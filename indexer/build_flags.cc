// The flags of build and add, and those that commands share.
#include <algorithm>
#include <memory>
#include <string>
#include <thread>

#include "common/config/command_line.h"
#include "common/config/options.h"
#include "common/objects/place.h"
#include "indexer/commands.h"
#include "indexer/ingest/formats.h"

namespace frond::indexer {

std::uint32_t hardware_threads() { return std::max(1u, std::thread::hardware_concurrency()); }

void add_place_flags(config::CommandLine& command, Place& place) {
  add_repository_flags(command, place);
  command.add_option("--collection", place.collection, "Collection: letters, digits, '.', '_', '-'")
      .required()
      .type_name("NAME");
  command
      .add_option("--scratch", place.objects.scratch,
                  "Local folder for what is built before it goes to an s3:// repository, which needs it")
      .type_name("DIR")
      .group("Object storage");
}

void add_repository_flags(config::CommandLine& command, Place& place) {
  command.add_option("--repository", place.repository, "The repository: a directory or s3://bucket[/prefix]")
      .required()
      .type_name("PLACE");
  place.objects.access.counts = std::make_shared<objects::Counts>();
  command.add_option("--tls-ca", place.objects.access.tls_ca,
                     "PEM file of the authorities to believe of an https object store; default: the system's");
  config::add_object_flags(command, place.objects.access);
  command
      .add_option("--s3-lease-seconds", place.lease_s,
                  "A writer of an s3:// repository that was silent for so long is taken for dead; the same for "
                  "all writers of a repository")
      .check(config::range(3, 3600))
      .show_default();
  command
      .add_option("--s3-leftover-hours", place.leftover_hours,
                  "How old objects must be that no published generation names before they are removed")
      .check(config::range(1, 8760))
      .show_default();
}

Result<void> settle_place(Place& place, std::string_view scratch_flag) {
  place.objects.access.lease = std::chrono::seconds(place.lease_s);
  place.objects.access.leftover_age = std::chrono::hours(place.leftover_hours);
  if (!objects::is_object_place(place.repository.string())) {
    // Also what was to be a URL: s3:/bucket.
    const std::string text = place.repository.string();
    const auto colon = text.find(':');
    const bool scheme = colon != text.npos && colon > 0 && text.find('/') == colon + 1;
    if (!scheme && !text.starts_with("s3:")) return {};
    return Error(Code::kInvalid, "--repository: a directory or s3://bucket[/prefix] is needed");
  }
  auto parsed = objects::parse_place(place.repository.string(), place.objects.access);
  if (!parsed) return std::move(parsed).error().within("--repository");
  if (place.objects.scratch.empty() && !scratch_flag.empty())
    return Error(Code::kInvalid, std::string(scratch_flag) + " is needed with an s3:// repository");
  return {};
}

Result<void> expect_collection(const Place& place) {
  std::error_code failed;
  const std::string root = place.repository.string();
  if (objects::is_object_place(root)) return {};
  if (!std::filesystem::is_directory(root, failed))
    return Error(Code::kInvalid, "--repository: nothing is published of collection " + place.collection + ": " + root +
                                     (std::filesystem::exists(root, failed) ? " is no folder" : " does not exist"));
  if (repository::is_safe_name(place.collection) &&
      !std::filesystem::is_directory(place.repository / place.collection, failed))
    return Error(Code::kInvalid, "--collection: nothing is published of collection " + place.collection + " in " +
                                     root + ", which has: " + repository::collections_in(root) + ". Since collection " +
                                     place.collection + " has no generation, begin with frond-indexer build");
  return {};
}

void add_disk_reserve_flag(config::CommandLine& command, std::uint64_t& bytes) {
  command
      .add_option("--disk-reserve", bytes,
                  "Free space that has to stay on the repository's disk: what would take it is not begun")
      .transform(config::byte_size())
      .show_default("64MiB");
}

BuildCommand::BuildCommand(config::CommandLine& app, Kind kind)
    : kind_(kind),
      command_(kind == Kind::kBuild
                   ? app.add_command("build",
                                     "Indexes documents and publishes them as a new generation, which replaces "
                                     "the current one")
                   : app.add_command("add",
                                     "Indexes documents and publishes them with those of the current generation; "
                                     "documents that have their ids are replaced")),
      format_(ingest::kAutoFormat),
      codec_(codec::kDefaultCodec),
      order_(name_of(order::DocumentOrder::kInput)),
      parsers_(std::min(256u, hardware_threads())),
      cpu_inverters_(std::clamp(hardware_threads() / 3, 1u, 256u)),
      cpu_dictionary_(invert::kUsualCpuDictionary),
      stored_compression_(name_of(partition::StoredCompression::kSmall)),
      k1_(kNewCollectionBm25.k1),
      b_(kNewCollectionBm25.b) {
  add_place_flags(command_, place_);
  add_input_flags();
  partitions_flag_ = &command_.add_option("--partitions", partitions_, "Partitions that documents are dealt to")
                          .check(config::range(1, 256))
                          .show_default()
                          .group("Resources");
  if (kind == Kind::kBuild) add_share_flags();
  add_thread_flags();
  add_gpu_flags();
  command_
      .add_option("--memory-limit", memory_limit_,
                  "Resident memory of the build, at least 128MiB; what does not fit "
                  "goes to disk below the repository")
      .transform(config::byte_size())
      .show_default("1GiB")
      .group("Resources");
  add_disk_reserve_flag(command_, disk_reserve_);
  if (kind == Kind::kBuild) add_collection_flags();
  command_
      .add_option("--order", order_,
                  "Order of the documents, which decides how small lists become and which of equally good "
                  "hits comes first: " +
                      std::string(order::kOrderNames))
      .show_default();
  command_
      .add_option("--store-bodies", store_bodies_,
                  "off: bodies are indexed, not stored: hits come with id, title and URL, without a snippet; on|off")
      .check(config::one_of({"on", "off"}))
      .show_default();
  command_
      .add_option("--unreadable-files", unreadable_files_,
                  "What the build does at a file that can't be opened or read, or a folder that can't be listed: fail, "
                  "and nothing is published; skip: it is reported as a bad record")
      .check(config::one_of({"fail", "skip"}))
      .show_default();
  command_
      .add_option("--skipped", skipped_list_,
                  "Write all skipped files here: a line with the reason, a tab, and the path for each; default: only "
                  "three for each reason are named")
      .type_name("FILE");
  command_
      .add_option("--max-bad-records", max_bad_records_,
                  "Malformed records that are reported and skipped; one more "
                  "ends the build and nothing is published. Duplicate ids "
                  "do not count: the first stays")
      .show_default();
  add_run_flags();
}

void BuildCommand::add_input_flags() {
  command_
      .add_option("--input", inputs_,
                  "Files and folders to index, in this order; gzip, zstd, bzip2 and xz are told by "
                  "content; - is standard input; may be given again")
      .required()
      .type_name("PATH");
  command_
      .add_option("--format", format_,
                  "Format of the input: " + ingest::format_names() +
                      ". auto tells each file's from its content and name; files: each file is a document")
      .show_default()
      .group("Documents");
  command_.add_flag("--hidden", hidden_,
                    "Index files and folders whose names begin with a dot, too; without it those inside a folder are "
                    "passed over");
  command_.add_flag("--make-ids", make_ids_,
                    "Records without an id get one that is made from their content: the same content has the same id, "
                    "so that a second record of it is a duplicate");
  command_.add_option("--prior-field", prior_field_,
                      "The field of JSON records that holds a document's static prior, a number from 0 to 1000 that is "
                      "added to its scores; a record without it has 0; default: no document has a prior");
  command_
      .add_option("--id-field", id_field_,
                  "The field of JSON, or column of CSV, that holds a document's id, instead of the usual names. For "
                  "JSON, article.id is a path: id in the object article")
      .group("Documents");
  command_.add_option("--title-field", title_field_, "The same for the title").group("Documents");
  command_
      .add_option("--text-field", text_fields_,
                  "The same for the text; may be given again: then each that is there becomes lines of the text")
      .group("Documents");
  command_.add_option("--url-field", url_field_, "The same for the URL").group("Documents");
}

void BuildCommand::add_thread_flags() {
  command_.add_option("--parsers", parsers_, "Parser threads")
      .check(config::range(1, 256))
      .show_default("one for each core");
  command_.add_option("--cpu-inverters", cpu_inverters_, "Inverter threads on the CPU")
      .check(config::range(1, 256))
      .show_default("a third of the cores");
  command_
      .add_option(
          "--cpu-dictionary", cpu_dictionary_,
          "What an inverter on the CPU finds terms by: hash, the faster one, or btree, the paper's; the index is "
          "the same")
      .check(config::one_of({"hash", "btree"}))
      .show_default();
}

void BuildCommand::add_gpu_flags() {
  command_
      .add_option("--gpu-inverters", gpu_inverters_,
                  "Inverter threads with a GPU each, which take the trie collections of less frequent terms, "
                  "those on the CPU the hundred most frequent ones. The index is the same; if the GPU fails, "
                  "the build goes on without it")
      .check(config::range(0, 64))
      .show_default();
  command_
      .add_option("--gpu-texts", gpu_texts_,
                  "on: the GPU analyzes texts and makes the postings, in place of all inverters; parsers only "
                  "copy texts; the index is the same. Needs --memory-limit of 256MiB; on|off")
      .check(config::one_of({"on", "off"}))
      .show_default()
      .group("Resources");
  command_
      .add_option("--gpu-order", gpu_order_,
                  "Whether a GPU bisects for --order bp and auto; the order is the same. It takes 16 bytes of "
                  "--gpu-memory a posting of frequent terms and 36 a document. auto: if there is one; on: "
                  "--order auto also reckons with its time, so that it chooses bisection more often; "
                  "auto|on|off")
      .check(config::one_of({"auto", "on", "off"}))
      .show_default();
  command_.add_option("--gpu-device", gpu_.device, "The number of the GPU that these use").show_default();
  command_
      .add_option("--gpu-memory", gpu_.bytes, "Memory of the GPU for each inverter on it, for texts, or for bisection")
      .transform(config::byte_size())
      .show_default("2GiB");
  command_
      .add_option("--gpu-timeout-seconds", gpu_timeout_s_,
                  "How long the GPU may take for one step. Then the build goes on without it, from what is "
                  "still in memory; the index is the same")
      .check(config::range(1, 3600))
      .show_default();
}

// How the command runs, whatever it builds.
void BuildCommand::add_run_flags() {
  command_
      .add_option(
          "--resume", resume_,
          "auto: goes on with a build of the same inputs and options that was killed, from its last checkpoint; "
          "off: begins anew, and cannot be gone on with; auto|off")
      .check(config::one_of({"auto", "off"}))
      .show_default();
  command_
      .add_option(
          "--checkpoint", checkpoint_bytes_,
          "Bytes of input, decompressed, between checkpoints: as much may be lost when the build is killed. A "
          "build of less input begins anew. 1GiB for each core, 4GiB to 16GiB, or --memory-limit, if that is more, up "
          "to four times as much; 64GiB with --gpu-texts on. "
          "Postings that fit stay in memory, or on the GPU, until there is a checkpoint")
      .transform(config::byte_size());
  command_.add_flag("--json", json_, "Print the summary as one JSON object");
  command_.add_option("--http", http_, "Serve /metrics and /livez of the build here while it runs; default: nowhere")
      .type_name("HOST:PORT");
  command_
      .add_option("--http-linger-seconds", http_linger_seconds_,
                  "With --http: stay so long after a build that published, for a last scrape")
      .check(config::range(0, 3600))
      .show_default();
}

void BuildCommand::add_share_flags() {
  command_
      .add_option("--partition", share_,
                  "I/N: build only partition I of N, from its share of the input: whole files, about as many bytes as "
                  "the others have. All builders must see the same input and be given the same options")
      .check(config::shard());
  command_.add_flag("--no-publish", no_publish_,
                    "With --partition: keep the partition for frond-indexer publish --partitions P");
}

// What all documents of a collection have in common.
void BuildCommand::add_collection_flags() {
  command_
      .add_option("--codec", codec_,
                  "Codec of posting lists: a codec's name; DOCIDS,FREQUENCIES, two of them; or auto, for each list the "
                  "smallest of the fast ones")
      .show_default();
  command_
      .add_option("--stored-compression", stored_compression_,
                  "Stored fields: small, or fast, which takes a third of the time and up to half as much space again; "
                  "small|fast")
      .check(config::one_of({"small", "fast"}))
      .show_default();
  analyzer_.add(command_, "How text becomes terms, of which a collection and its queries have one kind");
  command_.add_option("--k1", k1_, "BM25's k1").check(config::range(0.0, double{scoring::kMaxK1})).show_default();
  command_.add_option("--b", b_, "BM25's b").check(config::range(0.0, 1.0)).show_default();
}

}  // namespace frond::indexer
