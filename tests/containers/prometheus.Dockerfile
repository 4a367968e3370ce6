# Debian's Prometheus, for the test: it stands in for the image that deploy/compose.yaml names.
ARG BASE
FROM ${BASE}
RUN apt-get -q update \
    && DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends prometheus busybox \
    && ln -s /bin/busybox /usr/local/bin/wget \
    && rm -rf /var/lib/apt/lists/* \
    && install -d -o 65534 -g 65534 /prometheus
USER 65534:65534
ENTRYPOINT ["/usr/bin/prometheus"]
