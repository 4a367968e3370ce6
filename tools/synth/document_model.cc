#include "tools/synth/document_model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "tools/synth/random.h"

namespace frond::tools::synth {
namespace {

constexpr std::uint64_t kOfDocuments = 2;
// Quantiles of the standard normal distribution, at 1/16, 2/16, … 15/16.
constexpr std::array<double, kClasses - 1> kQuantiles = {
    -1.5341205443525463, -1.1503493803760079, -0.8871465590188762, -0.6744897501960817,
    -0.4887764111146695, -0.3186393639643751, -0.1573106846101707, 0.0,
    0.1573106846101707,  0.3186393639643751,  0.4887764111146695,  0.6744897501960817,
    0.8871465590188762,  1.1503493803760079,  1.5341205443525463};

double below(double quantile) { return 0.5 * std::erfc(-quantile / std::numbers::sqrt2); }

}  // namespace

std::vector<Window> windows_of(const CollectionSize& size) {
  const std::uint64_t all = size.documents;
  const std::uint64_t runs = size.order == DocidOrder::kRandom ? 1 : std::min<std::uint64_t>(size.profile->runs, all);
  std::vector<Window> windows;
  for (std::uint64_t run = 0; run < runs; ++run) {
    const std::uint64_t end = all * (run + 1) / runs;
    for (std::uint64_t begin = all * run / runs; begin < end; begin += kMaxWindow)
      windows.push_back({static_cast<DocId>(begin),
                         static_cast<std::uint32_t>(std::min<std::uint64_t>(end - begin, kMaxWindow)),
                         static_cast<std::uint32_t>(run)});
  }
  return windows;
}

WindowDocuments draw_documents(const CollectionSize& size, const Window& window, std::vector<std::uint32_t>& lengths) {
  Random random(size.seed, kOfDocuments, window.begin);
  const double sigma = size.profile->length_sigma, median = size.profile->mean_length * std::exp(-sigma * sigma / 2);
  WindowDocuments documents{.window = window, .class_of = {}, .by_class = {}, .first = {}};
  documents.class_of.reserve(window.count);
  for (std::uint32_t i = 0; i < window.count; ++i) {
    const double z = normal(random);
    const auto at = std::upper_bound(kQuantiles.begin(), kQuantiles.end(), z) - kQuantiles.begin();
    documents.class_of.push_back(static_cast<std::uint8_t>(at));
    ++documents.first[static_cast<std::size_t>(at) + 1];
    lengths.push_back(static_cast<std::uint32_t>(std::clamp(median * std::exp(sigma * z), 1.0, 1e6)));
  }
  for (std::size_t c = 0; c < kClasses; ++c) documents.first[c + 1] += documents.first[c];
  documents.by_class.resize(window.count);
  auto next = documents.first;
  for (std::uint32_t i = 0; i < window.count; ++i)
    documents.by_class[next[documents.class_of[i]]++] = static_cast<std::uint16_t>(i);
  return documents;
}

std::array<double, kClasses> class_factors(const Profile& profile) {
  // Between two quantiles z, the mean of a log-normal variable is proportional to the difference of the normal
  // distribution function at z - sigma.
  std::array<double, kClasses> factors{};
  for (std::size_t c = 0; c < kClasses; ++c) {
    const double low = c == 0 ? 0 : below(kQuantiles[c - 1] - profile.length_sigma);
    const double high = c + 1 == kClasses ? 1 : below(kQuantiles[c] - profile.length_sigma);
    factors[c] = (high - low) * kClasses;
  }
  return factors;
}

namespace {

constexpr std::uint64_t kOfList = 3, kOfWindow = 4;
constexpr Frequency kMaxFrequency = 255;
constexpr float kDense = 0.1f;  // from this chance on each document is drawn by itself; below it gaps are drawn
constexpr double kMaxShare = 0.98;

std::uint32_t run_count(const CollectionSize& size) {
  if (size.order == DocidOrder::kRandom) return 1;
  return std::min(size.profile->runs, size.documents);
}

// The rate at which the mean of 1 - exp(-rate * factor) is `share`, by Newton's method from the left: the function is
// concave, so no step goes too far.
double rate_for(double share, std::span<const double> factors) {
  double rate = 0;
  for (int step = 0; step < 100; ++step) {
    double mean = 0, slope = 0;
    for (const double factor : factors) {
      const double absent = std::exp(-rate * factor);
      mean += 1 - absent;
      slope += factor * absent;
    }
    const double more = (share * static_cast<double>(factors.size()) - mean) / slope;
    if (!(more > rate * 1e-9)) break;
    rate += more;
  }
  return rate;
}

constexpr std::size_t kImpacts = 256;

// So many of the standard normal distribution, equally probable and ascending.
std::array<double, kImpacts> normal_numbers() {
  std::array<double, kImpacts> numbers{};
  for (std::size_t i = 0; i < kImpacts; ++i) {
    double low = -8, high = 8;
    for (int step = 0; step < 60; ++step) {
      const double middle = (low + high) / 2;
      (below(middle) * kImpacts < static_cast<double>(i) + 0.5 ? low : high) = middle;
    }
    numbers[i] = low;
  }
  return numbers;
}

// So many impacts, equally probable, around `scale` times the profile's median.
std::vector<std::uint8_t> impacts_of(const Profile& profile, double scale) {
  static const std::array<double, kImpacts> numbers = normal_numbers();
  std::vector<std::uint8_t> impacts;
  for (const double number : numbers) {
    const double impact = scale * profile.impacts.median * std::exp(profile.impacts.sigma * number);
    impacts.push_back(static_cast<std::uint8_t>(std::clamp(std::round(impact), 1.0, double{kMaxFrequency})));
  }
  return impacts;
}

double usual_of(Random& random, const Profile& profile) { return gamma_of_mean_one(random, profile.run_shape); }

// Marks each document of the class with the same probability.
void mark(std::span<const std::uint16_t> members, float chance, Random& random, std::span<std::uint64_t> marks) {
  const auto set = [&](std::uint16_t i) { marks[i / 64] |= std::uint64_t{1} << (i % 64); };
  if (chance <= 0) return;
  if (chance >= kDense) {
    const auto bound = static_cast<std::uint64_t>(static_cast<double>(chance) * 0x1p32);
    for (std::size_t i = 0; i < members.size(); i += 2) {
      const std::uint64_t two = random.next();
      if ((two & 0xffffffff) < bound) set(members[i]);
      if (i + 1 < members.size() && two >> 32 < bound) set(members[i + 1]);
    }
    return;
  }
  const double scale = 1 / std::log1p(-static_cast<double>(chance)), end = static_cast<double>(members.size());
  for (double at = std::floor(std::log(random.positive_unit()) * scale); at < end;
       at += 1 + std::floor(std::log(random.positive_unit()) * scale))
    set(members[static_cast<std::size_t>(at)]);
}

}  // namespace

SyntheticList::SyntheticList(const CollectionSize& size, std::uint32_t number, std::uint32_t postings)
    : seed_(size.seed), number_(number) {
  Random random(size.seed, kOfList, number);
  sure_ = random.below(size.documents);
  const auto classes = class_factors(*size.profile);
  const std::uint32_t runs = run_count(size);
  std::vector<double> factors;  // for every class of every run
  for (std::uint32_t run = 0; run < runs; ++run) {
    const double usual = runs == 1 ? 1 : usual_of(random, *size.profile);
    for (const double one : classes) factors.push_back(std::max(usual * one, 1e-9));
  }
  const double repeats = size.profile->repeats * (0.4 + 1.2 * random.unit());
  if (size.profile->has_impacts()) impacts_ = impacts_of(*size.profile, 0.6 + 0.8 * random.unit());
  for (std::size_t c = 0; c < kClasses; ++c)
    again_[c] = static_cast<float>(repeats * classes[c] / (1 + repeats * classes[c]));
  const double share = std::min((postings - 1.0) / std::max(size.documents - 1.0, 1.0), kMaxShare);
  const double rate = share <= 0 ? 0 : rate_for(share, factors);
  chances_.resize(runs);
  for (std::size_t i = 0; i < factors.size(); ++i)
    chances_[i / kClasses][i % kClasses] = static_cast<float>(-std::expm1(-rate * factors[i]));
}

double usual_in_run(const CollectionSize& size, std::uint32_t number, std::uint32_t run) {
  if (run_count(size) == 1) return 1;
  Random random(size.seed, kOfList, number);
  random.below(size.documents);  // as SyntheticList's constructor draws
  double usual = 0;
  for (std::uint32_t i = 0; i <= run; ++i) usual = usual_of(random, *size.profile);
  return usual;
}

void SyntheticList::append(const WindowDocuments& documents, Postings& out) const {
  const Window& window = documents.window;
  Random random(seed_, kOfWindow, number_, window.begin);
  std::array<std::uint64_t, kMaxWindow / 64> all_marks;
  const auto marks = std::span(all_marks).first((window.count + 63) / 64);
  std::fill(marks.begin(), marks.end(), 0);
  const std::span<const std::uint16_t> members = documents.by_class;
  for (std::size_t c = 0; c < kClasses; ++c)
    mark(members.subspan(documents.first[c], documents.first[c + 1] - documents.first[c]), chances_[window.run][c],
         random, marks);
  if (sure_ - window.begin < window.count)
    marks[(sure_ - window.begin) / 64] |= std::uint64_t{1} << ((sure_ - window.begin) % 64);
  for (std::size_t word = 0; word < marks.size(); ++word)
    for (std::uint64_t left = marks[word]; left != 0; left &= left - 1) {
      const std::size_t i = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
      out.docids.push_back(window.begin + static_cast<DocId>(i));
      if (!impacts_.empty()) {
        out.frequencies.push_back(impacts_[random.next() % kImpacts]);
        continue;
      }
      const auto again = static_cast<std::uint64_t>(static_cast<double>(again_[documents.class_of[i]]) * 0x1p64);
      Frequency frequency = 1;
      while (frequency < kMaxFrequency && random.next() < again) ++frequency;
      out.frequencies.push_back(frequency);
    }
}

Postings draw_list(const SyntheticList& list, std::span<const WindowDocuments> documents) {
  Postings postings;
  for (const auto& window : documents) list.append(window, postings);
  return postings;
}

}  // namespace frond::tools::synth
