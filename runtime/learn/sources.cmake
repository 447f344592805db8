target_sources(asb_runtime PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/checkpoint.cpp ${CMAKE_CURRENT_LIST_DIR}/initial.cpp ${CMAKE_CURRENT_LIST_DIR}/learn.cpp
  ${CMAKE_CURRENT_LIST_DIR}/log.cpp ${CMAKE_CURRENT_LIST_DIR}/tables.cpp)
