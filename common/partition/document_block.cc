#include "common/partition/document_block.h"

#include <zdict.h>
#include <zstd.h>

#include <string>

#include "common/base/check.h"

namespace frond::partition {
namespace {

enum class Form : std::uint8_t { kStored = 0, kZstd = 1, kZstdDictionary = 2 };
constexpr std::size_t kLeastSamples = 64;
constexpr std::size_t kLeastSampleBytes = 512 << 10;
constexpr std::size_t kLeastDocumentBytes = 4;  // four lengths of zero

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};
// Scratch of a thread: making one costs more than decompressing a block.
ZSTD_DCtx* decompression_context() {
  thread_local std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  FROND_CHECK(context != nullptr);
  return context.get();
}

Error corrupt(const std::string& what) { return Error(Code::kCorrupt, "document block: " + what); }

}  // namespace

void append_document(const StoredDocument& document, ByteBuffer& block) {
  ByteWriter writer(block);
  for (const auto field : {document.id, document.url, document.title, document.body}) writer.put_text(field);
}

ByteBuffer train_dictionary(const ByteBuffer& samples, std::span<const std::size_t> sizes) {
  if (sizes.size() < kLeastSamples || samples.size() < kLeastSampleBytes) return {};
  ByteBuffer dictionary(kDictionaryBytes);
  const std::size_t size = ZDICT_trainFromBuffer(dictionary.data(), dictionary.size(), samples.data(), sizes.data(),
                                                 static_cast<unsigned>(sizes.size()));
  if (ZDICT_isError(size)) return {};  // nothing repeats: no dictionary, no harm
  dictionary.resize(size);
  return dictionary;
}

struct BlockCompressor::State {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CDict* dictionary = nullptr;
  ~State() {
    ZSTD_freeCCtx(context);
    ZSTD_freeCDict(dictionary);
  }
};

BlockCompressor::BlockCompressor(ByteView dictionary) : state_(std::make_unique<State>()) {
  FROND_CHECK(state_->context != nullptr);
  if (dictionary.empty()) return;
  state_->dictionary = ZSTD_createCDict(dictionary.data(), dictionary.size(), kCompressionLevel);
  FROND_CHECK(state_->dictionary != nullptr);
}
BlockCompressor::~BlockCompressor() = default;

ByteBuffer BlockCompressor::compress(ByteView raw, std::uint32_t documents) {
  ByteBuffer out;
  ByteWriter writer(out);
  writer.put_varint(documents);
  writer.put_varint(raw.size());
  writer.put(static_cast<std::uint8_t>(state_->dictionary ? Form::kZstdDictionary : Form::kZstd));
  const std::size_t header = out.size();
  out.resize(header + ZSTD_compressBound(raw.size()));
  const std::size_t room = out.size() - header;
  const std::size_t size = state_->dictionary ? ZSTD_compress_usingCDict(state_->context, out.data() + header, room,
                                                                         raw.data(), raw.size(), state_->dictionary)
                                              : ZSTD_compressCCtx(state_->context, out.data() + header, room,
                                                                  raw.data(), raw.size(), kCompressionLevel);
  if (!ZSTD_isError(size) && size < raw.size()) {
    out.resize(header + size);
    return out;
  }
  out.resize(header);
  out.back() = static_cast<std::byte>(Form::kStored);
  writer.put_bytes(raw);
  return out;
}

struct BlockDecompressor::State {
  ZSTD_DDict* dictionary = nullptr;
  ~State() { ZSTD_freeDDict(dictionary); }
};

BlockDecompressor::BlockDecompressor(ByteView dictionary) : state_(std::make_unique<State>()) {
  if (!dictionary.empty()) state_->dictionary = ZSTD_createDDict(dictionary.data(), dictionary.size());
}
BlockDecompressor::~BlockDecompressor() = default;

Result<void> BlockDecompressor::decompress(ByteView value, DocumentBlock& block) const {
  block.documents.clear();
  ByteReader reader(value);
  const std::uint64_t documents = reader.get_varint();
  const std::uint64_t raw_bytes = reader.get_varint();
  const auto form = static_cast<Form>(reader.get<std::uint8_t>());
  const ByteView payload = reader.get_bytes(reader.left());
  if (!reader.ok()) return corrupt("cut short");
  if (raw_bytes > kMaxBlockBytes || documents == 0 || documents > raw_bytes / kLeastDocumentBytes)
    return corrupt(std::to_string(documents) + " documents in " + std::to_string(raw_bytes) + " bytes");
  if (form == Form::kStored) {
    if (payload.size() != raw_bytes) return corrupt("stored bytes of another size");
    block.raw.assign(payload.begin(), payload.end());
  } else if (form == Form::kZstd || form == Form::kZstdDictionary) {
    // Before allocating: the frame must agree with what we were told.
    if (ZSTD_getFrameContentSize(payload.data(), payload.size()) != raw_bytes) return corrupt("frame of another size");
    if (form == Form::kZstdDictionary && !state_->dictionary) return corrupt("its dictionary is missing");
    if (block.raw.size() < raw_bytes) block.raw.resize(raw_bytes);
    ZSTD_DCtx* const context = decompression_context();
    const std::size_t size =
        form == Form::kZstdDictionary
            ? ZSTD_decompress_usingDDict(context, block.raw.data(), raw_bytes, payload.data(), payload.size(),
                                         state_->dictionary)
            : ZSTD_decompressDCtx(context, block.raw.data(), raw_bytes, payload.data(), payload.size());
    if (ZSTD_isError(size)) return corrupt(std::string("zstd: ") + ZSTD_getErrorName(size));
    if (size != raw_bytes) return corrupt("uncompressed to another size");
  } else {
    return corrupt("unknown form " + std::to_string(static_cast<int>(form)));
  }
  ByteReader fields(ByteView(block.raw).first(raw_bytes));
  block.documents.reserve(documents);
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
