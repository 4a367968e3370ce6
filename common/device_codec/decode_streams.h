#pragma once
// Decodes streams of every codec of the registry on the device: many lists in one launch, whole or selected blocks, one
// warp for each block. Tests compare it with ListCodec::decode(); `frond bench codec --processor gpu` measures it.
// (Mallia et al. 2019 §3; Ding et al. 2009 §6; Ao et al. 2011 §4.) leaf/gpu has its own decoder for ranked queries.
#include <span>

#include "common/base/result.h"
#include "common/codec/list_codec.h"
#include "common/device/runtime.h"
#include "common/device_codec/decode_batch.h"

namespace frond::device_codec {

// Whether the device can decode the codec.
bool can_decode(const codec::ListCodec& codec);

// Launches the decoding of a batch in the stream. Blocks for which ListCodec::decode() returns kCorrupt
// are counted as corrupt; nothing is read outside the streams and their slack. Errors: kDevice; kInvalid if
// can_decode() is false.
Result<void> decode_streams(const codec::ListCodec& codec, const DecodeBatch& batch, device::StreamHandle stream);

// Errors: kCorrupt; the message names the first list with a corrupt block. corrupt_blocks: the batch's, on the host.
Result<void> check_decoded(const codec::ListCodec& codec, std::span<const std::uint32_t> corrupt_blocks);

// The launcher of each codec, for the table in decode_streams.cc.
using Launch = Result<void> (*)(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_simd_bp128(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_bp32(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_gpu_bp128(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_gpu_bp256(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_vbyte(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_varintgb(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_streamvbyte(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_gpu_vbyte128(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_gpu_vbyte1024(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_rice(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_pfordelta0(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_pfordelta1(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_pfordelta2(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_pfordelta3(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_pfordelta4(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_pfd(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_newpfd(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_parapfor(const DecodeBatch& batch, device::StreamHandle stream);
// For docIDs only: these codecs store frequencies as simd-bp128.
Result<void> decode_lrc(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_lrcseg(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_seglrc(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_hs_lrc(const DecodeBatch& batch, device::StreamHandle stream);

}  // namespace frond::device_codec
