# The image needs two writable places: the volume /cache and a temporary file system at /tmp.
# docker run --read-only --tmpfs /tmp -v "$PWD/logs:/data:ro" -v cache:/cache -p 127.0.0.1:4000:4000 log-endpoints
# The digest is that of all platforms. A newer one: docker buildx imagetools inspect node:22-bookworm-slim
FROM node:22-bookworm-slim@sha256:c3de60bf2f9dd0ac6370e6117950ff62d6e339527e7472301c9c78a017978392 AS base

FROM base AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/macro-arguments.mjs scripts/macro-twins.mjs scripts/bundle.mjs scripts/built.mjs scripts/macro-file.mjs scripts/
COPY sql sql
COPY src src
RUN npm run build
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM base
LABEL org.opencontainers.image.title="log-endpoints" \
  org.opencontainers.image.description="Runs BigQuery SQL over log files, and serves stored queries over HTTP" \
  org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
COPY sql sql
RUN mkdir /data /cache && chown node:node /cache
USER node
VOLUME ["/data", "/cache"]
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4000/ready').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/main.js"]
CMD ["serve", "--host", "0.0.0.0", "--data", "/data", "--cache-dir", "/cache", "--watch"]
