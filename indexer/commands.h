#pragma once
// The commands of frond-indexer. Each adds its flags to its subcommand, and runs with the parsed values. run() gives
// the process's exit code.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/base/log.h"
#include "common/base/result.h"
#include "common/config/command_line.h"
#include "common/repository/repository.h"
#include "indexer/analyzer_flags.h"
#include "indexer/build.h"
#include "indexer/change/compact.h"
#include "indexer/change/tiers.h"
#include "indexer/collection_defaults.h"
#include "indexer/invert/inverter.h"
#include "indexer/serve/serve.h"
#include "indexer/signals.h"

namespace frond::indexer {

// The collection that a command works on.
struct Place {
  std::filesystem::path repository;
  std::string collection;
  repository::ObjectWriting objects;  // if the repository is in an object store
  std::uint64_t lease_s = 60, leftover_hours = 24;
};
void add_place_flags(config::CommandLine& command, Place& place);
// The repository and how it is reached; without the collection, and the local folder.
void add_repository_flags(config::CommandLine& command, Place& place);
// Takes the flags over into place.objects. kInvalid: they do not go together. `scratch_flag` names the local folder,
// which an object store needs; empty: it is not needed.
Result<void> settle_place(Place& place, std::string_view scratch_flag = "--scratch");

// For commands that work on what is there: whether the repository, if it is a directory, and the collection's folder in
// it exist. kInvalid: which flag is wrong, and what is there instead.
Result<void> expect_collection(const Place& place);

// At least 1.
std::uint32_t hardware_threads();

inline constexpr std::uint64_t kUsualDiskReserve = std::uint64_t{64} << 20;
void add_disk_reserve_flag(config::CommandLine& command, std::uint64_t& bytes);

// `build` and `add`, which has the same flags but for those that are the collection's.
class BuildCommand {
 public:
  enum class Kind : std::uint8_t { kBuild, kAdd };
  BuildCommand(config::CommandLine& app, Kind kind);
  bool chosen() const { return command_.chosen(); }
  int run(Logger& logger);

 private:
  struct GpuParts {
    const invert::InverterKind* inverter = nullptr;
    const invert::TextInverterKind* text_inverter = nullptr;
    order::BisectElsewhere bisect;
  };
  void add_input_flags();
  void add_thread_flags();
  void add_gpu_flags();
  void add_run_flags();
  void add_collection_flags();
  void add_share_flags();
  Result<void> check();
  std::shared_ptr<const ingest::FieldNames> field_names() const;
  Result<GpuParts> gpu_parts(order::DocumentOrder order) const;
  Result<BuildOptions> options();

  const Kind kind_;
  config::CommandLine& command_;
  const config::Flag* partitions_flag_ = nullptr;
  Place place_;
  std::vector<std::filesystem::path> inputs_;
  std::string format_, codec_, order_, share_;
  AnalyzerFlags analyzer_{kNewCollectionAnalyzer};
  std::uint32_t partitions_ = 1, parsers_, cpu_inverters_;
  std::string cpu_dictionary_, store_bodies_ = "on", stored_compression_;
  std::uint32_t gpu_inverters_ = 0;
  std::string gpu_texts_ = "off", gpu_order_ = "auto";
  invert::GpuMemory gpu_;
  std::uint32_t gpu_timeout_s_ = 30;
  std::uint64_t memory_limit_ = std::uint64_t{1} << 30;
  std::uint64_t disk_reserve_ = kUsualDiskReserve;
  std::uint64_t max_bad_records_ = 1000;
  double k1_, b_;
  std::string resume_ = "auto";
  static constexpr std::uint64_t kUsualCheckpoint = ~std::uint64_t{0};
  std::uint64_t checkpoint_bytes_ = kUsualCheckpoint;
  std::string prior_field_, id_field_, title_field_, url_field_;
  std::vector<std::string> text_fields_;
  std::filesystem::path skipped_list_;
  std::string unreadable_files_ = "fail";
  bool json_ = false, no_publish_ = false, hidden_ = false, make_ids_ = false;
  std::string http_;
  std::uint32_t http_linger_seconds_ = 0;
};

class ImportCiffCommand {
 public:
  explicit ImportCiffCommand(config::CommandLine& app);
  bool chosen() const { return command_.chosen(); }
  int run(Logger& logger);

