#pragma once
// The documents of a synthetic collection: how long they are, and where one origin ends and another begins. Made a
// window at a time, each from its own random numbers: the same whoever makes it, and when.
//
// Lengths are log-normal. For the sake of speed documents are dealt into classes of equal probability by length, and
// lists are drawn class by class: long documents have more terms, so lists have more documents in common than chance
// alone would give, as real ones do (Ao 2011, Table 4: intersections).
#include <array>
#include <cstdint>
#include <vector>

#include "common/base/ids.h"
#include "tools/synth/profile.h"

namespace frond::tools::synth {

enum class DocidOrder {
  kInput,  // documents of one origin together: clustered
  kRandom  // as if shuffled: every document of a class is as probable as any other
};

struct CollectionSize {
  const Profile* profile = nullptr;
  std::uint32_t documents = 0;  // at least 1
  DocidOrder order = DocidOrder::kInput;
  std::uint64_t seed = 1;
};

inline constexpr std::uint32_t kWindow = 1u << 14;  // most documents of a window
inline constexpr std::size_t kClasses = 16;

struct Window {
  DocId begin = 0;
  std::uint32_t count = 0;
  std::uint32_t run = 0;  // 0 in random order
};
// Of the whole collection, in order. No window reaches over the end of a run.
std::vector<Window> windows_of(const CollectionSize& size);

// A window's documents by class.
struct WindowDocuments {
  Window window;
  std::vector<std::uint8_t> class_of;               // of the i-th document
  std::vector<std::uint16_t> by_class;              // i, ascending in each class
  std::array<std::uint32_t, kClasses + 1> first{};  // class c is by_class[first[c] .. first[c + 1])
};
// Also appends each document's length, at least 1, to `lengths`.
WindowDocuments draw_documents(const CollectionSize& size, const Window& window, std::vector<std::uint32_t>& lengths);

// How much more probable than on average a term is in a document of class c; 1 in the mean over classes.
std::array<double, kClasses> class_factors(const Profile& profile);

}  // namespace frond::tools::synth
