# `frond`. The library is everything but main(), so that tests can link it.
frond_add_library(tools
  SOURCES
    commands.cc commands.h
    search.cc run.cc load.cc                  # a command each
    probe.cc keygen.cc
    key_files.cc key_files.h                  # keys for CURVE
    topics.cc topics.h                        # queries from files
    answer.cc answer.h                        # a broker's answer, parsed
    answer_marks.cc answer_marks.h            # … and skimmed
    broker_client.cc broker_client.h          # one blocking connection
    url_encode.cc url_encode.h
    reply_reader.cc reply_reader.h            # HTTP replies from bytes
    load_generator.cc load_generator.h        # open and closed loop
    load_connection.cc load_connection.h      # … a connection of it
    event_loop.cc event_loop.h
    load_report.cc load_report.h
    histogram.h
  DEPENDS
    frond::common_base frond::common_http frond::common_net frond::common_tls
  PRIVATE_DEPENDS
    frond::common_config frond::common_files frond::common_text frond::common_wire nlohmann_json::nlohmann_json fmt::fmt)

frond_add_program(frond
  SOURCES
    main.cc
  DEPENDS
    frond::tools frond::tools_bench frond::tools_synth_command frond::common_config)
