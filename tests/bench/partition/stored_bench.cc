// How small and how fast settings of zstd make blocks of stored fields, on one thread.
//
// usage: stored_bench FILE [MB [ROUNDS [NAME…]]]
// FILE: JSON Lines with id, url, title, and body or contents. MB: of its fields (40). The best of ROUNDS (3), which
// take turns. NAMEs: only the settings whose names contain one of them. A name says strategy, hash, minMatch and
// targetLength, or the level; the dictionary's KiB ("d0": none); the block's KiB; "coded": literals are coded, which
// zstd leaves out by itself where targetLength is not 0.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "common/partition/documents/document_block.h"
#include "indexer/pipeline/field_sample.h"

namespace {

using frond::ByteBuffer;
using frond::ByteView;

double thread_seconds() {
  timespec now{};
  FROND_CHECK(::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Fields {
  ByteBuffer bytes;
  std::vector<std::size_t> sizes;  // of the documents
  frond::indexer::pipeline::FieldSample sample;
};

Fields read_fields(const char* path, std::size_t most) {
  std::ifstream file(path);
  Fields all;
  for (std::string line; all.bytes.size() < most && std::getline(file, line);) {
    const auto record = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!record.is_object()) continue;
    const std::size_t before = all.bytes.size();
    const std::string id = record.value("id", ""), url = record.value("url", ""), title = record.value("title", ""),
                      body = record.value(record.contains("body") ? "body" : "contents", "");
    frond::partition::append_document({id, url, title, body}, all.bytes);
    all.sizes.push_back(all.bytes.size() - before);
    all.sample.add(all.sizes.size() - 1, ByteView(all.bytes).subspan(before));
  }
  return all;
}

std::vector<ByteView> cut(const Fields& fields, std::size_t block_bytes) {
  std::vector<ByteView> blocks;
  std::size_t begin = 0, end = 0;
  for (const std::size_t size : fields.sizes) {
    end += size;
    if (end - begin < block_bytes && end < fields.bytes.size()) continue;
    blocks.push_back(ByteView(fields.bytes).subspan(begin, end - begin));
    begin = end;
  }
  return blocks;
}

struct Setting {
  std::string name;
  ZSTD_compressionParameters parameters;
  std::size_t dictionary_kib = 0, block_kib = 4;
  bool coded = false;
};

std::vector<Setting> settings() {
  std::vector<Setting> all;
  const auto add = [&all](std::string name, const ZSTD_compressionParameters& parameters, std::size_t dictionary_kib,
                          std::size_t block_kib, bool coded) {
    name += "-d" + std::to_string(dictionary_kib) + "-" + std::to_string(block_kib) + "K" + (coded ? "-coded" : "");
    all.push_back({name, parameters, dictionary_kib, block_kib, coded});
  };
  for (const int level : {3, 1, -1, -2, -3, -5, -7, -10})
    for (const std::size_t dictionary : {0, 64, 256})
      add("level" + std::to_string(level), ZSTD_getCParams(level, ZSTD_CONTENTSIZE_UNKNOWN, dictionary << 10),
          dictionary, 4, false);
  for (const std::size_t block : {16, 64})
    for (const int level : {3, 1})
      add("level" + std::to_string(level), ZSTD_getCParams(level, ZSTD_CONTENTSIZE_UNKNOWN, 0), 0, block, false);
  for (const unsigned hash : {12, 14, 17})
    for (const unsigned match : {5, 6, 7})
      for (const unsigned target : {0, 2, 4, 8, 16, 32, 128})
        for (const std::size_t dictionary : {0, 64, 256})
          for (const std::size_t block : {4, 8, 16, 32})
            for (const bool coded : {false, true}) {
              if ((block > 4 && (hash != 14 || match != 6)) || coded != (target >= 8)) continue;
              add("fast" + std::to_string(hash) + "m" + std::to_string(match) + "t" + std::to_string(target),
                  {19, hash, hash, 1, match, target, ZSTD_fast}, dictionary, block, coded);
            }
  return all;
}

// A setting that is being measured, with its best times.
class Candidate {
 public:
  Candidate(Setting setting, const Fields& fields, const ByteBuffer& dictionary)
      : setting_(std::move(setting)), blocks_(cut(fields, setting_.block_kib << 10)) {
    const auto& p = setting_.parameters;
    if (!dictionary.empty()) {
      dictionary_ = ZSTD_createCDict_advanced(dictionary.data(), dictionary.size(), ZSTD_dlm_byRef, ZSTD_dct_fullDict,
                                              p, ZSTD_defaultCMem);
      for_decompression_ = ZSTD_createDDict(dictionary.data(), dictionary.size());
      ZSTD_CCtx_refCDict(compression_, dictionary_);
      set(ZSTD_c_forceAttachDict, ZSTD_dictForceAttach);
    } else {
      set(ZSTD_c_windowLog, static_cast<int>(p.windowLog));
      set(ZSTD_c_chainLog, static_cast<int>(p.chainLog));
      set(ZSTD_c_hashLog, static_cast<int>(p.hashLog));
      set(ZSTD_c_searchLog, static_cast<int>(p.searchLog));
      set(ZSTD_c_minMatch, static_cast<int>(p.minMatch));
      set(ZSTD_c_targetLength, static_cast<int>(p.targetLength));
      set(ZSTD_c_strategy, p.strategy);
    }
    if (setting_.coded) set(ZSTD_c_literalCompressionMode, ZSTD_ps_enable);
  }

  void measure(ByteBuffer& to, ByteBuffer& back) {
    std::vector<std::size_t> ends;
    double begin = thread_seconds();
    std::size_t at = 0;
    for (const ByteView block : blocks_) {
      const std::size_t size = ZSTD_compress2(compression_, to.data() + at, to.size() - at, block.data(), block.size());
      FROND_CHECK(!ZSTD_isError(size));
      ends.push_back(at += size);
    }
    compressing_ = std::min(compressing_, thread_seconds() - begin);
    size_ = at;
    begin = thread_seconds();
    at = 0;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const std::size_t size = ZSTD_decompress_usingDDict(decompression_, back.data(), back.size(), to.data() + at,
                                                          ends[i] - at, for_decompression_);
      FROND_CHECK(size == blocks_[i].size());
      at = ends[i];
    }
    decompressing_ = std::min(decompressing_, thread_seconds() - begin);
  }

  void print(double bytes) const {
    const auto blocks = static_cast<double>(blocks_.size());
    std::printf("%-28s %7.1f MB/s in, %.4f of the size, %7.1f MB/s out, %6.2f us a block of %.0f bytes\n",
                setting_.name.c_str(), bytes / compressing_ / 1e6, static_cast<double>(size_) / bytes,
                bytes / decompressing_ / 1e6, decompressing_ / blocks * 1e6, bytes / blocks);
  }

 private:
  void set(ZSTD_cParameter parameter, int value) {
    FROND_CHECK(!ZSTD_isError(ZSTD_CCtx_setParameter(compression_, parameter, value)));
  }
  // Nothing is freed: the program ends when all is measured.
  Setting setting_;
  std::vector<ByteView> blocks_;
  ZSTD_CCtx* compression_ = ZSTD_createCCtx();
  ZSTD_DCtx* decompression_ = ZSTD_createDCtx();
  ZSTD_CDict* dictionary_ = nullptr;
  ZSTD_DDict* for_decompression_ = nullptr;
  double compressing_ = 1e9, decompressing_ = 1e9;
  std::size_t size_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: stored_bench FILE [MB [ROUNDS [NAME…]]]\n", stderr);
    return 2;
  }
  const Fields fields = read_fields(argv[1], (argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 40) << 20);
  std::map<std::size_t, ByteBuffer> dictionaries{{0, {}}};
  for (const std::size_t kib : {64, 256})
    dictionaries[kib] = frond::partition::train_dictionary(fields.sample.bytes(), fields.sample.sizes(), kib << 10);
  const std::vector<std::string> names(argv + std::min(argc, 4), argv + argc);
  std::vector<Candidate> candidates;
  for (Setting& setting : settings())
    if (names.empty() || std::ranges::any_of(names, [&](const auto& n) { return setting.name.find(n) != n.npos; })) {
      const ByteBuffer& dictionary = dictionaries[setting.dictionary_kib];
      candidates.emplace_back(std::move(setting), fields, dictionary);
    }
  ByteBuffer to(fields.bytes.size() * 2 + (1 << 20)), back(fields.bytes.size() + 1);
  for (int round = argc > 3 ? std::atoi(argv[3]) : 3; round > 0; --round)
    for (Candidate& one : candidates) one.measure(to, back);
  for (const Candidate& one : candidates) one.print(static_cast<double>(fields.bytes.size()));
}
