#include "common/base/text.h"
#include "leaf/schedule/cost_model.h"

#include <charconv>
#include <cstdio>
#include <optional>

#include "common/base/lines.h"
#include "common/files/read.h"

namespace frond::leaf::schedule {
namespace {

constexpr std::string_view kHeader = "frond-cost-model 1";
constexpr std::array<std::string_view, kProcessors> kProcessorNames = {"cpu", "gpu"};
constexpr std::array<std::string_view, kModes> kModeNames = {"and", "or"};
constexpr float kMaxNumber = 1e6f;  // of weights and values
constexpr float kMaxThreshold = 1e3f;
constexpr float kNeverGreater = 1e6f;             // the threshold of a level that a tree does not have
constexpr std::uint32_t kMaxQueries = 1'000'000;  // of a batch

std::string quoted(std::string_view word) {
  std::string shown = "'";
  for (const char c : word.substr(0, 40)) shown += c >= 0x20 && c < 0x7f ? c : '?';
  return shown + "'";
}

template <std::size_t N>
std::optional<std::size_t> index_of(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

// The words of one line.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line.substr(0, line.find('#'))) {}
  // Empty: the line has no more words.
  std::string_view next() {
    const auto begin = rest_.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return rest_ = {};
    const auto end = std::min(rest_.find_first_of(" \t\r", begin), rest_.size());
    const auto word = rest_.substr(begin, end - begin);
    rest_.remove_prefix(end);
    return word;
  }
  Result<float> number(float min, float max) {
    const std::string_view word = next();
    const auto value = number_in<float>(word);
    if (!value || !(*value >= min && *value <= max))
      return Error(Code::kInvalid, quoted(word) + " is no number from " + shown(min) + " to " + shown(max));
    return *value;
  }
  Result<std::size_t> input() {
    const std::string_view word = next();
    const auto found = index_of(kCostInputs, word);
    if (!found) return Error(Code::kInvalid, quoted(word) + " is no input");
    return *found;
  }
  Result<void> end() {
    const std::string_view word = next();
    if (!word.empty()) return Error(Code::kInvalid, quoted(word) + ": nothing is expected here");
    return {};
  }
  bool done() const { return rest_.find_first_not_of(" \t\r") == std::string_view::npos; }

 private:
  static std::string shown(float number) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", static_cast<double>(number));
    return text;
  }
  std::string_view rest_;
};

class Reader {
 public:
  Result<void> line(std::string_view text) {
    Words words(text);
    const std::string_view what = words.next();
    if (what.empty()) return {};
    if (what == "launch_us") {
      model_.launch_us = FROND_TRY(words.number(0, kMaxNumber));
    } else if (what == "batch") {
      FROND_TRY(batch(words));
    } else if (what == "regression") {
      FROND_TRY(regression(words));
    } else if (current_ == nullptr) {
      return Error(Code::kInvalid, quoted(what) + ": a line 'regression PROCESSOR MODE' must come first");
    } else if (what == "base") {
      current_->base = FROND_TRY(words.number(-kMaxNumber, kMaxNumber));
    } else if (what == "weight") {
      const std::size_t input = FROND_TRY(words.input());
      current_->weight[input] = FROND_TRY(words.number(-kMaxNumber, kMaxNumber));
    } else if (what == "tree") {
      FROND_TRY(tree(words));
    } else {
      return Error(Code::kInvalid, quoted(what) + " is no kind of line");
    }
    return words.end();
  }
  Result<CostModel> finish() && {
    for (std::size_t p = 0; p < kProcessors; ++p)
      for (std::size_t m = 0; m < kModes; ++m)
        if (!seen_[p][m])
          return Error(Code::kInvalid, "the part 'regression " + std::string(kProcessorNames[p]) + " " +
                                           std::string(kModeNames[m]) + "' is missing");
    return std::move(model_);
  }

 private:
  Result<void> batch(Words& words) {
    model_.scales.clear();
    while (!words.done()) {
      if (model_.scales.size() == CostModel::kMaxScales)
        return Error(Code::kInvalid, "more than " + std::to_string(CostModel::kMaxScales) + " sizes of batches");
      const float queries = FROND_TRY(words.number(1, static_cast<float>(kMaxQueries)));
      const float scale = FROND_TRY(words.number(1e-3f, 1e3f));
      const CostModel::BatchScale next{static_cast<std::uint32_t>(queries), scale};
      if (!model_.scales.empty() && next.queries <= model_.scales.back().queries)
        return Error(Code::kInvalid, "sizes of batches must ascend");
      model_.scales.push_back(next);
    }
    return {};
  }

