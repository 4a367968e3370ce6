# How targets are made. One library a directory, sources by hand, dependencies are permissions.

# The standard headers that most sources include, precompiled once: g++ takes 2 s to parse them and 0.3 s to load them.
# Every source still includes what it uses; a build without this (preset dev) and clang-tidy show when one does not.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # With it g++ 12 falsely reports std::string as read and written past its end.
  set(FROND_FALSE_ALARMS -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  add_library(frond_standard_headers STATIC EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/standard_headers.cc)
  target_link_libraries(frond_standard_headers PRIVATE frond_warnings)
  target_compile_options(frond_standard_headers PRIVATE -fpch-preprocess ${FROND_FALSE_ALARMS}) # ccache needs the first
  target_precompile_headers(frond_standard_headers PRIVATE
    <algorithm> <array> <atomic> <chrono> <condition_variable> <cstdint> <filesystem> <functional> <map> <memory>
    <optional> <span> <stop_token> <string> <string_view> <thread> <unordered_map> <utility> <variant> <vector>)
endif()

# frond_add_library(common_codec SOURCES … DEPENDS frond::common_base … PRIVATE_DEPENDS …)
# makes the static library frond_<name> with the alias frond::<name>; includes are from the repository root.
function(frond_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  set(kind PUBLIC)
  set(compiled ${ARG_SOURCES})
  list(FILTER compiled INCLUDE REGEX "\\.(cc|cu)$")
  if(compiled)
    add_library(frond_${name} STATIC ${ARG_SOURCES})
    target_link_libraries(frond_${name} PRIVATE frond_warnings ${ARG_PRIVATE_DEPENDS})
    if(TARGET frond_standard_headers)
      target_compile_options(frond_${name} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess;${FROND_FALSE_ALARMS}>")
      target_precompile_headers(frond_${name} REUSE_FROM frond_standard_headers)
    endif()
  else()
    add_library(frond_${name} INTERFACE)
    set(kind INTERFACE)
  endif()
  add_library(frond::${name} ALIAS frond_${name})
  target_include_directories(frond_${name} ${kind} ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  target_link_libraries(frond_${name} ${kind} ${ARG_DEPENDS})
endfunction()

# frond_embed_files(variable a::b FILES…): sets `variable` to a source with a function a::b::name() for each file, which
# returns its bytes; '.' and '-' of its name become '_'.
function(frond_embed_files variable namespace)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE files)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/embedded.cc)
  add_custom_command(
    OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -DOUT=${generated} -DNAMESPACE=${namespace} "-DFILES=${files}"
            -P ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake
    VERBATIM)
  set(${variable} ${generated} PARENT_SCOPE)
endfunction()

# frond_add_program(frond-leaf SOURCES main.cc DEPENDS …): a binary in build/<preset>/bin.
function(frond_add_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE frond_warnings ${ARG_DEPENDS})
endfunction()

# Test code is optimized little: what takes time in a test is in the libraries. Unit tests and the replay of fuzzers are
# not optimized at all, which halves what compiling them takes. With COMPUTES they are optimized as other tests are: the
# linker takes inline functions from a test's own code, so what computes much would take three times as long. At -O1
# g++ 12 falsely reports std::string as read and written past its end.
set(FROND_PLAIN_TEST $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>,$<COMPILE_LANGUAGE:CXX>>:-O0>)
set(FROND_COMPUTING_TEST
    $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>,$<COMPILE_LANGUAGE:CXX>>:-O1;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>)

# frond_add_test_headers(): once, before the first test: precompiles what every test begins with. GNU only.
function(frond_add_test_headers)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/test_headers.cc CONTENT "int main() { return 0; }\n")
  foreach(kind PLAIN COMPUTING)
    set(name frond_${kind}_TEST_headers)
    add_executable(${name} EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/test_headers.cc)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    target_link_libraries(${name} PRIVATE frond_warnings GTest::gtest GTest::gmock)
    target_compile_options(${name} PRIVATE ${FROND_${kind}_TEST} -fpch-preprocess)
    target_precompile_headers(${name} PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
  endforeach()
endfunction()

# frond_compile_test(target PLAIN|COMPUTING): with the options and precompiled headers of such tests.
function(frond_compile_test target kind)
  target_compile_options(${target} PRIVATE ${FROND_${kind}_TEST})
  if(TARGET frond_${kind}_TEST_headers)
    target_compile_options(${target} PRIVATE -fpch-preprocess)
    target_precompile_headers(${target} REUSE_FROM frond_${kind}_TEST_headers)
  endif()
endfunction()

# frond_add_test(name [COMPUTES] LABELS unit SOURCES a_test.cc … DEPENDS …): one GoogleTest binary, one ctest entry. Its
# sources are compiled as one unit where the preset says so, so a name of a test file is not one of its neighbours'.
function(frond_add_test name)
  cmake_parse_arguments(ARG "COMPUTES" "TIMEOUT" "SOURCES;DEPENDS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE frond_warnings GTest::gtest_main GTest::gmock ${ARG_DEPENDS})
  set(kind COMPUTING)
  if("unit" IN_LIST ARG_LABELS AND NOT ARG_COMPUTES)
    set(kind PLAIN)
  endif()
  frond_compile_test(${name} ${kind})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" SKIP_RETURN_CODE 77 TIMEOUT ${ARG_TIMEOUT})
endfunction()

# frond_add_fuzzer(name SOURCES … DEPENDS …): with FROND_FUZZ a libFuzzer binary, run briefly over its corpus by ctest;
# otherwise the same target replays the corpus tests/fuzz/corpus/<name> once, with the ordinary compiler.
function(frond_add_fuzzer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  set(corpus ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${name})
  if(FROND_FUZZ)
    add_executable(fuzz_${name} ${ARG_SOURCES})
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    add_test(NAME fuzz_${name}
             COMMAND fuzz_${name} -max_total_time=${FROND_FUZZ_SECONDS} -timeout=10 -rss_limit_mb=2048
                     ${CMAKE_BINARY_DIR}/corpus/${name} ${corpus})
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/corpus/${name})
  else()
    add_executable(fuzz_${name} ${ARG_SOURCES} ${CMAKE_SOURCE_DIR}/tests/fuzz/replay_main.cc)
    target_compile_options(fuzz_${name} PRIVATE ${FROND_PLAIN_TEST})
    add_test(NAME fuzz_${name} COMMAND fuzz_${name} ${corpus})
  endif()
  target_link_libraries(fuzz_${name} PRIVATE frond_warnings ${ARG_DEPENDS})
  set_target_properties(fuzz_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  set_tests_properties(fuzz_${name} PROPERTIES LABELS fuzz)
endfunction()
set(FROND_FUZZ_SECONDS 10 CACHE STRING "Seconds a fuzz target runs under ctest")

# frond_add_schema(target file.capnp): generates C++ beside the build tree's copy of the source path.
function(frond_add_schema target schema)
  set(CAPNPC_SRC_PREFIX ${CMAKE_SOURCE_DIR})
  set(CAPNPC_OUTPUT_DIR ${CMAKE_BINARY_DIR})
  capnp_generate_cpp(sources headers ${schema})
  add_library(${target} STATIC ${sources} ${headers})
  target_include_directories(${target} SYSTEM PUBLIC ${CMAKE_BINARY_DIR})
  target_link_libraries(${target} PUBLIC CapnProto::capnp)
endfunction()
