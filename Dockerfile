# One image for the API and every pool; what a container does is its command (docker-compose.yml).
FROM python:3.12-slim
WORKDIR /app
COPY requirements.lock ./
RUN pip install --no-cache-dir --require-hashes -r requirements.lock
COPY . .
RUN pip install --no-cache-dir --no-deps --no-build-isolation --editable . && useradd --system --no-create-home citewell
USER citewell
