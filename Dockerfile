# The image of the service: docker build -t assay:0.2.0 .
#
# The node that Assay runs on is the base image's, of the version that package.json pins; the copy that npm would bring is left out.
# Pin the base by its digest: --build-arg NODE_IMAGE=node:26.10.0-bookworm-slim@sha256:… (deploy/images-without-digest.json says why it is not here).
ARG NODE_IMAGE=node:26.10.0-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json tsconfig.page.json tsconfig.page.build.json ./
COPY src src
COPY scripts/page-files.ts scripts/page-files.ts
RUN npm run build
COPY scripts/supply-chain scripts/supply-chain
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
  && node scripts/supply-chain/notices.ts \
  && node scripts/supply-chain/sbom.ts \
  && rm -rf node_modules/node-bin-* node_modules/node-linux-* node_modules/node-darwin-* node_modules/.bin node_modules/.cache

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title=assay org.opencontainers.image.licenses=Apache-2.0
LABEL org.opencontainers.image.version=0.2.0
# On every address, and so with tokens: without one it does not start, and says how to make one
# (docs/operate/security.md).
# With glibc's eight arenas a core, and with large buffers in them, memory that was freed stays with the process.
ENV NODE_ENV=production \
  MALLOC_ARENA_MAX=2 \
  MALLOC_MMAP_THRESHOLD_=262144 \
  ASSAY_HOST=0.0.0.0 \
  ASSAY_DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY suites suites
COPY docs/runbooks docs/runbooks
COPY LICENSE ./
# Nothing is installed in a running service.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn* /opt/yarn*
# `docker exec <container> assay explain <conversation>`, and the other commands.
RUN ln -s /app/dist/cli/main.js /usr/local/bin/assay && chmod +x dist/cli/main.js
# A number rather than a name: Kubernetes can see that it is not root.
RUN mkdir /data && chown 1000:1000 /data
USER 1000:1000
VOLUME /data
# OTLP over gRPC, OTLP over HTTP, metrics and API.
EXPOSE 4317 4318 4319
# Ready rather than alive, because other containers wait for it (`depends_on: service_healthy`): OTLP is taken, and
# scoring works. A start may take long if it replays a long journal or waits for the shared store. Orchestrators that
# restart unhealthy containers at once should use /healthz. TLS is found by its variable, else by trying; the certificate
# is not checked, because it names no loopback address.
HEALTHCHECK --interval=15s --timeout=5s --start-period=10m --retries=4 \
  CMD ["node", "-e", "const ask = (by, otherwise) => require(`node:${by}`).get({ host: '127.0.0.1', port: process.env.ASSAY_HTTP_PORT ?? 4319, path: `/readyz`, agent: false, rejectUnauthorized: false }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', otherwise); const none = () => process.exit(1); process.env.ASSAY_TLS_CERT_FILE ? ask('https', none) : ask('http', () => ask('https', none))"]
# After SIGTERM it finishes the work in progress. Work that is unfinished when it is killed is done by the next process.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/app/dist/cli/main.js"]
CMD ["serve"]
