#include "tools/bench/schedule/cost_training.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "common/base/check.h"

namespace frond::tools::bench {
namespace {

using leaf::schedule::CostInputs, leaf::schedule::CostRegression, leaf::schedule::CostTree;

constexpr std::size_t kInputs = std::tuple_size_v<CostInputs>;
constexpr std::size_t kBins = 64;        // thresholds that are tried are quantiles
constexpr double kRidge = 1e-3;          // per sample, of standardised inputs
constexpr double kShrinkage = 0.25;      // of the values of a tree
constexpr double kLeafPrior = 8;         // samples of residual 0 in each leaf
constexpr std::size_t kMinSamples = 64;  // fewer: no trees

// Solves a x = b for a symmetric positive definite `a` (Cholesky).
std::array<double, kInputs> solve(std::array<std::array<double, kInputs>, kInputs> a, std::array<double, kInputs> b) {
  for (std::size_t i = 0; i < kInputs; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i][k] * a[j][k];
      a[i][j] = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / a[j][j];
    }
  for (std::size_t i = 0; i < kInputs; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  for (std::size_t i = kInputs; i-- > 0;) {
    for (std::size_t k = i + 1; k < kInputs; ++k) b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

void fit_line(std::span<const CostSample> samples, std::span<const double> target, CostRegression& regression) {
  const auto count = static_cast<double>(samples.size());
  std::array<double, kInputs> mean{}, deviation{};
  for (const auto& sample : samples)
    for (std::size_t i = 0; i < kInputs; ++i) mean[i] += static_cast<double>(sample.inputs[i]) / count;
  for (const auto& sample : samples)
    for (std::size_t i = 0; i < kInputs; ++i)
      deviation[i] += std::pow(static_cast<double>(sample.inputs[i]) - mean[i], 2) / count;
  for (double& one : deviation) one = std::sqrt(one);
  const double target_mean = std::accumulate(target.begin(), target.end(), 0.0) / count;
  std::array<std::array<double, kInputs>, kInputs> products{};
  std::array<double, kInputs> with_target{};
  for (std::size_t s = 0; s < samples.size(); ++s) {
    std::array<double, kInputs> x{};
    for (std::size_t i = 0; i < kInputs; ++i)
      x[i] = deviation[i] > 1e-9 ? (static_cast<double>(samples[s].inputs[i]) - mean[i]) / deviation[i] : 0;
    for (std::size_t i = 0; i < kInputs; ++i) {
      for (std::size_t j = 0; j <= i; ++j) products[i][j] += x[i] * x[j];
      with_target[i] += x[i] * (target[s] - target_mean);
    }
  }
  for (std::size_t i = 0; i < kInputs; ++i) products[i][i] += kRidge * count;
  const auto weights = solve(products, with_target);
  double base = target_mean;
  for (std::size_t i = 0; i < kInputs; ++i) {
    const double weight = deviation[i] > 1e-9 ? weights[i] / deviation[i] : 0;
    regression.weight[i] = static_cast<float>(weight);
    base -= weight * mean[i];
  }
  regression.base = static_cast<float>(base);
}

// Which interval between quantiles each input of each sample is in.
class Bins {
 public:
  explicit Bins(std::span<const CostSample> samples) : bins_(samples.size()) {
    std::vector<float> values(samples.size());
    for (std::size_t i = 0; i < kInputs; ++i) {
      for (std::size_t s = 0; s < samples.size(); ++s) values[s] = samples[s].inputs[i];
      std::sort(values.begin(), values.end());
      for (std::size_t b = 1; b < kBins; ++b) {
        const float at = values[b * (values.size() - 1) / kBins];
        if (edges_[i].empty() || edges_[i].back() < at) edges_[i].push_back(at);
      }
      for (std::size_t s = 0; s < samples.size(); ++s)
        bins_[s][i] = static_cast<std::uint8_t>(
            std::lower_bound(edges_[i].begin(), edges_[i].end(), samples[s].inputs[i]) - edges_[i].begin());
    }
  }
  // A sample's input is greater than threshold(input, b) if its bin is greater than b.
  std::uint8_t bin(std::size_t sample, std::size_t input) const { return bins_[sample][input]; }
  float threshold(std::size_t input, std::size_t bin) const { return edges_[input][bin]; }
  std::size_t thresholds(std::size_t input) const { return edges_[input].size(); }

 private:
  std::array<std::vector<float>, kInputs> edges_;
  std::vector<std::array<std::uint8_t, kInputs>> bins_;
};

struct Sum {
  double of = 0, count = 0;
  double score() const { return of * of / (count + kLeafPrior); }
};

// The next level of a tree: the comparison which, in all leaves so far, explains the residuals best.
struct Split {
  std::size_t input = 0, bin = 0;
  double score = -1;
};
Split best_split(const Bins& bins, std::span<const double> residuals, std::span<const std::uint8_t> leaf,
                 std::size_t leaves) {
  Split best;
  std::vector<std::array<Sum, kBins>> sums(leaves);
  for (std::size_t input = 0; input < kInputs; ++input) {
    if (bins.thresholds(input) == 0) continue;
    for (auto& of_leaf : sums) of_leaf.fill({});
    for (std::size_t s = 0; s < residuals.size(); ++s) {
      Sum& sum = sums[leaf[s]][bins.bin(s, input)];
      sum.of += residuals[s];
      sum.count += 1;
    }
    std::vector<double> score(bins.thresholds(input));
    for (auto& of_leaf : sums) {
      Sum all, below;
      for (const Sum& sum : of_leaf) all = {all.of + sum.of, all.count + sum.count};
      for (std::size_t b = 0; b < score.size(); ++b) {
        below = {below.of + of_leaf[b].of, below.count + of_leaf[b].count};
        score[b] += below.score() + Sum{all.of - below.of, all.count - below.count}.score();
      }
    }
    for (std::size_t b = 0; b < score.size(); ++b)
      if (score[b] > best.score) best = {input, b, score[b]};
  }
  return best;
}

CostTree fit_tree(const Bins& bins, std::span<const double> residuals) {
  CostTree tree;
  std::vector<std::uint8_t> leaf(residuals.size(), 0);
  for (std::size_t level = 0; level < CostTree::kDepth; ++level) {
    const Split split = best_split(bins, residuals, leaf, std::size_t{1} << level);
    if (split.score < 0) break;
    tree.input[level] = static_cast<std::uint8_t>(split.input);
    tree.threshold[level] = bins.threshold(split.input, split.bin);
    for (std::size_t s = 0; s < residuals.size(); ++s)
      leaf[s] = static_cast<std::uint8_t>(leaf[s] | (bins.bin(s, split.input) > split.bin) << level);
  }
  std::array<Sum, 1u << CostTree::kDepth> sums{};
  for (std::size_t s = 0; s < residuals.size(); ++s) {
    sums[leaf[s]].of += residuals[s];
    sums[leaf[s]].count += 1;
  }
  // Rounded: the file stays readable, and the error of a prediction is far greater.
  for (std::size_t i = 0; i < sums.size(); ++i)
    tree.value[i] = static_cast<float>(std::round(kShrinkage * sums[i].of / (sums[i].count + kLeafPrior) * 1e4) / 1e4);
  return tree;
}

}  // namespace

CostRegression fit_costs(std::span<const CostSample> samples, std::size_t max_trees) {
  CostRegression regression;
  if (samples.empty()) return regression;
  std::vector<double> residuals;
  for (const auto& sample : samples) {
    FROND_CHECK(sample.us > 0);
    residuals.push_back(std::log2(sample.us));
  }
  fit_line(samples, residuals, regression);
  for (std::size_t s = 0; s < samples.size(); ++s)
    for (std::size_t i = 0; i < kInputs; ++i)
      residuals[s] -= static_cast<double>(regression.weight[i] * samples[s].inputs[i]);
  for (double& residual : residuals) residual -= static_cast<double>(regression.base);
  if (samples.size() < kMinSamples) return regression;
  const Bins bins(samples);
  while (regression.trees.size() < max_trees) {
    regression.trees.push_back(fit_tree(bins, residuals));
    for (std::size_t s = 0; s < samples.size(); ++s)
      residuals[s] -= static_cast<double>(regression.trees.back().at(samples[s].inputs));
  }
  return regression;
}

RelativeErrors errors_of(std::span<const double> predicted, std::span<const double> measured) {
  FROND_CHECK(predicted.size() == measured.size());
  RelativeErrors errors{.count = predicted.size()};
  if (predicted.empty()) return errors;
  std::vector<double> each;
  double all_predicted = 0, all_measured = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    each.push_back(std::abs(predicted[i] - measured[i]) / measured[i]);
    all_predicted += predicted[i];
    all_measured += measured[i];
  }
  std::sort(each.begin(), each.end());
  errors.mean = std::accumulate(each.begin(), each.end(), 0.0) / static_cast<double>(each.size());
  errors.median = each[each.size() / 2];
  errors.p90 = each[each.size() * 9 / 10];
  errors.bias = all_predicted / all_measured;
  return errors;
}

}  // namespace frond::tools::bench
