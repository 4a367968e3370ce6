#include "indexer/ingest/http/content_coding.h"

#include <brotli/decode.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "common/base/bytes.h"
#include "common/base/check.h"
#include "indexer/ingest/lines.h"
#include "indexer/ingest/records/record_cutter.h"
#include "indexer/ingest/streams/decompress.h"

namespace frond::indexer::ingest {
namespace {

constexpr std::size_t kTrialBytes = 64;  // from which a coding is told
constexpr std::size_t kOutBytes = 32 << 10;
constexpr std::uint64_t kPassedFactor = 8;  // how many times the page's limit may pass through all codings

enum class Status { kMore, kEnd, kBad };

constexpr std::uint64_t kBrotliWindow = std::uint64_t{16} << 20, kZstdWindow = std::uint64_t{8} << 20;

constexpr std::pair<std::string_view, Coding> kCodings[] = {
    {"chunked", Coding::kChunked}, {"gzip", Coding::kGzip}, {"x-gzip", Coding::kGzip},
    {"deflate", Coding::kDeflate}, {"br", Coding::kBrotli}, {"zstd", Coding::kZstd}};

bool has_window(Coding coding) { return coding == Coding::kBrotli || coding == Coding::kZstd; }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char small = small_letter(c);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

}  // namespace

// One coding. Decides by the first bytes whether the body has it.
class BodyDecoder::Stage {
 public:
  virtual ~Stage() = default;
  // False: damaged, or `next(bytes)`, which takes what comes out, has said so. Bytes behind the end are ignored, but
  // not unseen by the stages before: so what is damaged does not depend on where pieces end.
  template <class Next>
  bool feed(std::string_view piece, Next&& next) {
    if (state_ == State::kUndecided) {
      const std::size_t taken = std::min(piece.size(), kTrialBytes - head_.size());
      head_.append(piece.substr(0, taken));
      piece.remove_prefix(taken);
      if (head_.size() < kTrialBytes) return true;
      if (!decide(next)) return false;
    }
    if (state_ == State::kIdentity) return next(piece);
    if (state_ == State::kEnded) return true;
    return state_ == State::kOn && run(piece, next);
  }
  template <class Next>
  void finish(Next&& next) {
    if (state_ == State::kUndecided && !head_.empty()) decide(next);
    if (state_ == State::kOn && !may_end()) state_ = State::kDamaged;
  }
  bool damaged() const { return state_ == State::kDamaged; }

 protected:
  // Decodes from the front of `in`, which it shortens, to `out`, which it sets. kMore without output: `in` is used up.
  virtual Status step(std::string_view& in, std::string_view& out) = 0;
  // Whether to try once more, in another way, when the first bytes were not of the coding.
  virtual bool try_again() { return false; }
  // Whether a body may be cut short here.
  virtual bool may_end() const { return true; }

 private:
  enum class State { kUndecided, kOn, kIdentity, kEnded, kDamaged };

  template <class Next>
  bool decide(Next&& next) {
    bool gave = false;
    const auto note = [&](std::string_view bytes) {
      gave = true;
      return next(bytes);
    };
    do {
      state_ = State::kOn;
      if (run(head_, note)) return true;
      if (state_ != State::kDamaged || gave) return false;
    } while (try_again());
    state_ = State::kIdentity;
    return next(head_);
  }
  template <class Next>
  bool run(std::string_view in, Next&& next) {
    for (;;) {
      std::string_view out;
      const Status status = step(in, out);
      if (!out.empty() && !next(out)) return false;
      if (status == Status::kBad) state_ = State::kDamaged;
      if (status == Status::kEnd) state_ = State::kEnded;
      if (status != Status::kMore) return status == Status::kEnd;
      if (out.empty() && in.empty()) return true;
    }
  }

