# frond-broker: HTTP to leaves to HTTP.
frond_add_program(frond-broker
  SOURCES
    main.cc
    options.cc options.h  # the command line
    curve.cc curve.h      # its keys, and the leaves'
  DEPENDS
    frond::common_config frond::common_http frond::common_metrics frond::common_net frond::broker_cluster frond::broker_http
    Boost::headers)
