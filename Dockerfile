# The image of the service: docker build -t assay .
#
# The node that Assay runs on is the base image's, of the version that package.json pins; the copy that npm would bring is left out.
ARG NODE_IMAGE=node:26.10.0-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src src
RUN npx tsc -p tsconfig.build.json
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/node-bin-* node_modules/node-linux-* node_modules/node-darwin-* node_modules/.bin node_modules/.cache

FROM ${NODE_IMAGE}
ENV NODE_ENV=production \
  ASSAY_HOST=0.0.0.0 \
  ASSAY_DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY suites suites
# `docker exec <container> assay explain <conversation>`, and the other commands.
RUN ln -s /app/dist/cli/main.js /usr/local/bin/assay && chmod +x dist/cli/main.js
# A number rather than a name: Kubernetes can see that it is not root.
RUN mkdir /data && chown 1000:1000 /data
USER 1000:1000
VOLUME /data
# OTLP over gRPC, OTLP over HTTP, metrics and API.
EXPOSE 4317 4318 4319
# Ready rather than alive, because other containers wait for it (`depends_on: service_healthy`): OTLP is taken, and scoring works. A start that reads a
# long journal again, or waits for the shared store, takes its time. What starts a container again as soon as it is unhealthy should ask /healthz.
HEALTHCHECK --interval=15s --timeout=5s --start-period=10m --retries=4 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.ASSAY_HTTP_PORT ?? 4319}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# SIGTERM lets it finish what it has begun. What it has not finished by the time it is killed is done by whoever comes next.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/app/dist/cli/main.js"]
CMD ["serve"]
