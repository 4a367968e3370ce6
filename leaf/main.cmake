# frond-leaf: partitions to top-k.
frond_add_program(frond-leaf
  SOURCES
    main.cc
    options.cc options.h  # the command line
    curve.cc curve.h      # its keys, and whose it lets in
    probes.cc probes.h    # /metrics, /livez, /readyz
    loops.cc loops.h      # … whether its threads turn
    ending.cc ending.h    # how it leaves
    opened_data.cc opened_data.h  # --data, when the leaf before has let go of it
  DEPENDS
    frond::common_config frond::common_http frond::common_metrics frond::common_net frond::common_repository
    frond::common_wire
    frond::leaf_accelerator frond::leaf_engines frond::leaf_families frond::leaf_generation frond::leaf_lists
    frond::leaf_schedule frond::leaf_serve
    Boost::headers nlohmann_json::nlohmann_json)
