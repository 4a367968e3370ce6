frond_add_library(indexer_build
  SOURCES
    build.cc build.h              # the stages in order
  DEPENDS
    frond::common_base frond::common_codec frond::common_repository frond::indexer_order frond::indexer_pipeline
  PRIVATE_DEPENDS
    frond::indexer_publish)

frond_add_program(frond-indexer
  SOURCES
    main.cc
    build_command.cc repository_commands.cc commands.h
    build_report.cc build_report.h
    build_status_server.cc build_status_server.h  # progress for Prometheus
    signals.cc signals.h
  DEPENDS
    frond::indexer_build frond::indexer_check frond::indexer_publish frond::common_config frond::common_http
    frond::common_metrics Boost::headers nlohmann_json::nlohmann_json Threads::Threads)
