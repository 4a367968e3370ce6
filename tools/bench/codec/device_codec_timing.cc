#include "common/base/machine.h"
#include "tools/bench/codec/codec_timing.h"

#include <algorithm>

#include "common/device/runtime.h"
#include "common/device_codec/decode_streams.h"
#include "common/device_codec/uploaded_streams.h"
#include "tools/bench/measure.h"

namespace frond::tools::bench {
namespace {

using codec::kBlockLength, codec::Numbers;
using device_codec::EncodedList, device_codec::Output, device_codec::Selection;
using device_codec::UploadedBatch, device_codec::UploadedStreams;

constexpr std::size_t kSingles = 16;        // lists that are launched one at a time
constexpr std::uint64_t kMaxLaunches = 64;  // in a row

// IntegerSet::integers(), without the library that it is in: a test compiles this file for the host.
std::uint64_t integers_of(const IntegerSet& set) {
  std::uint64_t all = 0;
  for (const auto& list : set.lists) all += list.size();
  return all;
}

// One codec's streams of all lists.
struct Encoded {
  const codec::ListCodec* codec;
  std::vector<ByteBuffer> streams;
};

// Encodes with all codecs in parallel: for 2^25 integers some take seconds.
std::vector<Encoded> encode_all(const IntegerSet& set, std::span<const codec::ListCodec* const> codecs) {
  std::vector<Encoded> all;
  for (const codec::ListCodec* codec : codecs)
    if (codec->info().encodes(set.kind)) all.push_back({codec, {}});
  in_parallel(this_machine().cores, all.size(), [&](std::size_t mine) {
    for (const auto& list : set.lists) all[mine].codec->encode(list, set.kind, all[mine].streams.emplace_back());
  });
  return all;
}

std::vector<std::vector<DocId>> lasts_of(const IntegerSet& set) {
  std::vector<std::vector<DocId>> lasts(set.lists.size());
  if (set.kind != Numbers::kDocIds) return lasts;
  for (std::size_t l = 0; l < lasts.size(); ++l)
    for (std::size_t end = kBlockLength; end < set.lists[l].size() + kBlockLength; end += kBlockLength)
      lasts[l].push_back(set.lists[l][std::min(end, set.lists[l].size()) - 1]);
  return lasts;
}

// The data of one codec on the device.
class CodecOnDevice {
 public:
  static Result<CodecOnDevice> create(const IntegerSet& set, const Encoded& encoded,
                                      const std::vector<std::vector<DocId>>& lasts, std::uint64_t integers) {
    auto stream = FROND_TRY(device::Stream::create());
    std::vector<EncodedList> lists;
    const std::uint64_t copies = std::max<std::uint64_t>(1, integers / integers_of(set));
    for (std::uint64_t copy = 0; copy < copies; ++copy)
      for (std::size_t l = 0; l < set.lists.size(); ++l)
        lists.push_back({encoded.streams[l], static_cast<std::uint32_t>(set.lists[l].size()), lasts[l]});
    auto streams = FROND_TRY(UploadedStreams::create(lists, stream.get()));
    std::vector<Selection> all;
    for (const auto& each : streams.streams()) all.push_back({each, std::nullopt});
    const Output output = set.kind == Numbers::kDocIds ? Output::kDocIds : Output::kFrequencies;
    auto batch = FROND_TRY(UploadedBatch::create(all, output, stream.get()));
    std::vector<UploadedBatch> singles;
    for (std::size_t l = 0; l < std::min(kSingles, all.size()); ++l)
      singles.push_back(FROND_TRY(UploadedBatch::create(std::span(all).subspan(l, 1), output, stream.get())));
    return CodecOnDevice(set, *encoded.codec, copies, std::move(stream), std::move(streams), std::move(batch),
                         std::move(singles));
  }

  // Checks that all decoded numbers of all copies equal those of the set.
  Result<void> check() const {
    FROND_TRY(device_codec::decode_streams(*codec_, batch_.batch(), stream_.get()));
    const auto corrupt = FROND_TRY(batch_.corrupt_blocks(stream_.get()));
    FROND_TRY(device_codec::check_decoded(*codec_, corrupt));
    const auto numbers = FROND_TRY(batch_.numbers(stream_.get()));
    auto at = numbers.begin();
    for (std::uint64_t copy = 0; copy < copies_; ++copy)
      for (const auto& list : set_->lists) {
        if (!std::equal(list.begin(), list.end(), at))
          return Error(Code::kCorrupt, std::string(codec_->name()) + " gives other numbers back from the device");
        at += static_cast<std::ptrdiff_t>((list.size() + kBlockLength - 1) / kBlockLength * kBlockLength);
      }
    return {};
  }

