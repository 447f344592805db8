# Run by the build: writes OUT, a header with the hash of the files listed in SOURCES.
cmake_policy(VERSION 3.25)
set(all "")
foreach(file ${SOURCES})
  file(SHA256 ${file} hash)
  string(APPEND all ${hash})
endforeach()
string(SHA256 version "${all}")
file(WRITE ${OUT} "// Made by emitter_version.cmake.
#pragma once
namespace asb::llvm_backend {
inline constexpr const char* kEmitterVersion = \"${version}\";
}  // namespace asb::llvm_backend
")
