#pragma once
// The commands of frond-indexer. Each adds its flags to its subcommand when it is made, and works with their values.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "common/base/log.h"
#include "common/base/result.h"
#include "common/config/command_line.h"
#include "indexer/build/build.h"
#include "indexer/change/waiting.h"

namespace frond::indexer {

// SIGINT and SIGTERM as a stop token. Made in main() before any other thread, so that all threads inherit the blocked
// signals. A second signal ends the process at once, and so does the first one if this object is still there after
// `patience`: something may wait for a pipe or a disk. The next build removes what that leaves.
class StopOnSignal {
 public:
  static constexpr std::chrono::milliseconds kUsualPatience{1800};
  explicit StopOnSignal(std::chrono::milliseconds patience = kUsualPatience);
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
  std::stop_token token() const { return stop_.get_token(); }
  // The signal that was received; 0: none.
  int signal() const { return signal_; }

 private:
  void wait();
  const std::chrono::milliseconds patience_;
  std::stop_source stop_;
  std::atomic<int> signal_ = 0;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

class Command {
 public:
  virtual ~Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  bool chosen() const { return line_.chosen(); }
  // Gives the process's exit code: 2 if the flags are wrong, 128 and its number if a signal has ended the work.
  int run(Logger& logger);

 protected:
  Command(config::CommandLine& app, const std::string& name, const std::string& description)
      : line_(app.add_command(name, description)) {}
  // kInvalid: flags do not go together, or their values are wrong. Here: of a command that works on what is there.
  virtual Result<void> check();
  // Gives what is printed at the end.
  virtual Result<std::string> work(Logger& logger) = 0;

  // --repository and how it is reached; with the collection and the local folder for objects.
  void add_repository_flags();
  void add_place_flags();
  // Of what publishes: --disk-reserve, --signing-key.
  void add_publishing_flags(std::uint64_t& bytes);
  void add_json_flag() { line_.add_flag("--json", json_, "Print the summary as one JSON object").group("Output"); }
  // --memory-limit, of what resides in memory.
  config::Flag& add_memory_limit(const std::string& help);
  // Chooses memory_limit_ if no flag gave it. kInvalid: it is less than 128MiB.
  Result<void> settle_memory_limit();
  // Takes the flags over into target_.objects. `scratch_flag` names the local folder, which an object store needs;
  // empty: it is not needed.
  Result<void> settle_place(std::string_view scratch_flag = "--scratch");
  Result<void> expect_collection_name() const;
  // Whether the repository, if it is a directory, and the collection's folder in it exist.
  Result<void> expect_collection() const;

  // From now on, a signal requests a stop, and run() says that it has ended the work.
  std::stop_token stop_on_signal(std::chrono::milliseconds patience = StopOnSignal::kUsualPatience) {
    return signals_.emplace(patience).token();
  }

  config::CommandLine& line_;
  change::ChangeOptions target_{.repository = {}, .collection = {}, .disk_reserve = std::uint64_t{64} << 20};
  std::uint64_t memory_limit_ = config::kAutoBytes;  // settle_memory_limit() makes it a number
  std::string chosen_;                               // what no flag gave, one line for the log
  bool json_ = false;
  int exit_code_ = 0, failed_code_ = 1;
  std::string_view after_signal_ = "nothing is published";

 private:
  std::string signing_key_;
  std::uint64_t lease_s_ = 60, leftover_hours_ = 24;
  std::optional<StopOnSignal> signals_;
};

using Commands = std::vector<std::unique_ptr<Command>>;
void add_build_commands(config::CommandLine& app, Commands& all);
void add_change_commands(config::CommandLine& app, Commands& all);
void add_repository_commands(config::CommandLine& app, Commands& all);
void add_serve_commands(config::CommandLine& app, Commands& all);
void add_ciff_commands(config::CommandLine& app, Commands& all);

// How text becomes terms; `what`: what is analyzed this way, for --help.
void add_analyzer_flags(config::CommandLine& command, CollectionNames& names, const std::string& what);
// --k1 and --b.
void add_bm25_flags(config::CommandLine& command, CollectionNames& names);
// Sets what these flags stand for. kInvalid: see kind_of(); there is no such order.
Result<void> take_kind_and_order(const CollectionNames& names, const std::string& order, BuildOptions& options);

// At least 1.
std::uint32_t hardware_threads();

}  // namespace frond::indexer
