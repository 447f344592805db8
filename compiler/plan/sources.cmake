target_sources(asb_compiler PRIVATE ${CMAKE_CURRENT_LIST_DIR}/compile.cpp)