  Result<Spread> time_alone(unsigned rounds) const {
    return time(rounds, static_cast<double>(set_->lists[0].size()), [&] { return launch(singles_[0], false); });
  }
  Result<Spread> time_row(unsigned rounds, bool gaps) const {
    std::uint64_t launches = 0, integers = 0;
    for (; launches < 8 || (launches < kMaxLaunches && integers < kIntegersOnDevice); ++launches)
      integers += set_->lists[launches % singles_.size() % set_->lists.size()].size();
    return time(rounds, static_cast<double>(integers), [&]() -> Result<void> {
      for (std::uint64_t i = 0; i < launches; ++i) FROND_TRY(launch(singles_[i % singles_.size()], gaps));
      return {};
    });
  }
  Result<Spread> time_batch(unsigned rounds, bool gaps) const {
    return time(rounds, static_cast<double>(integers_of(*set_) * copies_), [&] { return launch(batch_, gaps); });
  }

 private:
  CodecOnDevice(const IntegerSet& set, const codec::ListCodec& codec, std::uint64_t copies, device::Stream stream,
                UploadedStreams streams, UploadedBatch batch, std::vector<UploadedBatch> singles)
      : set_(&set),
        codec_(&codec),
        copies_(copies),
        stream_(std::move(stream)),
        streams_(std::move(streams)),
        batch_(std::move(batch)),
        singles_(std::move(singles)) {}

  Result<void> launch(const UploadedBatch& uploaded, bool gaps) const {
    device_codec::DecodeBatch batch = uploaded.batch();
    if (gaps) batch.output = Output::kGaps;
    return device_codec::decode_streams(*codec_, batch, stream_.get());
  }

  // Rates over `rounds` rounds, after two warm-up rounds.
  template <class Work>
  Result<Spread> time(unsigned rounds, double integers, const Work& work) const {
    auto start = FROND_TRY(device::Event::create(true));
    auto end = FROND_TRY(device::Event::create(true));
    std::vector<double> rates;
    for (unsigned round = 0; round < rounds + 2; ++round) {
      FROND_TRY(start.record(stream_.get()));
      FROND_TRY(work());
      FROND_TRY(end.record(stream_.get()));
      FROND_TRY(end.wait());
      const double milliseconds = FROND_TRY(end.milliseconds_since(start));
      if (round >= 2) rates.push_back(integers * 1e-6 / std::max(milliseconds, 1e-6));
    }
    return spread_of(std::move(rates));
  }

  const IntegerSet* set_;
  const codec::ListCodec* codec_;
  std::uint64_t copies_;
  device::Stream stream_;
  UploadedStreams streams_;
  UploadedBatch batch_;
  std::vector<UploadedBatch> singles_;
};

}  // namespace

Result<std::string> describe_device() {
  if (device::count_devices() == 0) return Error(Code::kDevice, "GPU: there is none on this machine");
  const auto properties = FROND_TRY(device::properties_of(0));
  return properties.name + ", " + std::to_string(properties.processors) + " processors";
}

Result<std::vector<DeviceCodecTiming>> time_codecs_on_device(const IntegerSet& set,
                                                             std::span<const codec::ListCodec* const> codecs,
                                                             unsigned rounds, std::uint64_t integers) {
  static_cast<void>(FROND_TRY(describe_device()));
  FROND_TRY(device::use(0));
  const auto lasts = lasts_of(set);
  const auto all = static_cast<double>(integers_of(set));
  std::vector<DeviceCodecTiming> timings;
  for (const Encoded& encoded : encode_all(set, codecs)) {
    const auto bench = FROND_TRY(CodecOnDevice::create(set, encoded, lasts, integers));
    FROND_TRY(bench.check());
    double bytes = 0;
    for (const ByteBuffer& each : encoded.streams) bytes += static_cast<double>(each.size());
    DeviceCodecTiming timing{.codec = encoded.codec, .bits = bytes * 8 / all};
    timing.alone = FROND_TRY(bench.time_alone(rounds));
    timing.row = FROND_TRY(bench.time_row(rounds, false));
    timing.batch = FROND_TRY(bench.time_batch(rounds, false));
    if (set.kind == Numbers::kDocIds) {
      timing.row_gaps = FROND_TRY(bench.time_row(rounds, true));
      timing.batch_gaps = FROND_TRY(bench.time_batch(rounds, true));
    }
    timings.push_back(timing);
  }
  return timings;
}

}  // namespace frond::tools::bench
