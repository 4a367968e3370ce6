#pragma once
// Analyzers that requests share.
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "common/base/mutex.h"
#include "common/text/analyzer.h"

namespace frond::leaf::serve {

// Keeps analyzers from one request to the next. Making one costs more than the snippets of a whole page: its stem cache
// of 2 MiB must be cleared and then filled again.
//
// Keeps as many analyzers as were in use at once, all of one configuration. Any thread.
class AnalyzerPool {
 public:
  // Returns the analyzer to the pool when destroyed. The pool outlives it. One thread.
  class Lease {
   public:
    Lease(AnalyzerPool& pool, const text::AnalyzerConfig& config, std::unique_ptr<text::Analyzer> analyzer)
        : pool_(pool), config_(config), analyzer_(std::move(analyzer)) {}
    ~Lease() { pool_.give_back(config_, std::move(analyzer_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    text::Analyzer& operator*() const { return *analyzer_; }

   private:
    AnalyzerPool& pool_;
    const text::AnalyzerConfig config_;
    std::unique_ptr<text::Analyzer> analyzer_;
  };

  Lease take(const text::AnalyzerConfig& config) {
    std::vector<std::unique_ptr<text::Analyzer>> of_another;  // destroyed after the lock is released
    std::unique_ptr<text::Analyzer> analyzer;
    {
      const MutexLock lock(mutex_);
      if (!(config_ == config)) {
        of_another.swap(idle_);
        config_ = config;
      }
      if (!idle_.empty()) {
        analyzer = std::move(idle_.back());
        idle_.pop_back();
      }
    }
    if (analyzer == nullptr) analyzer = std::make_unique<text::Analyzer>(config);
    return Lease(*this, config, std::move(analyzer));
  }

 private:
  void give_back(const text::AnalyzerConfig& config, std::unique_ptr<text::Analyzer> analyzer) {
    const MutexLock lock(mutex_);
    try {
      if (config_ == config) idle_.push_back(std::move(analyzer));
    } catch (const std::exception&) {  // out of memory, in a destructor: it is made again
    }
  }

  Mutex mutex_;
  text::AnalyzerConfig config_ FROND_GUARDED_BY(mutex_);  // of the analyzers in idle_
  std::vector<std::unique_ptr<text::Analyzer>> idle_ FROND_GUARDED_BY(mutex_);
};

}  // namespace frond::leaf::serve
