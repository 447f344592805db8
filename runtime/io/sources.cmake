# io/: files in. Knows bytes and surfaces, not programs.
target_sources(asb_runtime PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/obj.cpp
  ${CMAKE_CURRENT_LIST_DIR}/off.cpp
  ${CMAKE_CURRENT_LIST_DIR}/ply.cpp
  ${CMAKE_CURRENT_LIST_DIR}/polygon.cpp
  ${CMAKE_CURRENT_LIST_DIR}/read_surface.cpp
  ${CMAKE_CURRENT_LIST_DIR}/resolve_path.cpp
  ${CMAKE_CURRENT_LIST_DIR}/stl.cpp)
