#include "indexer/publish/dealt_chains.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "common/base/thread_name.h"
#include "indexer/pipeline/bounded_queue.h"
#include "indexer/pipeline/first_error.h"
#include "indexer/pipeline/memory.h"
#include "indexer/publish/posting_dealer.h"

namespace frond::indexer::publish {
namespace {

constexpr std::size_t kTermsAtATime = 4096, kAhead = 4;  // of one inverter

using Terms = std::shared_ptr<const invert::HeldTerms>;

std::uint64_t postings_of(const invert::PostingChain& chain) {
  return std::uint64_t{chain.documents} + (chain.frequency != 0 ? 1 : 0);
}

// The terms of one inverter, on their way from the thread that orders them.
class OrderedTerms {
 public:
  OrderedTerms(invert::HeldChains& held, std::size_t number, pipeline::FirstError& error)
      : first_document_(held.first_document()), stop_(error.token()), thread_([this, &held, number, &error] {
          name_this_thread(("order-" + std::to_string(number)).c_str());
          error.guard([&]() -> Result<void> {
            for (bool more = true; more;) {
              auto some = std::make_shared<invert::HeldTerms>(held.take_terms(kTermsAtATime));
              more = !some->terms.empty();
              if (more && !queue_.push(std::move(some), stop_)) break;
            }
            queue_.close();
            return {};
          });
        }) {}

  // The thread may wait for room.
  ~OrderedTerms() { queue_.close(); }
  OrderedTerms(const OrderedTerms&) = delete;
  OrderedTerms& operator=(const OrderedTerms&) = delete;

  // Moves to the next term, at first to the first one. False: there is none, or stopped.
  bool next() {
    if (terms_ != nullptr && ++at_ < terms_->terms.size()) {
      set_term();
      return true;
    }
    auto some = queue_.pop(stop_);
    if (!some) return false;
    terms_ = *std::move(some);
    at_ = 0;
    set_term();
    return true;
  }
  const Terms& terms() const { return terms_; }
  std::size_t at() const { return at_; }
  std::uint64_t first_document() const { return first_document_; }
  // By the terms at hand.
  bool is_before(const OrderedTerms& other) const {
    return head_ != other.head_ ? head_ < other.head_ : term_ < other.term_;
  }

 private:
  void set_term() {
    term_ = terms_->term(at_);
    head_ = 0;
    std::memcpy(&head_, term_.data(), std::min(term_.size(), sizeof head_));
    head_ = __builtin_bswap64(head_);
  }
  const std::uint64_t first_document_;
  const std::stop_token stop_;
  pipeline::BoundedQueue<Terms> queue_{kAhead};
  Terms terms_;
  std::size_t at_ = 0;  // of the term at hand
  std::string_view term_;
  std::uint64_t head_ = 0;  // its first eight bytes, as a number that sorts as they do
  std::jthread thread_;     // last: it uses the others
};

// Terms of all inverters that follow each other.
struct Slice {
  struct Term {
    const invert::HeldTerms* of;
    std::size_t at;  // in these
    std::uint64_t first_document;
    std::string_view text() const { return of->term(at); }
  };
  std::vector<Terms> used;  // by `terms`
  std::vector<Term> terms;
  std::uint64_t postings = 0;
};

// Puts the terms of all inverters in order.
class JoinedTerms {
 public:
  JoinedTerms(const std::vector<std::unique_ptr<invert::HeldChains>>& held, pipeline::FirstError& error) {
    for (const auto& one : held) all_.push_back(std::make_unique<OrderedTerms>(*one, all_.size(), error));
    for (const auto& one : all_)
      if (one->next()) open_.push_back({one.get(), nullptr});
  }
  // The next terms, until they have so many postings; none: there are none left, or stopped.
  Slice next(std::uint64_t postings) {
    Slice slice;
    for (One& one : open_) one.used = nullptr;
    while (slice.postings < postings && !open_.empty()) {
      std::size_t least = 0;
      for (std::size_t i = 1; i < open_.size(); ++i)
        if (open_[i].terms->is_before(*open_[least].terms)) least = i;
      One& one = open_[least];
      const Terms& terms = one.terms->terms();
      if (one.used != terms.get()) slice.used.push_back(terms);
      one.used = terms.get();
      slice.terms.push_back({terms.get(), one.terms->at(), one.terms->first_document()});
      slice.postings += postings_of(*terms->terms[one.terms->at()].chain);
      if (!one.terms->next()) open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(least));
    }
    return slice;
  }

 private:
  struct One {
    OrderedTerms* terms;
    const invert::HeldTerms* used;  // last, by the slice at hand
  };
  std::vector<std::unique_ptr<OrderedTerms>> all_;
  std::vector<One> open_;  // that have a term
};

struct Dealt {
  DealtSlice made;
  std::shared_ptr<const Slice> slice;
};

// Any thread.
DealtSlice deal(const Slice& slice, std::uint32_t partitions) {
  PostingDealer dealer(partitions, slice.postings);
  DealtSlice made;
  made.terms.reserve(slice.terms.size());
  for (const Slice::Term& one : slice.terms) {
    const std::string_view term = one.text();
    const invert::PostingChain& chain = *one.of->terms[one.at].chain;
    DealtSlice::Statistics& statistics = made.terms.emplace_back();
    statistics.document_frequency = static_cast<std::uint32_t>(postings_of(chain));
    invert::for_each_posting(chain, *one.of->arena, [&](std::uint32_t number, Frequency frequency) {
      statistics.occurrences += frequency;
      dealer.add(term, one.first_document + number, frequency);
    });
    dealer.end_term(term);
  }
  made.groups = dealer.take();
  return made;
}

}  // namespace

Result<void> deal_chains(const std::vector<std::unique_ptr<invert::HeldChains>>& held,
                         std::vector<std::unique_ptr<Groups>>& to, WrittenTerms* terms, TaskPool& pool,
                         std::stop_token stop) {
  pipeline::FirstError error(stop);
  error.guard([&]() -> Result<void> {
    JoinedTerms joined(held, error);
    OrderedTasks<Dealt> tasks(pool, (pool.threads() + 2) * pipeline::kHeldSlicePostings);
    bool more = true;
    while (more || !tasks.empty()) {
      while (more && !tasks.full()) {
        auto slice = std::make_shared<const Slice>(joined.next(pipeline::kHeldSlicePostings));
        more = !slice->terms.empty();
        if (!more) break;
        tasks.begin(slice->postings,
                    [slice, partitions = static_cast<std::uint32_t>(to.size())](std::size_t) -> Result<Dealt> {
                      return Dealt{deal(*slice, partitions), slice};
                    });
      }
      if (tasks.empty()) break;
      Dealt dealt = FROND_TRY(tasks.take());
      for (std::size_t i = 0; terms != nullptr && i < dealt.made.terms.size(); ++i)
        FROND_TRY(terms->put(dealt.slice->terms[i].text(), dealt.made.terms[i].document_frequency,
                             dealt.made.terms[i].occurrences));
      FROND_TRY(give_groups(std::move(dealt.made.groups), to, error.token()));
    }
    return {};
  });
  FROND_TRY(error.result());
  for (const auto& queue : to) queue->close();
  return {};
}

}  // namespace frond::indexer::publish
