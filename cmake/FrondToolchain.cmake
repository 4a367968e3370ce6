# Language level, warnings, sanitizers, where binaries go, and whether CUDA is there.
set(CMAKE_CXX_STANDARD 20)  # nvcc 13.0 stops at C++20, and headers are shared with it
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

option(FROND_TESTS "Build the tests" ON)
option(FROND_WERROR "Warnings are errors" ON)
option(FROND_FUZZ "Build the libFuzzer targets (clang)" OFF)
set(FROND_CUDA "AUTO" CACHE STRING "Build the CUDA parts: ON | OFF | AUTO, where there are a toolkit and a device")
set_property(CACHE FROND_CUDA PROPERTY STRINGS AUTO ON OFF)
set(FROND_SANITIZE "" CACHE STRING "address,undefined | thread | empty")
# With sanitizers it takes as long to build and to run as all other tests, so it has to be asked for there.
set(on_host ON)
if(FROND_SANITIZE OR FROND_FUZZ)
  set(on_host OFF)
endif()
option(FROND_DEVICE_ON_HOST "Build the tests of GPU code that run on the host (tests/support/cuda_on_host)" ${on_host})

find_program(FROND_CCACHE ccache)
if(FROND_CCACHE)
  # Without this, ccache takes no source that is compiled with a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${FROND_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${FROND_CCACHE})
endif()
find_program(FROND_MOLD mold)
if(FROND_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# Contraction off everywhere: a posting's contribution has the same bits from every compiler (docs/adr/0001).
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)
add_library(frond_warnings INTERFACE)
target_compile_options(frond_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow;-Wnon-virtual-dtor;-Woverloaded-virtual;-Wno-missing-field-initializers>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict>  # g++ 12 reports it falsely on std::string + (PR 105651)
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>  # takes a source in a unity unit for a header
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:Clang>>:-Wthread-safety>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${FROND_WERROR}>>:-Werror>)

if(FROND_SANITIZE)
  add_compile_options(-fsanitize=${FROND_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${FROND_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND FROND_SANITIZE STREQUAL "thread")
    add_compile_options(-Wno-tsan)  # g++ warns of every fence, Asio's too
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND FROND_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=function)
  endif()
endif()

# The toolkit is looked for in its usual place too: check_language searches PATH only. Without a device the CUDA parts
# are only built when they are asked for: they take minutes, and nothing on this machine could run them.
set(FROND_HAVE_CUDA OFF)
if(FROND_CUDA STREQUAL "AUTO")
  file(GLOB devices /dev/nvidia[0-9]*)
  if(devices)
    set(wanted_cuda ON)
  else()
    set(wanted_cuda OFF)
  endif()
else()
  set(wanted_cuda ${FROND_CUDA})
endif()
if(wanted_cuda AND NOT FROND_SANITIZE AND NOT FROND_FUZZ)
  if(NOT CMAKE_CUDA_COMPILER AND EXISTS /usr/local/cuda/bin/nvcc)
    set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(FROND_HAVE_CUDA ON)
    # A100, H100 and what follows. -D CMAKE_CUDA_ARCHITECTURES=90-real halves device code and its compile time.
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
    endif()
    enable_language(CUDA)
    # CMake 3.25 knows no C++20 for nvcc, and would compile as C++17 without a word.
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
  endif()
endif()
if(FROND_CUDA STREQUAL "ON" AND NOT FROND_HAVE_CUDA AND NOT FROND_SANITIZE AND NOT FROND_FUZZ)
  message(WARNING "FROND_CUDA is ON, and there is no CUDA compiler: built without")
endif()
message(STATUS "frond: CUDA ${FROND_HAVE_CUDA}")
