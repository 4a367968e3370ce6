#include "tools/synth/list_model.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "tools/synth/random.h"

namespace frond::tools::synth {
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
    const double usual = runs == 1 ? 1 : gamma_of_mean_one(random, size.profile->run_shape);
    for (const double one : classes) factors.push_back(std::max(usual * one, 1e-9));
  }
  const double repeats = size.profile->repeats * (0.4 + 1.2 * random.unit());
  for (std::size_t c = 0; c < kClasses; ++c)
    again_[c] = static_cast<float>(repeats * classes[c] / (1 + repeats * classes[c]));
  const double share = std::min((postings - 1.0) / std::max(size.documents - 1.0, 1.0), kMaxShare);
  const double rate = share <= 0 ? 0 : rate_for(share, factors);
  chances_.resize(runs);
  for (std::size_t i = 0; i < factors.size(); ++i)
    chances_[i / kClasses][i % kClasses] = static_cast<float>(-std::expm1(-rate * factors[i]));
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
      const auto again = static_cast<std::uint64_t>(static_cast<double>(again_[documents.class_of[i]]) * 0x1p64);
      Frequency frequency = 1;
      while (frequency < kMaxFrequency && random.next() < again) ++frequency;
      out.docids.push_back(window.begin + static_cast<DocId>(i));
      out.frequencies.push_back(frequency);
    }
}

Postings draw_list(const SyntheticList& list, std::span<const WindowDocuments> documents) {
  Postings postings;
  for (const auto& window : documents) list.append(window, postings);
  return postings;
}

}  // namespace frond::tools::synth
