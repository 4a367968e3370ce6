# cmake -DOUT=file.cc -DNAMESPACE=a::b -DFILES=x.html;y.css -P EmbedFiles.cmake
# Writes a C++ file with one function a file, named after it ('.' and '-' become '_'), that returns its bytes.
set(code "// Made by cmake/EmbedFiles.cmake.\n#include <string_view>\n\nnamespace ${NAMESPACE} {\n")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  string(REGEX REPLACE "[.-]" "_" name ${name})
  file(READ ${file} hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR bytes "${digits} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," array "${hex}")
  string(APPEND code "std::string_view ${name}();\nstd::string_view ${name}() {\n  static const char bytes[] = {${array}0};\n  return {bytes, ${bytes}};\n}\n")
endforeach()
string(APPEND code "}  // namespace ${NAMESPACE}\n")
file(WRITE ${OUT} "${code}")
