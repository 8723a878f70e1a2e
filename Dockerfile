# One image for the API and every pool; what a container does is its command (docker-compose.yml, deploy/kubernetes).
# It needs no network but its database, its broker and its models: the embedding model comes as a wheel.
ARG PYTHON=3.12-slim-bookworm

FROM python:${PYTHON} AS build
RUN apt-get update && apt-get install --yes --no-install-recommends tini tesseract-ocr-kor
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /build
COPY deploy/requirements.lock deploy/build.lock deploy/
# Wheels only, so no compiler; without pip, which nothing needs at run time.
RUN python -m venv --without-pip /opt/citewell \
    && pip --python /opt/citewell/bin/python install --require-hashes --only-binary :all: -r deploy/requirements.lock \
    && pip install --require-hashes --only-binary :all: -r deploy/build.lock
COPY . .
RUN pip wheel --no-deps --no-build-isolation --wheel-dir dist ./packages/verify ./packages/documents ./sdk/python . \
    && pip --python /opt/citewell/bin/python install --no-deps dist/citewell*.whl

FROM python:${PYTHON}
LABEL org.opencontainers.image.title="Citewell" \
      org.opencontainers.image.description="Answers questions from your own documents and proves them" \
      org.opencontainers.image.licenses="Apache-2.0"
# The data of Korean for text recognition; that of English comes as a wheel.
COPY --from=build /usr/share/tesseract-ocr/5/tessdata/kor.traineddata /usr/share/tesseract-ocr/5/tessdata/
COPY --from=build /usr/bin/tini-static /usr/bin/tini
COPY --from=build /opt/citewell /opt/citewell
WORKDIR /app
COPY alembic.ini ./
COPY migrations migrations
# The root file system may be read-only: everything is compiled, and nothing is written but below /tmp.
ENV PATH=/opt/citewell/bin:$PATH \
    CELERY_CUSTOM_WORKER_POOL=workers.pool:LoopPool \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    OPENBLAS_NUM_THREADS=1 \
    CITEWELL_HOME=/tmp/citewell \
    CITEWELL_PULSE_FILE=/tmp/pulse
# A number, so that Kubernetes sees that it is not root.
USER 10001:10001
ENTRYPOINT ["tini", "--"]
CMD ["citewell", "--help"]
