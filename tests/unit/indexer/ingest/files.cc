#include "tests/unit/indexer/ingest/files.h"

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "common/base/check.h"

namespace frond::indexer::ingest {
namespace fs = std::filesystem;

fs::path write_in(const support::ScratchFolder& folder, std::string_view name, std::string_view content) {
  fs::path file = folder / name;
  fs::create_directories(file.parent_path());
  support::write_file(file, content);
  return file;
}

std::string gzipped(std::string_view plain) {
  z_stream stream{};
  FROND_CHECK(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, plain.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  FROND_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}
std::string bzipped(std::string_view plain) {
  std::string out(plain.size() * 2 + 1000, '\0');
  unsigned size = static_cast<unsigned>(out.size());
  FROND_CHECK(BZ2_bzBuffToBuffCompress(out.data(), &size, const_cast<char*>(plain.data()),
                                       static_cast<unsigned>(plain.size()), 9, 0, 0) == BZ_OK);
  out.resize(size);
  return out;
}
std::string xz_compressed(std::string_view plain, std::uint32_t dictionary_bytes) {
  lzma_options_lzma options;
  FROND_CHECK(!lzma_lzma_preset(&options, 0));
  options.dict_size = dictionary_bytes;
  lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, nullptr}};
  std::string out(lzma_stream_buffer_bound(plain.size()), '\0');
  std::size_t size = 0;
  FROND_CHECK(lzma_stream_buffer_encode(filters, LZMA_CHECK_CRC64, nullptr,
                                        reinterpret_cast<const std::uint8_t*>(plain.data()), plain.size(),
                                        reinterpret_cast<std::uint8_t*>(out.data()), &size, out.size()) == LZMA_OK);
  out.resize(size);
  return out;
}
std::string zstd_compressed(std::string_view plain, int window_log) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  if (window_log) {
    ZSTD_CCtx_setParameter(context, ZSTD_c_enableLongDistanceMatching, 1);
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  }
  std::string out(ZSTD_compressBound(plain.size()), '\0');
  ZSTD_inBuffer in{plain.data(), plain.size(), 0};
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  // Compressed in two pieces, so that the frame's header has its window and not its size.
  in.size = plain.size() / 2;
  FROND_CHECK(!ZSTD_isError(ZSTD_compressStream2(context, &to, &in, ZSTD_e_flush)));
  in.size = plain.size();
  FROND_CHECK(ZSTD_compressStream2(context, &to, &in, ZSTD_e_end) == 0);
  ZSTD_freeCCtx(context);
  out.resize(to.pos);
  return out;
}

std::vector<std::string> Collected::ids() const {
  std::vector<std::string> all;
  for (const Document& document : documents) all.push_back(document.id);
  return all;
}

Collected collect(std::vector<fs::path> inputs, const SourceFormat* format) {
  Collected all;
  const fs::path folder = inputs.empty() ? fs::path() : fs::path(inputs[0]).parent_path();
  const auto shortened = [&](std::string text) {
    const std::string prefix = folder.string() + "/";
    for (std::size_t at; (at = text.find(prefix)) != std::string::npos;) text.erase(at, prefix.size());
    return text;
  };
  const auto report = [&](const BadRecord& bad) { all.bad.push_back(shortened(to_string(bad))); };
  const auto reader = RecordReader::open(std::move(inputs), format, report);
  if (!reader) {
    all.error = shortened(reader.error().message());
    return all;
  }
  for (;;) {
    const Result<std::optional<RawRecord>> record = (*reader)->next();
    if (!record) all.error = shortened(record.error().message());
    if (!record || !*record) {
      all.skipped_records = shortened(to_string((*reader)->skipped_records()));
      return all;
    }
    Result<Document> document = parse_record(**record);
    if (document)
      all.documents.push_back(std::move(*document));
    else
      report(bad_record(**record, document.error()));
  }
}

}  // namespace frond::indexer::ingest
