target_sources(asb_compiler PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/builtins.cpp ${CMAKE_CURRENT_LIST_DIR}/lower.cpp
  ${CMAKE_CURRENT_LIST_DIR}/network_slopes.cpp ${CMAKE_CURRENT_LIST_DIR}/spaces.cpp)
