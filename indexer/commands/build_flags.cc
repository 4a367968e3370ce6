// The flags of `build` and `add`.
#include "common/config/gpus.h"
#include "indexer/commands/build_command.h"

namespace frond::indexer {

BuildCommand::BuildCommand(config::CommandLine& app, Kind kind)
    : Command(app, kind == Kind::kBuild ? "build" : "add",
              kind == Kind::kBuild
                  ? "Indexes documents and publishes them as a new generation, which replaces the current one"
                  : "Indexes documents and publishes them with those of the current generation; documents that have "
                    "their ids are replaced"),
      kind_(kind) {
  invert_.max_bad_records = 1000;
  invert_.gpu.bytes = config::kAutoBytes;
  add_place_flags();
  add_input_flags();
  partitions_flag_ =
      &add_number(line_, "--partitions", invert_.partitions, 1, 256, "Partitions that documents are assigned to")
           .group("Resources");
  if (kind == Kind::kBuild) add_share_flags();
  add_resource_flags();
  if (kind == Kind::kBuild) add_collection_flags();
  add_other_flags();
  add_run_flags();
}

void BuildCommand::add_input_flags() {
  line_
      .add_option("--input", invert_.inputs,
                  "Files and folders to index, in this order; gzip, zstd, bzip2 and xz are told by "
                  "content; - is standard input; may be given again")
      .required()
      .type_name("PATH");
  line_
      .add_option("--format", format_,
                  "Format of the input: " + ingest::format_names() +
                      ". auto tells each file's from its content and name; files: each file is a document")
      .show_default()
      .group("Documents");
  line_.add_flag("--hidden", invert_.read.hidden,
                 "Index files and folders whose names begin with a dot, too; without it those inside a folder are "
                 "passed over");
  line_.add_flag("--make-ids", invert_.parse.make_ids,
                 "Records without an id get one that is made from their content: the same content has the same id, so "
                 "that a second record of it is a duplicate");
  line_
      .add_option("--schema", schema_,
                  kind_ == Kind::kBuild
                      ? "What the fields of documents are, as a file of JSON; infer: found out from the input, and "
                        "printed; default: documents have the usual texts only"
                      : "The collection's schema with more fields, as a file of JSON; default: the collection's")
      .type_name(kind_ == Kind::kBuild ? "FILE|infer" : "FILE")
      .group("Documents");
  line_.add_flag("--coerce", invert_.parse.coerce,
                 "Values that are none of their column's type in the schema are taken from other types where they can "
                 "be (\"2010\" is 2010), and left out where they can't; without it such a record is a bad one");
  line_.add_option("--prior-field", invert_.parse.prior_field,
                   "The field of JSON records that holds a document's static prior, a number from 0 to 1000 that is "
                   "added to its scores; a record without it has 0; default: no document has a prior");
  line_
      .add_option("--id-field", id_field_,
                  "The field of JSON, or column of CSV, that holds a document's id, instead of the usual names. For "
                  "JSON, article.id is a path: id in the object article")
      .group("Documents");
  line_.add_option("--title-field", title_field_, "The same for the title").group("Documents");
  line_
      .add_option("--text-field", text_fields_,
                  "The same for the text; may be given again: then each that is there becomes lines of the text")
      .group("Documents");
  line_.add_option("--url-field", url_field_, "The same for the URL");
}

void BuildCommand::add_share_flags() {
  line_
      .add_option("--partition", share_,
                  "I/N: build only partition I of N, from its share of the input: whole files, about as many bytes as "
                  "the others have. All builders must see the same input and be given the same options")
      .check(config::shard());
  line_.add_flag("--no-publish", no_publish_,
                 "With --partition: keep the partition for frond-indexer publish --partitions P");
}

void BuildCommand::add_resource_flags() {
  line_.add_option("--parsers", parsers_, "Parser threads")
      .check(config::range(1, 256))
      .show_default("one for each core");
  line_.add_option("--cpu-inverters", cpu_inverters_, "Inverter threads on the CPU")
      .check(config::range(1, 256))
      .show_default("a third of the cores");
  add_choice(
      line_, "--cpu-dictionary", cpu_dictionary_, {"hash", "btree"},
      "What an inverter on the CPU finds terms by: hash, the faster one, or btree, the paper's; the index is the "
      "same");
  add_number(
      line_, "--gpu-inverters", gpu_inverters_, 0, 64,
      "Inverter threads with a GPU each, which take the trie collections of less frequent terms, those on the CPU "
      "the hundred most frequent ones. The index is the same; if the GPU fails, the build goes on without it");
  add_choice(
      line_, "--gpu-texts", gpu_texts_, {"auto", "on", "off"},
      "on: the GPU analyzes texts and makes the postings, in place of all inverters; parsers only copy texts; the "
      "index is the same. Needs --memory-limit of 256MiB, and no --schema. auto: on where there is a GPU and 256 MiB "
      "of input; auto|on|off")
      .group("Resources");
  add_choice(line_, "--gpu-order", gpu_order_, {"auto", "on", "off"},
             "Whether a GPU bisects for --order bp and auto; the order is the same. It takes 16 bytes of "
             "--gpu-memory a posting of frequent terms and 36 a document. auto: if there is one; on: --order auto also "
             "reckons with its time, so that it chooses bisection more often; auto|on|off");
  line_
      .add_option("--gpu", gpu_,
                  "Where texts are analyzed, if a GPU does it. auto: on the first GPU that can be used; all: on every "
                  "one, with a warning where one can't be used; off: no GPU is "
                  "used for anything; or the numbers of devices, as 0,2. Inverters and bisection have the first one")
      .check(config::gpus())
      .show_default();
  gpu_device_flag_ =
      &line_.add_option("--gpu-device", invert_.gpu.device, "The same for one device, by its number").show_default();
  add_budget(line_, "--gpu-memory", invert_.gpu.bytes,
             "Memory of the GPU for each inverter on it, of each GPU for texts, or for bisection; auto: four fifths of "
             "what is free, where texts are on several GPUs on the one with the least; divided among the inverters");
  add_number(
      line_, "--gpu-timeout-seconds", gpu_timeout_s_, 1, 3600,
      "How long the GPU may take for one step. Then the build goes on without it, with --gpu-texts on from its last "
      "checkpoint or the beginning (an input that can't be read again ends it); the index is the same");
  add_memory_limit(
      "Resident memory of the build, at least 128MiB; what does not fit goes to disk below the repository");
  add_publishing_flags(target_.disk_reserve);
}

// What all documents of a collection have in common.
void BuildCommand::add_collection_flags() {
  line_
      .add_option("--codec", names_.codec,
                  "Codec of posting lists: a codec's name; DOCIDS,FREQUENCIES, two of them; or auto, for each list the "
                  "smallest of the fast ones")
      .show_default();
  add_choice(line_, "--stored-compression", names_.stored_compression, {"small", "fast"},
             "Stored fields: small, or fast, which takes a third of the time and up to half as much space again; "
             "small|fast");
  add_analyzer_flags(line_, names_, "How text becomes terms, of which a collection and its queries have one kind");
  add_bm25_flags(line_, names_);
}

void BuildCommand::add_other_flags() {
  line_
      .add_option("--order", order_,
                  "Order of the documents, which decides how small lists become and which of equally good "
                  "hits comes first: " +
                      std::string(order::kOrderNames))
      .show_default();
  add_choice(line_, "--store-bodies", store_bodies_, {"on", "off"},
             "off: bodies are indexed, not stored: hits come with id, title and URL, without a snippet; on|off");
  add_choice(line_, "--unreadable-files", unreadable_files_, {"fail", "skip"},
             "What the build does at a file that can't be opened or read, or a folder that can't be listed: fail, "
             "and nothing is published; skip: it is reported as a bad record");
  line_
      .add_option("--skipped", skipped_list_,
                  "Write all skipped files here: a line with the reason, a tab, and the path for each; default: only "
                  "three for each reason are named")
      .type_name("FILE");
  line_
      .add_option("--max-bad-records", invert_.max_bad_records,
                  "Malformed records that are reported and skipped; one more ends the build and nothing is published. "
                  "Duplicate ids do not count: the first stays")
      .show_default();
}

// How the command runs, whatever it builds.
void BuildCommand::add_run_flags() {
  add_choice(
      line_, "--resume", resume_, {"auto", "off"},
      "auto: goes on with a build of the same inputs and options that was killed, from its last checkpoint; off: "
      "begins anew, and cannot be gone on with; auto|off");
  line_
      .add_option(
          "--checkpoint", checkpoint_bytes_,
          "Bytes of input, decompressed, between checkpoints: as much may be lost when the build is killed. A "
          "build of less input begins anew. 1GiB for each core, 4GiB to 16GiB, or --memory-limit, if that is more, up "
          "to four times as much; 64GiB with --gpu-texts on. "
          "Postings that fit stay in memory, or on the GPU, until there is a checkpoint")
      .transform(config::byte_size());
  line_.add_flag("--json", json_, "Print the summary as one JSON object");
  line_.add_option("--http", http_, "Serve /metrics and /livez of the build here while it runs; default: nowhere")
      .type_name("HOST:PORT");
  add_number(line_, "--http-linger-seconds", http_linger_seconds_, 0, 3600,
             "With --http: stay so long after a build that published, for a last scrape");
}

}  // namespace frond::indexer