  State state_ = State::kUndecided;
  std::string head_;
};

// Size lines, of which only the size counts, and data.
class BodyDecoder::Chunks final : public Stage {
 private:
  Status step(std::string_view& in, std::string_view& out) override {
    if (in.empty()) return Status::kMore;
    if (part_ == Part::kData) {
      out = in.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, in.size())));
      in.remove_prefix(out.size());
      left_ -= out.size();
      gave_ = true;
      if (left_ == 0) part_ = Part::kDataEnd;
      return Status::kMore;
    }
    const char c = in.front();
    in.remove_prefix(1);
    if (part_ == Part::kDataEnd) {
      if (c == '\r') return Status::kMore;
      part_ = Part::kSize;
      left_ = digits_ = line_ = 0;
      return c == '\n' ? Status::kMore : Status::kEnd;
    }
    const Status status = size_line(c);
    return status == Status::kBad && gave_ ? Status::kEnd : status;
  }
  Status size_line(char c) {
    constexpr std::size_t kMaxDigits = 15, kMaxLine = 4096;
    if (++line_ > kMaxLine) return Status::kBad;
    if (c == '\n') {
      if (digits_ == 0) return Status::kBad;
      if (left_ == 0) return Status::kEnd;
      part_ = Part::kData;
      return Status::kMore;
    }
    if (part_ == Part::kExtension) return Status::kMore;
    if (const int digit = hex_digit(c); digit >= 0) {
      left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
      return ++digits_ <= kMaxDigits ? Status::kMore : Status::kBad;
    }
    if (digits_ == 0 || (c != ';' && c != ' ' && c != '\t' && c != '\r')) return Status::kBad;
    part_ = Part::kExtension;
    return Status::kMore;
  }

  enum class Part { kSize, kExtension, kData, kDataEnd };
  Part part_ = Part::kSize;
  bool gave_ = false;
  std::uint64_t left_ = 0;
  std::size_t digits_ = 0, line_ = 0;
};

class BodyDecoder::Brotli final : public Stage {
 public:
  Brotli() { state_ = BrotliDecoderCreateInstance(allocate, release, this); }
  ~Brotli() override {
    if (state_) BrotliDecoderDestroyInstance(state_);
  }
  Brotli(const Brotli&) = delete;
  Brotli& operator=(const Brotli&) = delete;

 private:
  static constexpr std::size_t kStateBytes = 1 << 20;  // beside the window

  // Each piece has its size before it.
  static void* allocate(void* self, std::size_t bytes) {
    constexpr std::size_t kHeader = alignof(std::max_align_t);
    std::size_t& left = static_cast<Brotli*>(self)->left_;
    if (bytes > left) return nullptr;
    auto* const piece = static_cast<char*>(std::malloc(bytes + kHeader));
    if (!piece) return nullptr;
    left -= bytes;
    *reinterpret_cast<std::size_t*>(piece) = bytes;
    return piece + kHeader;
  }
  static void release(void* self, void* piece) {
    if (!piece) return;
    char* const begin = static_cast<char*>(piece) - alignof(std::max_align_t);
    static_cast<Brotli*>(self)->left_ += *reinterpret_cast<std::size_t*>(begin);
    std::free(begin);
  }

  Status step(std::string_view& in, std::string_view& out) override {
    if (!state_) return Status::kBad;
    std::size_t available = in.size(), room = kOutBytes;
    const auto* next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    auto* next_out = reinterpret_cast<std::uint8_t*>(out_.data());
    const BrotliDecoderResult result =
        BrotliDecoderDecompressStream(state_, &available, &next_in, &room, &next_out, nullptr);
    in.remove_prefix(in.size() - available);
    if (result != BROTLI_DECODER_RESULT_ERROR) out = std::string_view(out_.data(), kOutBytes - room);
    if (result == BROTLI_DECODER_RESULT_ERROR) return Status::kBad;
    return result == BROTLI_DECODER_RESULT_SUCCESS ? Status::kEnd : Status::kMore;
  }

  std::size_t left_ = kBrotliWindow + kStateBytes;
  BrotliDecoderState* state_ = nullptr;
  std::array<char, kOutBytes> out_;
};

// gzip, several members too; deflate, which is sent as zlib's format, as it should be, or without any head; zstd.
class BodyDecoder::Stream final : public Stage {
 public:
  explicit Stream(Coding coding)
      : coding_(coding),
        decompressor_(made(coding == Coding::kGzip   ? Compression::kGzip
                           : coding == Coding::kZstd ? Compression::kZstd
                                                     : Compression::kZlib)) {}

