target_sources(asb_dsl PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/source_files.cpp
  ${CMAKE_CURRENT_LIST_DIR}/utf8.cpp)