 private:
  config::CommandLine& command_;
  Place place_;
  std::filesystem::path input_;
  std::string lengths_ = "records", codec_, order_;
  AnalyzerFlags analyzer_{kImportedAnalyzer};
  std::uint32_t partitions_ = 1;
  std::uint64_t memory_limit_ = std::uint64_t{1} << 30;
  std::uint64_t disk_reserve_ = kUsualDiskReserve;
  double k1_, b_;
  bool json_ = false;
};

class ExportCiffCommand {
 public:
  explicit ExportCiffCommand(config::CommandLine& app);
  bool chosen() const { return command_.chosen(); }
  int run(Logger& logger);

 private:
  config::CommandLine& command_;
  Place place_;
  std::filesystem::path output_;
  std::uint64_t generation_ = 0;
  bool json_ = false;
};

class PublishCommand {
 public:
  explicit PublishCommand(config::CommandLine& app);
  bool chosen() const { return command_.chosen(); }
  int run(Logger& logger);

 private:
  config::CommandLine& command_;
  Place place_;
  std::uint32_t partitions_ = 1;
  std::uint64_t disk_reserve_ = kUsualDiskReserve;
};

class RemoveCommand {
 public:
  explicit RemoveCommand(config::CommandLine& app);
  bool chosen() const { return command_.chosen(); }
  int run(Logger& logger);

 private:
  config::CommandLine& command_;
  Place place_;
  std::filesystem::path ids_;
  std::uint64_t disk_reserve_ = kUsualDiskReserve;
  bool json_ = false;
};

class CompactCommand {
 public:
  explicit CompactCommand(config::CommandLine& app);
  bool chosen() const { return command_.chosen(); }
  int run(Logger& logger);

 private:
  config::CommandLine& command_;
  Place place_;
  change::TierRules rules_;
  change::CompactionLimits limits_;
  std::uint64_t disk_reserve_ = kUsualDiskReserve;
  bool json_ = false;
};

class AcceptLossCommand {
 public:
  explicit AcceptLossCommand(config::CommandLine& app);
  bool chosen() const { return command_.chosen(); }
  int run(Logger& logger);

 private:
  config::CommandLine& command_;
  Place place_;
};

class CheckCommand {
 public:
  explicit CheckCommand(config::CommandLine& app);
  bool chosen() const { return command_.chosen(); }
  int run(Logger& logger);

 private:
  config::CommandLine& command_;
  Place place_;
  std::uint64_t generation_ = 0;
  bool json_ = false;
};

class PruneCommand {
 public:
  explicit PruneCommand(config::CommandLine& app);
  bool chosen() const { return command_.chosen(); }
  int run(Logger& logger);

 private:
  config::CommandLine& command_;
  Place place_;
  unsigned keep_ = 1;
};

class ServeCommand {
 public:
  explicit ServeCommand(config::CommandLine& app);
  bool chosen() const { return command_.chosen(); }
  int run(Logger& logger);

 private:
  void add_object_flags();
  void add_http_flags();
  void add_writing_flags();

  config::CommandLine& command_;
  Place place_;
  serve::ServeOptions options_;
  std::string take_over_ = "own-log";
  std::uint32_t lease_s_ = 15;
  std::uint32_t drain_publish_ms_ = 15'000, drain_ms_ = 10'000, refresh_ms_ = 1000;
};

class SwitchCommand {
 public:
  explicit SwitchCommand(config::CommandLine& app);
  bool chosen() const { return command_.chosen(); }
  int run(Logger& logger);

 private:
  config::CommandLine& command_;
  Place place_;
  std::uint64_t generation_ = 0;
};

class RollbackCommand {
 public:
  explicit RollbackCommand(config::CommandLine& app);
  bool chosen() const { return command_.chosen(); }
  int run(Logger& logger);

 private:
  config::CommandLine& command_;
  Place place_;
};

}  // namespace frond::indexer
