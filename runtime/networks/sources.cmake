# networks/: the border to whatever evaluates networks and learns, and the opening of the LibTorch plug-in.
target_sources(asb_runtime PRIVATE ${CMAKE_CURRENT_LIST_DIR}/open_torch.cpp)
target_link_libraries(asb_runtime PRIVATE ${CMAKE_DL_LIBS})
