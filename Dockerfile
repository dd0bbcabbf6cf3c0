FROM python:3.11-slim

WORKDIR /app
# The very packages that the tests ran with, each checked against its digest.
COPY requirements.lock .
RUN pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements.lock

COPY pyproject.toml README.md LICENSE ./
COPY rules rules
COPY ingest ingest
COPY replay replay
COPY detectors detectors
COPY dashboards dashboards
COPY catwalk catwalk
RUN pip install --no-cache-dir --disable-pip-version-check --no-deps .

# A volume that is mounted here for the first time takes over this owner.
RUN useradd --create-home catwalk && mkdir /data && chown catwalk /data
USER catwalk
WORKDIR /data
ENV CATWALK_DATA=/data PYTHONUNBUFFERED=1
VOLUME /data
EXPOSE 8501

ENTRYPOINT ["catwalk"]
CMD ["run"]
