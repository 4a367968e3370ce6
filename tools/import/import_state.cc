#include "tools/import/import_state.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "common/files/read.h"
#include "common/files/write.h"

namespace frond::tools {
namespace {
using Json = nlohmann::ordered_json;
using Way = SourcePlace::Way;

constexpr std::size_t kMaxStateBytes = 1 << 20;  // a point in time of many shards is long
constexpr const char* kWays[] = {"new", "shards", "ids", "scroll"};

}  // namespace

std::string text_of(const ImportState& state) {
  const SourcePlace& place = state.place;
  return Json({{"from", state.from},
               {"to", state.to},
               {"key", state.key},
               {"made", state.made},
               {"done", state.done},
               {"way", kWays[static_cast<std::size_t>(place.way)]},
               {"context", place.context},
               {"elasticsearch", place.elasticsearch},
               {"after", place.after},
               {"documents", place.documents},
               {"total", state.total},
               {"refused", state.refused}})
             .dump() +
         "\n";
}

Result<ImportState> read_state(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    ImportState state{.from = json.at("from"),
                      .to = json.at("to"),
                      .key = json.at("key"),
                      .made = json.at("made"),
                      .done = json.at("done")};
    state.total = json.at("total");
    state.refused = json.at("refused");
    state.place = {.context = json.at("context"),
                   .elasticsearch = json.at("elasticsearch"),
                   .after = json.at("after"),
                   .documents = json.at("documents")};
    const std::string way = json.at("way");
    for (std::size_t i = 0; i < std::size(kWays); ++i)
      if (way == kWays[i]) state.place.way = static_cast<Way>(i);
    // What a scroll has given and nobody has accepted is not given again.
    if (state.place.way == Way::kScroll) state.place = {};
    return state;
  } catch (const std::exception&) {
    return Error(Code::kInvalid, "that is no state of an import");
  }
}

Result<std::optional<ImportState>> load_state(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return std::optional<ImportState>();
  auto state = read_state(std::string(FROND_TRY(files::read_input(file, kMaxStateBytes))));
  if (!state) return std::move(state).error().within(file.string());
  return std::optional(*std::move(state));
}

Result<void> save_state(const std::filesystem::path& file, const ImportState& state) {
  return files::replace_file(file, text_of(state));
}

}  // namespace frond::tools
