#pragma once
// The documents of a synthetic collection: their lengths and origins. They are generated one window at a time. Each
// window has its own random numbers, so the result does not depend on the thread.
//
// Lengths are log-normal. For speed, documents fall into classes of equal probability by length, and lists are drawn
// class by class. Long documents have more terms, so two lists have more documents in common than by chance, as real
// ones do (Ao 2011, Table 4: intersections).
#include <array>
#include <cstdint>
#include <vector>

#include "common/base/ids.h"
#include "tools/synth/profile.h"

namespace frond::tools::synth {

enum class DocidOrder {
  kInput,  // documents of one origin are neighbours: clustered
  kRandom  // as if shuffled: all documents of a class are equally probable
};

struct CollectionSize {
  const Profile* profile = nullptr;
  std::uint32_t documents = 0;  // at least 1
  DocidOrder order = DocidOrder::kInput;
  std::uint64_t seed = 1;
};

inline constexpr std::uint32_t kMaxWindow = 1u << 14;  // documents
inline constexpr std::size_t kClasses = 16;

struct Window {
  DocId begin = 0;
  std::uint32_t count = 0;
  std::uint32_t run = 0;  // 0 in random order
};
// All windows of the collection, in order. No window crosses the end of a run.
std::vector<Window> windows_of(const CollectionSize& size);

// The documents of a window by class.
struct WindowDocuments {
  Window window;
  std::vector<std::uint8_t> class_of;               // class_of[i]: class of the window's i-th document
  std::vector<std::uint16_t> by_class;              // the i of each class, ascending
  std::array<std::uint32_t, kClasses + 1> first{};  // class c is by_class[first[c] .. first[c + 1])
};
// Also appends each document's length, at least 1, to `lengths`.
WindowDocuments draw_documents(const CollectionSize& size, const Window& window, std::vector<std::uint32_t>& lengths);

// For each class c, how much more probable than on average a term is in its documents. The mean over classes is 1.
std::array<double, kClasses> class_factors(const Profile& profile);

}  // namespace frond::tools::synth
