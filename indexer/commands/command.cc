#include "indexer/commands/command.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <thread>

#include "common/base/line_writer.h"
#include "common/base/machine.h"
#include "common/base/threads/thread_name.h"
#include "common/config/command_line.h"
#include "common/objects/place.h"
#include "indexer/pipeline/memory.h"

namespace frond::indexer {
namespace {

sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

StopOnSignal::StopOnSignal(std::chrono::milliseconds patience) : patience_(patience) {
  const sigset_t set = stop_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::thread([this] { wait(); });
}

StopOnSignal::~StopOnSignal() {
  over_ = true;
  // Wakes the thread that waits for it; all others have it blocked. NOLINTNEXTLINE(bugprone-bad-signal-to-kill-thread)
  ::pthread_kill(thread_.native_handle(), SIGTERM);
  thread_.join();
}

void StopOnSignal::wait() {
  name_this_thread("signals");
  const sigset_t set = stop_signals();
  int number = 0;
  if (::sigwait(&set, &number) != 0 || over_) return;
  signal_ = number;
  stop_.request_stop();
  const std::chrono::seconds whole = std::chrono::duration_cast<std::chrono::seconds>(patience_);
  const timespec span{whole.count(), std::chrono::nanoseconds(patience_ - whole).count()};
  const int again = ::sigtimedwait(&set, nullptr, &span);
  if (over_) return;
  if (again < 0)
    write_stderr("frond-indexer: stopped by signal " + std::to_string(number) + ", in the middle of work\n");
  ::_exit(128 + (again > 0 ? again : number));
}

std::uint32_t hardware_threads() { return this_machine().cores; }

int Command::run(Logger& logger) {
  if (const auto well = check(); !well) return line_.refuse(well.error().message());
  const auto done = work(logger);
  const int signal = signals_ ? signals_->signal() : 0;
  if (done) {
    if (!done->empty()) std::cout << *done << std::endl;
    return exit_code_;
  }
  if (signal == 0 || failed_code_ != 1) {  // another code: it did not come to the work that a signal stops
    write_stderr("frond-indexer: " + done.error().message() + "\n");
    return failed_code_;
  }
  write_stderr("frond-indexer: stopped by signal " + std::to_string(signal) + "; " + std::string(after_signal_) + "\n");
  return 128 + signal;
}

config::Flag& Command::add_memory_limit(const std::string& help) {
  return line_
      .add_option("--memory-limit", memory_limit_,
                  help + "; auto: 60 % of the container's memory, or a quarter of the machine's, at most 64GiB")
      .transform(config::byte_size_or_auto())
      .show_default("auto")
      .group("Resources");
}

Result<void> Command::settle_memory_limit() {
  if (memory_limit_ == config::kAutoBytes) {
    const Machine& machine = this_machine();
    constexpr std::uint64_t kStep = std::uint64_t{16} << 20;  // a few kilobytes more or less make no other limit
    const std::uint64_t share =
        machine.share(machine.contained ? 600 : 500, pipeline::kMinMemoryLimit, std::uint64_t{64} << 30);
    memory_limit_ = share / kStep * kStep;
    chosen_ = "--memory-limit " + std::to_string(memory_limit_ >> 20) + "MiB";
  }
  if (memory_limit_ < pipeline::kMinMemoryLimit) return Error(Code::kInvalid, "--memory-limit: at least 128MiB");
  return {};
}

Result<void> Command::check() {
  FROND_TRY(settle_place());
  return expect_collection();
}

void Command::add_repository_flags() {
  line_.add_option("--repository", target_.repository, "The repository: a directory or s3://bucket[/prefix]")
      .required()
      .type_name("PLACE");
  objects::Access& access = target_.objects.access;
  access.counts = std::make_shared<objects::Counts>();
  line_.add_option("--tls-ca", access.tls_ca,
                   "PEM file of the authorities to believe of an https object store; default: the system's");
  config::add_object_flags(line_, access);
  add_number(line_, "--s3-lease-seconds", lease_s_, 3, 3600,
             "A writer of an s3:// repository that was silent for so long is taken for dead; the same for "
             "all writers of a repository");
  add_number(line_, "--s3-leftover-hours", leftover_hours_, 1, 8760,
             "How old objects must be that no published generation names before they are removed");
}

void Command::add_place_flags() {
  add_repository_flags();
  line_.add_option("--collection", target_.collection, "Collection: letters, digits, '.', '_', '-'")
      .required()
      .type_name("NAME");
  line_
      .add_option("--scratch", target_.objects.scratch,
                  "Local folder for what is built before it goes to an s3:// repository, which needs it")
      .type_name("DIR")
      .group("Object storage");
}

void Command::add_publishing_flags(std::uint64_t& reserve) {
  add_bytes(line_, "--disk-reserve", reserve, "64MiB",
            "Free space that has to stay on the repository's disk: what would take it is not begun");
  line_
      .add_option("--signing-key", signing_key_,
                  "PEM file of the Ed25519 private key that signs each generation that is published, for leaves with "
                  "--trusted-keys; default: none is signed")
      .type_name("FILE");
  line_.add_flag("--sign-kept", target_.objects.sign_kept,
                 "With --signing-key, once: change and sign a generation that another key or none has signed, with all "
                 "that it has");
}

Result<void> Command::settle_place(std::string_view scratch_flag) {
  objects::Access& access = target_.objects.access;
  access.lease = std::chrono::seconds(lease_s_);
  access.leftover_age = std::chrono::hours(leftover_hours_);
  const std::string text = target_.repository.string();
  if (!signing_key_.empty()) {
    auto key = tls::SigningKey::load(signing_key_);
    if (!key) return std::move(key).error().within("--signing-key");
    target_.objects.signing_key = *std::move(key);
  }
  if (!objects::is_object_place(text)) {
    // Also what was to be a URL: s3:/bucket.
    const auto colon = text.find(':');
    const bool scheme = colon != text.npos && colon > 0 && text.find('/') == colon + 1;
    if (!scheme && !text.starts_with("s3:")) return {};
    return Error(Code::kInvalid, "--repository: a directory or s3://bucket[/prefix] is needed");
  }
  auto parsed = objects::parse_place(text, access);
  if (!parsed) return std::move(parsed).error().within("--repository");
  if (target_.objects.scratch.empty() && !scratch_flag.empty())
    return Error(Code::kInvalid, std::string(scratch_flag) + " is needed with an s3:// repository");
  return {};
}

Result<void> Command::expect_collection_name() const {
  if (repository::is_safe_name(target_.collection)) return {};
  return Error(Code::kInvalid, "--collection: '" + target_.collection + "' is no name: use [A-Za-z0-9._-]");
}

Result<void> Command::expect_collection() const {
  std::error_code failed;
  const std::string root = target_.repository.string(), nothing = "nothing is published of collection ";
  const std::string& collection = target_.collection;
  const bool in_store = objects::is_object_place(root);
  if (!in_store && !std::filesystem::is_directory(root, failed))
    return Error(Code::kInvalid, "--repository: " + nothing + collection + ": " + root +
                                     (std::filesystem::exists(root, failed) ? " is no folder" : " does not exist"));
  FROND_TRY(expect_collection_name());
  if (!in_store && !std::filesystem::is_directory(target_.repository / collection, failed))
    return Error(Code::kInvalid, "--collection: " + nothing + collection + " in " + root +
                                     ", which has: " + repository::collections_in(root) + ". Since collection " +
                                     collection + " has no generation, begin with frond-indexer build");
  return {};
}

void add_analyzer_flags(config::CommandLine& command, CollectionNames& names, const std::string& what) {
  command
      .add_option(
          "--analyzer", names.analyzer,
          what +
              ": standard3; standard2, older rules, in which symbols and the parts of words with : and _ are not "
              "found; standard, the oldest, in which width, apostrophes and soft hyphens matter and words of "
              "scripts without spaces are not found")
      .check(config::one_of({text::kAnalyzerNames.begin(), text::kAnalyzerNames.end()}))
      .show_default()
      .group("Terms");
  command
      .add_option("--stemmer", names.stemmer,
                  "porter|english|none; with standard2 and standard3 also: " + more_stemmers())
      .show_default()
      .group("Terms");
  command
      .add_flag("--fold-accents", names.fold_accents,
                "Not with --analyzer standard: Latin and Greek letters are found without their accents and with them")
      .group("Terms");
  command
      .add_flag("--split-case", names.split_case,
                "With --analyzer standard3: camelCase words are found by their parts, too, as code needs it")
      .group("Terms");
  command
      .add_option("--stop-words", names.stop_words,
                  "Words that are not indexed: those of a language, " + languages_with_stop_words() +
                      "; those of a file, separated by white space; auto: of the stemmer's language, English without "
                      "one; on: English; off: none")
      .type_name("auto|LANGUAGE|FILE|on|off")
      .show_default()
      .group("Terms");
}

void add_bm25_flags(config::CommandLine& command, CollectionNames& names) {
  const auto usual = [](double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return std::string(text);
  };
  command.add_option("--k1", names.k1, "BM25's k1; not of impacts")
      .check(config::range(0.0, double{scoring::kMaxK1}))
      .show_default(usual(kNewCollectionBm25.k1));
  command.add_option("--b", names.b, "BM25's b; not of impacts")
      .check(config::range(0.0, 1.0))
      .show_default(usual(kNewCollectionBm25.b));
}

Result<void> take_kind_and_order(const CollectionNames& names, const std::string& order, BuildOptions& options) {
  options.take(FROND_TRY(kind_of(names, /*flags=*/true)));
  const auto known = order::order_named(order);
  if (!known) return Error(Code::kInvalid, "--order: '" + order + "' is none of " + std::string(order::kOrderNames));
  options.order = *known;
  return {};
}

}  // namespace frond::indexer
