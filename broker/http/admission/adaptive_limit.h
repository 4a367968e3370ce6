#pragma once
// How many searches may be evaluated at a time so that they are answered in less than half of their time: found from
// how long those take that were evaluated. With more, answers come late or in part and no more of them come. See
// ADR 99.
//
// A search that began as the n-th and took the share r of its time tells that n * 0.4 / r places are right: where
// searches wait for each other, r grows with n. Where they do not (they are slow alone, or clients give them little
// time), fewer places help nobody. So it is tried: fewer places are given up for a while if r stays, and where all are
// taken twice as many are kept if r stays.
//
// Belongs to one lock or thread. Its time is that of its caller.
#include <cstddef>
#include <optional>

#include "common/base/deadline.h"

namespace frond::broker::http {

class AdaptiveLimit {
 public:
  // The share of its time that a search is to take.
  static constexpr double kAim = 0.4;

  // Never more than `most`, which is at least 1. It begins with a quarter of them, but at least 128.
  explicit AdaptiveLimit(std::size_t most);

  std::size_t limit() const { return static_cast<std::size_t>(limit_); }
  // A search comes and no other is evaluated. What was found before a silence no longer holds: all begins anew.
  void came(Instant now);
  // A search has ended. `places`: how many were taken when it began, with its own. `used`: the share of its time that
  // it took, 1 if it came too late.
  void ended(std::size_t places, double used, Instant now);

 private:
  // What the searches of a while had, on average.
  struct Seen {
    double places = 0, used = 0;
    double late = 0;         // share of them
    double limit = 0;        // then
    bool all_taken = false;  // by one of them
  };
  // What is tried from `from` on.
  struct Try {
    Seen from;
    Instant since;
    int in_vain = 0;  // times one behind the other that it seemed so
  };
  void decide(const Seen& seen, Instant now);
  bool is_in_vain(const Seen& seen, Instant now);
  void lower(const Seen& seen, Instant now);
  void raise(const Seen& seen, Instant now);

  double most_, least_;
  double limit_;
  std::optional<Instant> last_;   // a search ended
  std::optional<Instant> begun_;  // the searches that are counted now
  std::size_t count_ = 0, most_places_ = 0;
  double places_ = 0, used_ = 0, late_ = 0;  // their sums
  std::optional<Try> lowered_, raised_;
  Instant no_lower_before_{}, no_raise_before_{};
};

}  // namespace frond::broker::http
