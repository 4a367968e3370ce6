#include "common/partition/documents/document_block.h"

#define ZDICT_STATIC_LINKING_ONLY  // declares ZDICT_trainFromBuffer_fastCover(), which shared libraries have, too
#include <zdict.h>
#define ZSTD_STATIC_LINKING_ONLY  // ZSTD_createCDict_advanced(), ZSTD_c_forceAttachDict and others, the same
#include <zstd.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

#include "common/base/check.h"

namespace frond::partition {
namespace {

enum class Form : std::uint8_t { kStored = 0, kZstd = 1, kZstdDictionary = 2 };
constexpr std::size_t kMinSamples = 64;
constexpr std::size_t kLargeBlockBytes = 128 << 10;  // which a dictionary makes hardly smaller
constexpr std::size_t kMinDocumentBytes = 4;         // four lengths of zero

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};
// One a thread, since making one costs more than decompressing a block.
ZSTD_DCtx* decompression_context() {
  thread_local std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  FROND_CHECK(context != nullptr);
  return context.get();
}

Error corrupt(const std::string& what) { return Error(Code::kCorrupt, "document block: " + what); }

Result<void> decompress_whole(ByteView frame, const ZSTD_DDict* dictionary, std::span<std::byte> to) {
  ZSTD_DCtx* const context = decompression_context();
  const std::size_t size =
      dictionary != nullptr
          ? ZSTD_decompress_usingDDict(context, to.data(), to.size(), frame.data(), frame.size(), dictionary)
          : ZSTD_decompressDCtx(context, to.data(), to.size(), frame.data(), frame.size());
  if (ZSTD_isError(size)) return corrupt(std::string("zstd: ") + ZSTD_getErrorName(size));
  if (size != to.size()) return corrupt("uncompressed to another size");
  return {};
}

// As ByteWriter::put_varint(). Returns the place behind it.
std::byte* put_varint(std::byte* to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<std::byte>(value | 0x80);
  *to++ = static_cast<std::byte>(value);
  return to;
}

// The largest window that a frame may need: twice that of our compression level.
constexpr int kMaxWindowLog = 22;

// Decompresses the beginning of a frame, to.size() bytes. Uses a context of its own, which is freed with its window,
// since large blocks are rare. `dictionary` may be null.
Result<void> decompress_beginning(ByteView frame, const ZSTD_DDict* dictionary, std::span<std::byte> to) {
  const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  if (!context) return Error(Code::kUnavailable, "document block: no memory");
  for (const std::size_t set : {ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kMaxWindowLog),
                                ZSTD_DCtx_refDDict(context.get(), dictionary)})
    if (ZSTD_isError(set)) return corrupt(std::string("zstd: ") + ZSTD_getErrorName(set));
  ZSTD_inBuffer in{frame.data(), frame.size(), 0};
  ZSTD_outBuffer out{to.data(), to.size(), 0};
  while (out.pos < out.size) {
    const std::size_t before = in.pos + out.pos;
    const std::size_t left = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(left)) return corrupt(std::string("zstd: ") + ZSTD_getErrorName(left));
    if (in.pos + out.pos == before) return corrupt("cut short");
  }
  return {};
}

// The next field of a block that may be cut off, as far as it is there.
std::string_view front_of_text(ByteReader& from) {
  const std::uint64_t bytes = from.get_varint();
  return as_text(from.get_bytes(std::min<std::uint64_t>(bytes, from.left())));
}

}  // namespace

void append_document(const StoredDocument& document, ByteBuffer& block) {
  ByteWriter writer(block);
  for (const auto field : {document.id, document.url, document.title, document.body}) writer.put_text(field);
}

ByteBuffer train_dictionary(ByteView samples, std::span<const std::size_t> sizes, std::size_t bytes) {
  if (sizes.size() < kMinSamples || samples.size() < kMinSampleBytes) return {};
  ByteBuffer dictionary(bytes);
  // ZDICT_trainFromBuffer() would try several values of k and take six times as long for dictionaries that are at most
  // 1 % better (docs/measurements/indexing.md).
  ZDICT_fastCover_params_t parameters{};
  parameters.k = 200;
  parameters.d = 8;
  parameters.f = 20;
  parameters.accel = 1;
  parameters.zParams.compressionLevel = kCompressionLevel;
  const std::size_t size =
      ZDICT_trainFromBuffer_fastCover(dictionary.data(), dictionary.size(), samples.data(), sizes.data(),
                                      static_cast<unsigned>(sizes.size()), parameters);
  if (ZDICT_isError(size)) return {};  // nothing repeats, so a dictionary would not help
  dictionary.resize(size);
  return dictionary;
}

