#pragma once
// What is known from measurements: constants.json, compiled in, or a file of the same form. Each constant there names
// its page, commit and machine.
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace frond::tools::plan {

// How the work of searches spreads around its mean: quantiles that ascend from probability 0 to 1, between which values
// are interpolated.
struct WorkSpread {
  struct Point {
    double probability = 0, work = 0;  // of searches that have at most this work; 1 is the mean
  };
  std::vector<Point> points;
  // The work of a search at this place, 0 to 1.
  double at(double place) const;
};

// Times are microseconds of a processor unless another unit is said.
struct Constants {
  // A repository, and what leaves and GPUs hold of it.
  double generation_bytes_posting = 0, text_bytes_byte = 0, document_bytes = 0;
  double postings_word = 0, bytes_word = 0;  // of a document's text: different words, and bytes
  double leaf_mib = 0, leaf_bytes_document = 0, list_bytes_posting = 0;
  double gpu_mib = 0, gpu_bytes_document = 0, gpu_bytes_posting = 0;
  // What a search costs.
  double query_postings_document = 0;  // postings that a query reads, by documents of the collection
  double leaf_us = 0;                  // a leaf, whatever is found
  // What is evaluated: of a million postings in a leaf; others by this power, as half of them are more than half of the
  // work.
  double or_us_million = 0, and_us_million = 0, work_power = 1;
  double show_us = 0, show_text_us = 0;        // a document shown, without and with text
  double gpu_host_us = 0, gpu_us_posting = 0;  // with a GPU: of the leaf's cores; of the GPU, in batches
  double broker_us = 0, broker_us_leaf = 0;    // a broker; and for each leaf that it asks
  double cached_us = 0;                        // an answer of the result cache
  // Times that pass and are no processor's work: ways and wake-ups of a search, of the second round trip for documents,
  // of a batch on a GPU.
  double way_us = 0, fetch_way_us = 0, gpu_way_us = 0;
  // A leaf that is kept from work: in which share of searches, and how long on average.
  double stall_share = 0, stall_us = 0;
  double split_more = 0;   // what a search costs more, as a share of its work, if cores share it
  double leaf_spread = 0;  // of a search's work between leaves, of the natural logarithm
  WorkSpread work;

  struct Source {
    std::string name, unit, page, commit, machine;
    double value = 0;
  };
  std::vector<Source> sources;
  // "cluster.md, 8bcadfa": where the constant of this name in constants.json comes from.
  std::string source_of(std::string_view name) const;

  // kInvalid: no JSON, or a constant is missing, unknown, negative, or without a page, commit or machine; the message
  // names it.
  static Result<Constants> parse(std::string_view json);
  static const Constants& built_in();
};

}  // namespace frond::tools::plan
