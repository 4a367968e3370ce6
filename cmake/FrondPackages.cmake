# What is installed, in three components, and Debian packages of them (deploy/package): `frond`, the user's tool with
# `frond up`; the server, whose package is frond-server, or frond-gpu where leaf and indexer were built with CUDA; and
# `python3-frond`, the module for Python.
set(FROND_DEBIAN ${CMAKE_SOURCE_DIR}/deploy/debian)
set(tool_programs frond)
set(server_programs frond-indexer frond-leaf frond-broker frond-bench) # frond-bench has the leaf's engines
if(FROND_HAVE_CUDA)
  set(server_package frond-gpu)
else()
  set(server_package frond-server)
endif()

# Manual pages and completions come from the programs.
foreach(program ${tool_programs} ${server_programs})
  set(page ${CMAKE_BINARY_DIR}/manual/${program}.1.gz)
  set(completion ${CMAKE_BINARY_DIR}/manual/${program})
  add_custom_command(
    OUTPUT ${page} ${completion}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/manual
    COMMAND sh -c "\"$<TARGET_FILE:${program}>\" --generate man | gzip -9n >\"${page}\""
    COMMAND sh -c "\"$<TARGET_FILE:${program}>\" --generate bash >\"${completion}\""
    DEPENDS ${program}
    VERBATIM)
  list(APPEND manual ${page} ${completion})
  set(component server)
  if(program IN_LIST tool_programs)
    set(component tool)
  endif()
  install(FILES ${page} DESTINATION share/man/man1 COMPONENT ${component})
  install(FILES ${completion} DESTINATION share/bash-completion/completions COMPONENT ${component})
endforeach()
add_custom_target(frond_installed DEPENDS ${tool_programs} ${server_programs} ${manual})

install(TARGETS ${tool_programs} DESTINATION bin COMPONENT tool)
install(TARGETS ${server_programs} DESTINATION bin COMPONENT server)
set(package_tool frond)
set(package_server ${server_package})
set(package_python python3-frond)
# Debian's Python looks there, whatever its version, and does not look below another prefix.
install(FILES ${CMAKE_SOURCE_DIR}/tools/python/frond.py DESTINATION /usr/lib/python3/dist-packages COMPONENT python)
foreach(component tool server python)
  set(package ${package_${component}})
  install(FILES ${FROND_DEBIAN}/copyright DESTINATION share/doc/${package} COMPONENT ${component})
  set(changelog ${CMAKE_BINARY_DIR}/${package}.changelog.gz)
  execute_process(COMMAND sh -c "sed 's/@PACKAGE@/${package}/; s/@VERSION@/${PROJECT_VERSION}/' '${FROND_DEBIAN}/changelog' | gzip -9n >'${changelog}'"
                  COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${changelog} DESTINATION share/doc/${package} RENAME changelog.gz COMPONENT ${component})
endforeach()

# Absolute paths: neither units nor configuration are looked for below another prefix. A tarball has them, too.
foreach(unit frond frond-indexer frond-leaf frond-broker)
  install(FILES ${FROND_DEBIAN}/${unit}.service DESTINATION lib/systemd/system COMPONENT server)
endforeach()
foreach(file frond indexer leaf broker)
  install(FILES ${FROND_DEBIAN}/etc/${file}.conf DESTINATION /etc/frond COMPONENT server)
endforeach()
if(FROND_HAVE_CUDA)
  foreach(unit frond frond-indexer frond-leaf)
    install(FILES ${FROND_DEBIAN}/gpu.conf DESTINATION lib/systemd/system/${unit}.service.d COMPONENT server)
  endforeach()
endif()

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_COMPONENTS_ALL tool server python)
set(CPACK_PACKAGE_NAME frond)
set(CPACK_PACKAGE_CONTACT "Frond maintainers <maintainers@users.noreply.frond.example>")
set(CPACK_SET_DESTDIR ON) # for /etc
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF) # one tarball with all
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION database)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_TOOL_PACKAGE_NAME frond)
set(CPACK_DEBIAN_TOOL_PACKAGE_RECOMMENDS "frond-server (= ${PROJECT_VERSION}) | frond-gpu (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_TOOL_DESCRIPTION "search cluster for text: the user's tool
Frond ranks documents with BM25 and answers over HTTP. This package has the
tool that asks a cluster, and makes keys. What serves documents is in
frond-server: `frond up` runs that on one machine.")
set(CPACK_DEBIAN_SERVER_PACKAGE_NAME ${server_package})
set(CPACK_DEBIAN_SERVER_PACKAGE_DEPENDS "frond (= ${PROJECT_VERSION}), adduser, ca-certificates, tzdata")
set(CPACK_DEBIAN_SERVER_PACKAGE_CONTROL_EXTRA
    ${FROND_DEBIAN}/postinst ${FROND_DEBIAN}/prerm ${FROND_DEBIAN}/postrm ${FROND_DEBIAN}/conffiles)
set(CPACK_COMPONENT_SERVER_DESCRIPTION "search cluster for text: indexer, leaf and broker
Frond ranks documents with BM25 and answers over HTTP. This package has the
programs of a cluster, a service that runs all of them on one machine, and one
for each of them, for clusters of several.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME ${package_python})
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.11)")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS python3-pandas)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${FROND_DEBIAN}/python/postinst ${FROND_DEBIAN}/python/prerm)
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "search cluster for text: client module for Python
Frond ranks documents with BM25 and answers over HTTP. This package has the
module `frond`: searches, all matches behind cursors, changes of documents,
and run files of topics.")
if(FROND_HAVE_CUDA)
  # The driver's library is opened when there is a device: it is no dependency.
  set(CPACK_DEBIAN_SERVER_PACKAGE_PROVIDES "frond-server (= ${PROJECT_VERSION})")
  set(CPACK_DEBIAN_SERVER_PACKAGE_CONFLICTS frond-server)
  set(CPACK_DEBIAN_SERVER_PACKAGE_REPLACES frond-server)
  string(APPEND CPACK_COMPONENT_SERVER_DESCRIPTION " Leaf and indexer use\nNVIDIA's GPUs where there are any.")
else()
  set(CPACK_DEBIAN_SERVER_PACKAGE_CONFLICTS frond-gpu)
  set(CPACK_DEBIAN_SERVER_PACKAGE_REPLACES frond-gpu)
endif()
include(CPack)