namespace {

// What blocks are compressed with beside a dictionary of so many bytes.
ZSTD_compressionParameters parameters_for(std::size_t dictionary_bytes) {
  if (dictionary_bytes <= kDictionaryBytes)
    return ZSTD_getCParams(kCompressionLevel, ZSTD_CONTENTSIZE_UNKNOWN, dictionary_bytes);
  return {.windowLog = 19,
          .chainLog = 17,
          .hashLog = 17,
          .searchLog = 1,
          .minMatch = 6,
          .targetLength = 0,
          .strategy = ZSTD_fast};
}

// A repetition is looked for at every 32nd place only. What is between repetitions is coded by the frequencies of its
// bytes, which takes little time; zstd does not do that by itself where it passes over places.
void set_fast(ZSTD_CCtx* context) {
  for (const auto& [parameter, value] :
       std::initializer_list<std::pair<ZSTD_cParameter, int>>{{ZSTD_c_strategy, ZSTD_fast},
                                                              {ZSTD_c_windowLog, 19},
                                                              {ZSTD_c_hashLog, 14},
                                                              {ZSTD_c_minMatch, 6},
                                                              {ZSTD_c_targetLength, 32},
                                                              {ZSTD_c_literalCompressionMode, ZSTD_ps_enable}})
    FROND_CHECK(!ZSTD_isError(ZSTD_CCtx_setParameter(context, parameter, value)));
}

}  // namespace

CompressionDictionary::CompressionDictionary(ByteView dictionary) {
  if (dictionary.empty()) return;
  dictionary_.reset(ZSTD_createCDict_advanced(dictionary.data(), dictionary.size(), ZSTD_dlm_byCopy, ZSTD_dct_fullDict,
                                              parameters_for(dictionary.size()), ZSTD_defaultCMem),
                    [](ZSTD_CDict* made) { ZSTD_freeCDict(made); });
  FROND_CHECK(dictionary_ != nullptr);
}

struct BlockCompressor::State {
  CompressionDictionary own{ByteView()};   // if it is not borrowed
  const ZSTD_CDict* dictionary = nullptr;  // null: none
  bool fast = false;                       // the context has the parameters of StoredCompression::kFast
  ZSTD_CCtx* context = ZSTD_createCCtx();  // refers to the dictionary
  ZSTD_CCtx* plain = nullptr;              // made when a block is compressed without it

  UnsetBytes room;  // for a block of which a copy is given

  ZSTD_CCtx* plain_context() {
    if (dictionary == nullptr) return context;
    if (plain == nullptr) plain = ZSTD_createCCtx();
    FROND_CHECK(plain != nullptr);
    return plain;
  }
  ~State() {
    ZSTD_freeCCtx(context);
    ZSTD_freeCCtx(plain);
  }
};

BlockCompressor::BlockCompressor(const CompressionDictionary& dictionary) : state_(std::make_unique<State>()) {
  use(dictionary);
}
BlockCompressor::BlockCompressor(ByteView dictionary, StoredCompression how) : state_(std::make_unique<State>()) {
  FROND_CHECK(how == StoredCompression::kSmall || dictionary.empty());
  state_->own = CompressionDictionary(dictionary);
  use(state_->own);
  if (how == StoredCompression::kFast) {
    state_->fast = true;
    set_fast(state_->context);
  }
}
BlockCompressor::~BlockCompressor() = default;

void BlockCompressor::use(const CompressionDictionary& dictionary) {
  FROND_CHECK(state_->context != nullptr);
  state_->dictionary = dictionary.dictionary_.get();
  // By itself zstd copies the dictionary's tables for blocks above 16 KiB, which takes longer than searching both.
  for (const std::size_t set : {ZSTD_CCtx_refCDict(state_->context, state_->dictionary),
                                ZSTD_CCtx_setParameter(state_->context, ZSTD_c_forceAttachDict, ZSTD_dictForceAttach)})
    FROND_CHECK(!ZSTD_isError(set));
}

std::size_t BlockCompressor::max_bytes(std::size_t raw_bytes) {
  constexpr std::size_t kFrontBytes = 5 + 10 + 1;  // the documents, the size, the form
  return kFrontBytes + ZSTD_compressBound(raw_bytes);
}

