# io/: files in, and weights both ways. Knows bytes, surfaces and arrays, not programs.
find_package(nlohmann_json REQUIRED)
find_path(ASB_ZIP_INCLUDE zip.h REQUIRED)  # Debian's own CMake file for libzip asks for tools we don't need
find_library(ASB_ZIP_LIBRARY zip REQUIRED)
target_sources(asb_runtime PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/obj.cpp
  ${CMAKE_CURRENT_LIST_DIR}/off.cpp
  ${CMAKE_CURRENT_LIST_DIR}/ply.cpp
  ${CMAKE_CURRENT_LIST_DIR}/polygon.cpp
  ${CMAKE_CURRENT_LIST_DIR}/read_surface.cpp
  ${CMAKE_CURRENT_LIST_DIR}/resolve_path.cpp
  ${CMAKE_CURRENT_LIST_DIR}/pickle.cpp
  ${CMAKE_CURRENT_LIST_DIR}/safetensors.cpp
  ${CMAKE_CURRENT_LIST_DIR}/state_dictionary.cpp
  ${CMAKE_CURRENT_LIST_DIR}/stl.cpp
  ${CMAKE_CURRENT_LIST_DIR}/weights.cpp
  ${CMAKE_CURRENT_LIST_DIR}/zip_archive.cpp)
target_include_directories(asb_runtime PRIVATE ${ASB_ZIP_INCLUDE})
target_link_libraries(asb_runtime PRIVATE ${ASB_ZIP_LIBRARY} nlohmann_json::nlohmann_json)
