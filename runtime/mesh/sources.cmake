# mesh/: bodies and surfaces at rest. Knows positions and cells, not programs.
target_sources(asb_runtime PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/boundary.cpp
  ${CMAKE_CURRENT_LIST_DIR}/box.cpp
  ${CMAKE_CURRENT_LIST_DIR}/box_tree.cpp
  ${CMAKE_CURRENT_LIST_DIR}/element.cpp
  ${CMAKE_CURRENT_LIST_DIR}/embedding.cpp
  ${CMAKE_CURRENT_LIST_DIR}/occupancy.cpp
  ${CMAKE_CURRENT_LIST_DIR}/quadrature.cpp
  ${CMAKE_CURRENT_LIST_DIR}/surface.cpp
  ${CMAKE_CURRENT_LIST_DIR}/surface_check.cpp
  ${CMAKE_CURRENT_LIST_DIR}/thickness.cpp
  ${CMAKE_CURRENT_LIST_DIR}/voxels.cpp)