std::size_t BlockCompressor::compress(ByteView raw, std::uint32_t documents, std::span<std::byte> to) {
  FROND_CHECK(to.size() >= max_bytes(raw.size()));
  const bool with_dictionary = state_->dictionary != nullptr && raw.size() <= kLargeBlockBytes;
  std::byte* at = put_varint(to.data(), documents);
  at = put_varint(at, raw.size());
  *at = static_cast<std::byte>(with_dictionary ? Form::kZstdDictionary : Form::kZstd);
  std::byte* const payload = at + 1;
  const std::size_t room = to.size() - static_cast<std::size_t>(payload - to.data());
  std::size_t size =
      with_dictionary || state_->fast
          ? ZSTD_compress2(state_->context, payload, room, raw.data(), raw.size())
          : ZSTD_compressCCtx(state_->plain_context(), payload, room, raw.data(), raw.size(), kCompressionLevel);
  if (ZSTD_isError(size) || size >= raw.size()) {
    *at = static_cast<std::byte>(Form::kStored);
    size = raw.size();
    std::copy(raw.begin(), raw.end(), payload);
  }
  return static_cast<std::size_t>(payload - to.data()) + size;
}

ByteBuffer BlockCompressor::compress(ByteView raw, std::uint32_t documents) {
  UnsetBytes& room = state_->room;
  room.make_room(max_bytes(raw.size()));
  const std::size_t size = compress(raw, documents, {room.data(), room.size()});
  ByteBuffer out(room.data(), room.data() + size);
  if (room.size() > 2 * kLargeBlockBytes) room = {};
  return out;
}

BlockDecompressor::BlockDecompressor(ByteView dictionary) {
  if (!dictionary.empty())
    dictionary_.reset(ZSTD_createDDict(dictionary.data(), dictionary.size()),
                      [](ZSTD_DDict* made) { ZSTD_freeDDict(made); });
}

Result<void> BlockDecompressor::decompress(ByteView value, DocumentBlock& block) const {
  return decompress_up_to(value, kMaxBlockBytes, block);
}

Result<void> BlockDecompressor::decompress_front(ByteView value, DocumentBlock& block) const {
  return decompress_up_to(value, kMaxFrontBytes, block);
}

Result<void> BlockDecompressor::decompress_up_to(ByteView value, std::size_t max_bytes, DocumentBlock& block) const {
  block.documents.clear();
  ByteReader reader(value);
  const std::uint64_t documents = reader.get_varint();
  const std::uint64_t raw_bytes = reader.get_varint();
  const auto form = static_cast<Form>(reader.get<std::uint8_t>());
  const ByteView payload = reader.get_bytes(reader.left());
  if (!reader.ok()) return corrupt("cut short");
  if (raw_bytes > kMaxBlockBytes || documents == 0 || documents > raw_bytes / kMinDocumentBytes)
    return corrupt(std::to_string(documents) + " documents in " + std::to_string(raw_bytes) + " bytes");
  const std::size_t bytes = std::min<std::uint64_t>(raw_bytes, max_bytes);
  if (form == Form::kStored) {
    if (payload.size() != raw_bytes) return corrupt("stored bytes of another size");
    block.raw.make_room(bytes);
    std::copy_n(payload.begin(), bytes, block.raw.data());
  } else if (form == Form::kZstd || form == Form::kZstdDictionary) {
    // Checked before allocating: the frame's size must be the one in the value.
    if (ZSTD_getFrameContentSize(payload.data(), payload.size()) != raw_bytes) return corrupt("frame of another size");
    if (form == Form::kZstdDictionary && !dictionary_) return corrupt("its dictionary is missing");
    block.raw.make_room(bytes);
    const ZSTD_DDict* const dictionary = form == Form::kZstdDictionary ? dictionary_.get() : nullptr;
    const std::span to(block.raw.data(), bytes);
    FROND_TRY(bytes < raw_bytes ? decompress_beginning(payload, dictionary, to)
                                : decompress_whole(payload, dictionary, to));
  } else {
    return corrupt("unknown form " + std::to_string(static_cast<int>(form)));
  }
  ByteReader fields(ByteView(block.raw.data(), bytes));
  block.documents.reserve(std::min<std::uint64_t>(documents, bytes / kMinDocumentBytes));
  if (bytes < raw_bytes) {
    for (std::uint64_t i = 0; i < documents && !fields.at_end(); ++i) {
      StoredDocument document;
      for (auto* field : {&document.id, &document.url, &document.title, &document.body}) *field = front_of_text(fields);
      block.documents.push_back(document);
    }
    return {};
  }
  for (std::uint64_t i = 0; i < documents && fields.ok(); ++i) {
    StoredDocument document;
    for (auto* field : {&document.id, &document.url, &document.title, &document.body}) *field = fields.get_text();
    block.documents.push_back(document);
  }
  if (fields.ok() && fields.at_end()) return {};
  block.documents.clear();
  return corrupt("fields do not fill the block");
}

}  // namespace frond::partition