 private:
  static std::unique_ptr<Decompressor> made(Compression compression) {
    InputLimits limits;
    limits.window_bytes = kZstdWindow;
    return std::move(Decompressor::create(compression, limits)).value();
  }
  Status step(std::string_view& in, std::string_view& out) override {
    if (coding_ != Coding::kZstd && begun_ && decompressor_->at_boundary()) {
      if (in.empty()) return Status::kMore;
      if (coding_ != Coding::kGzip || in.front() != '\x1f') return Status::kEnd;
    }
    begun_ = true;
    const auto progress = decompressor_->step(as_bytes(in), std::as_writable_bytes(std::span(out_)));
    if (!progress) return Status::kBad;
    if (progress->consumed == 0 && progress->produced == 0 && !in.empty()) return Status::kBad;  // never seen
    in.remove_prefix(progress->consumed);
    out = std::string_view(out_.data(), progress->produced);
    return Status::kMore;
  }
  bool try_again() override {
    if (coding_ != Coding::kDeflate || std::exchange(raw_, true)) return false;
    decompressor_ = made(Compression::kDeflate);
    begun_ = false;
    return true;
  }
  // zstd's library finds some damage only if a frame comes in one piece, so only whole frames are taken.
  bool may_end() const override { return coding_ != Coding::kZstd || decompressor_->at_boundary(); }

  const Coding coding_;
  std::unique_ptr<Decompressor> decompressor_;
  bool begun_ = false, raw_ = false;
  std::array<char, kOutBytes> out_;
};

BodyDecoder::BodyDecoder(const std::vector<Coding>& codings, std::size_t max_bytes) : max_bytes_(max_bytes) {
  FROND_CHECK(codings.size() <= kMaxCodings);
  for (const Coding coding : codings) {
    if (coding == Coding::kChunked)
      stages_.push_back(std::make_unique<Chunks>());
    else if (coding == Coding::kBrotli)
      stages_.push_back(std::make_unique<Brotli>());
    else
      stages_.push_back(std::make_unique<Stream>(coding));
  }
}
BodyDecoder::~BodyDecoder() = default;

bool BodyDecoder::pass(std::size_t stage, std::string_view piece, std::string& page) {
  // Several codings multiply: each could blow up what the one before gave, and give nothing itself.
  passed_ += piece.size();
  if (stage > 0 && stage < stages_.size() && passed_ > kPassedFactor * std::uint64_t{max_bytes_}) too_long_ = true;
  if (too_long_) return false;
  if (stage < stages_.size())
    return stages_[stage]->feed(piece, [&](std::string_view out) { return pass(stage + 1, out, page); });
  too_long_ = piece.size() > max_bytes_ - std::min(max_bytes_, page.size());
  if (!too_long_) append_piece(page, piece, max_bytes_);
  return !too_long_;
}

bool BodyDecoder::feed(std::string_view piece, std::string& page) { return pass(0, piece, page); }

void BodyDecoder::finish(std::string& page) {
  for (std::size_t i = 0; i < stages_.size(); ++i)
    stages_[i]->finish([&](std::string_view out) { return pass(i + 1, out, page); });
}

bool BodyDecoder::damaged() const {
  return std::ranges::any_of(stages_, [](const auto& stage) { return stage->damaged(); });
}

std::uint64_t window_of(const std::vector<Coding>& codings) {
  std::uint64_t bytes = 0;
  for (const Coding coding : codings)
    bytes += coding == Coding::kBrotli ? kBrotliWindow : coding == Coding::kZstd ? kZstdWindow : 0;
  return bytes;
}

bool add_codings(std::string_view field, std::vector<Coding>& codings) {
  std::vector<Coding> named;
  bool window = std::ranges::any_of(codings, has_window);
  while (!field.empty()) {
    const std::size_t comma = std::min(field.find(','), field.size());
    const std::string_view name = trimmed(field.substr(0, comma));
    field.remove_prefix(std::min(comma + 1, field.size()));
    if (name.empty() || same_name(name, "identity") || same_name(name, "none") || same_name(name, "utf-8")) continue;
    const auto* const known =
        std::ranges::find_if(kCodings, [&](const auto& coding) { return same_name(name, coding.first); });
    if (known == std::end(kCodings)) return false;
    named.push_back(known->second);
    if (codings.size() + named.size() > BodyDecoder::kMaxCodings) return false;
    if (has_window(named.back()) && std::exchange(window, true)) return false;
  }
  codings.insert(codings.end(), named.rbegin(), named.rend());
  return true;
}

}  // namespace frond::indexer::ingest
