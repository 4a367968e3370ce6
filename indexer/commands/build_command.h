#pragma once
// `frond-indexer build`, and `add`, which has the same flags but for those that are the collection's.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "indexer/commands/command.h"
#include "indexer/ingest/formats/formats.h"

namespace frond::indexer {

class BuildCommand final : public Command {
 public:
  enum class Kind : std::uint8_t { kBuild, kAdd };
  BuildCommand(config::CommandLine& app, Kind kind);

 private:
  void add_input_flags();
  void add_share_flags();
  void add_resource_flags();
  void add_collection_flags();
  void add_other_flags();
  void add_run_flags();
  Result<void> check() override;
  Result<void> take_names();
  Result<void> take_schema();
  std::uint64_t input_bytes() const;
  bool orders_on_gpu() const;
  std::uint64_t find_text_devices(std::uint64_t least_free);
  Result<void> name_devices();
  void choose_gpu();
  Result<void> take_gpu();
  Result<std::string> work(Logger& logger) override;

  const Kind kind_;
  const config::Flag* partitions_flag_ = nullptr;
  const config::Flag* gpu_device_flag_ = nullptr;
  BuildOptions options_;
  pipeline::InvertOptions& invert_ = options_.invert;
  std::string format_{ingest::kAutoFormat}, share_;
  std::string order_{name_of(order::DocumentOrder::kInput)};
  CollectionNames names_;
  std::uint32_t parsers_ = std::min(256u, hardware_threads());
  std::uint32_t cpu_inverters_ = std::clamp(hardware_threads() / 3, 1u, 256u);
  std::string cpu_dictionary_{invert::kUsualCpuDictionary}, store_bodies_ = "on";
  std::uint32_t gpu_inverters_ = 0, gpu_timeout_s_ = 30;
  std::string gpu_ = "auto", gpu_texts_ = "auto", gpu_order_ = "auto";
  std::vector<int> devices_;                                 // that flags name; empty: those that there are
  std::vector<std::pair<int, std::string>> unused_devices_;  // and why
  std::string resume_ = "auto";
  static constexpr std::uint64_t kUsualCheckpoint = ~std::uint64_t{0};
  std::uint64_t checkpoint_bytes_ = kUsualCheckpoint;
  std::string id_field_, title_field_, url_field_;
  std::vector<std::string> text_fields_;
  std::string schema_;
  std::filesystem::path skipped_list_;
  std::string unreadable_files_ = "fail";
  bool no_publish_ = false;
  std::string http_;
  std::uint32_t http_linger_seconds_ = 0;
};

}  // namespace frond::indexer