  Result<void> regression(Words& words) {
    const std::string_view processor = words.next(), mode = words.next();
    const auto p = index_of(kProcessorNames, processor);
    const auto m = index_of(kModeNames, mode);
    if (!p) return Error(Code::kInvalid, quoted(processor) + " is no processor: cpu or gpu");
    if (!m) return Error(Code::kInvalid, quoted(mode) + " is no mode: and or or");
    if (seen_[*p][*m]) return Error(Code::kInvalid, "this part was there before");
    seen_[*p][*m] = true;
    current_ = &model_.regressions[*p][*m];
    return {};
  }

  Result<void> tree(Words& words) {
    if (current_->trees.size() == CostRegression::kMaxTrees)
      return Error(Code::kInvalid, "more than " + std::to_string(CostRegression::kMaxTrees) + " trees");
    CostTree tree;
    std::size_t levels = 0;
    for (Words ahead = words; ahead.next() != "="; ahead = words) {
      if (levels == CostTree::kDepth)
        return Error(Code::kInvalid, "a tree has at most " + std::to_string(CostTree::kDepth) + " levels, then =");
      tree.input[levels] = static_cast<std::uint8_t>(FROND_TRY(words.input()));
      tree.threshold[levels++] = FROND_TRY(words.number(-kMaxThreshold, kMaxThreshold));
    }
    words.next();
    for (std::size_t i = 0; i < std::size_t{1} << levels; ++i)
      tree.value[i] = FROND_TRY(words.number(-kMaxNumber, kMaxNumber));
    for (std::size_t i = levels; i < CostTree::kDepth; ++i) tree.threshold[i] = kNeverGreater;
    current_->trees.push_back(tree);
    return {};
  }

  CostModel model_;
  CostRegression* current_ = nullptr;  // the part that lines belong to
  bool seen_[kProcessors][kModes] = {};
};

void append_number(std::string& text, float number) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;  // the fewest digits that read back equal
  text.append(1, ' ').append(digits, end);
}

void append_tree(std::string& text, const CostTree& tree) {
  std::size_t levels = 0;
  while (levels < CostTree::kDepth && tree.threshold[levels] < kNeverGreater) ++levels;
  text += "tree";
  for (std::size_t i = 0; i < levels; ++i) {
    text.append(1, ' ').append(kCostInputs[tree.input[i]]);
    append_number(text, tree.threshold[i]);
  }
  text += " =";
  for (std::size_t i = 0; i < std::size_t{1} << levels; ++i) append_number(text, tree.value[i]);
  text += '\n';
}

}  // namespace

Result<CostModel> parse_cost_model(std::string_view text) {
  if (text.size() > kMaxCostModelBytes)
    return Error(Code::kInvalid, "longer than " + std::to_string(kMaxCostModelBytes) + " bytes");
  Reader reader;
  Lines lines(text);
  while (const auto line = lines.next()) {
    if (lines.number() == 1) {
      if (*line != kHeader) return Error(Code::kInvalid, "line 1: must be '" + std::string(kHeader) + "'");
    } else if (auto read = reader.line(*line); !read) {
      return std::move(read).error().within("line " + std::to_string(lines.number()));
    }
  }
  if (lines.number() == 0) return Error(Code::kInvalid, "line 1: must be '" + std::string(kHeader) + "'");
  return std::move(reader).finish();
}

Result<CostModel> read_cost_model(const std::filesystem::path& file) {
  const auto text = files::read_text(file, kMaxCostModelBytes + 1);
  if (text == Code::kNotFound) return Error(Code::kNotFound, file.string() + ": can't be read");
  auto model = parse_cost_model(FROND_TRY(text));
  if (!model) return std::move(model).error().within(file.string());
  return model;
}

std::string cost_model_text(const CostModel& model, std::string_view comment) {
  std::string text(kHeader);
  text += '\n';
  while (!comment.empty()) {
    const std::string_view line = comment.substr(0, comment.find('\n'));
    comment.remove_prefix(std::min(line.size() + 1, comment.size()));
    text.append("# ").append(line) += '\n';
  }
  text += "launch_us";
  append_number(text, model.launch_us);
  text += "\nbatch";
  for (const auto& scale : model.scales) {
    text.append(1, ' ').append(std::to_string(scale.queries));
    append_number(text, scale.scale);
  }
  text += '\n';
  for (std::size_t p = 0; p < kProcessors; ++p)
    for (std::size_t m = 0; m < kModes; ++m) {
      const CostRegression& regression = model.regressions[p][m];
      text.append("regression ").append(kProcessorNames[p]).append(1, ' ').append(kModeNames[m]) += "\nbase";
      append_number(text, regression.base);
      text += '\n';
      for (std::size_t i = 0; i < kCostInputs.size(); ++i) {
        if (regression.weight[i] == 0) continue;
        text.append("weight ").append(kCostInputs[i]);
        append_number(text, regression.weight[i]);
        text += '\n';
      }
      for (const CostTree& tree : regression.trees) append_tree(text, tree);
    }
  return text;
}

}  // namespace frond::leaf::schedule
