target_sources(asb_dsl PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/walk.cpp
  ${CMAKE_CURRENT_LIST_DIR}/dump.cpp)
