# One image for every server: `docker build --tag animal-store .` See docs/operate/containers.md.
# Apart from the base image, it contains only JavaScript and TypeScript, which Node.js runs directly. This part is built
# once, on the platform of the builder, and is the same for every platform. A test checks that the versions of Node.js and
# pnpm are those of the project.
ARG NODE_VERSION=24.21.0

FROM --platform=$BUILDPLATFORM node:${NODE_VERSION}-slim AS sources
WORKDIR /app
# The dependencies depend only on these files, so a change in the code does not install them again.
COPY package.json pnpm-workspace.yaml pnpm-lock.yaml ./
COPY patches patches
COPY packages/contract/package.json packages/contract/
COPY packages/redis/package.json packages/redis/
COPY packages/server/package.json packages/server/
COPY packages/sandbox/package.json packages/sandbox/
COPY packages/service/package.json packages/service/
COPY packages/tooling/package.json packages/tooling/

# Only the dependencies that the server needs at run time. Node is an optional dependency of the project.
FROM sources AS dependencies
RUN npx --yes "pnpm@$(node --print 'require("./package.json").config.pnpm')" install --frozen-lockfile --prod \
    --no-optional --filter-prod '@animal-store/server...'
# An empty folder for the data, the only writable path.
RUN mkdir data

# The site that the server serves at /docs/, with the client for download, which needs the tools for development.
FROM sources AS docs
COPY packages/client/package.json packages/client/
COPY packages/client-core/package.json packages/client-core/
COPY packages/testing/package.json packages/testing/
RUN npx --yes "pnpm@$(node --print 'require("./package.json").config.pnpm')" install --frozen-lockfile \
    --filter animal-store --filter '@contract-first/tooling...' --filter '@animal-store/client...'
COPY . .
RUN node packages/tooling/src/commands/docs.ts

FROM node:${NODE_VERSION}-alpine AS server
LABEL org.opencontainers.image.title="Animal Store" org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
# Everything except the data belongs to root and is read-only.
COPY --from=dependencies --chown=1000:1000 /app/data data
COPY --from=dependencies /app/node_modules node_modules
COPY --from=dependencies /app/packages packages
COPY --from=docs /app/dist/docs dist/docs
COPY package.json openapi.yaml LICENSE ./
COPY packages/contract/src packages/contract/src
COPY packages/redis/src packages/redis/src
COPY packages/server/src packages/server/src
COPY packages/sandbox/src packages/sandbox/src
COPY packages/service/src packages/service/src
# The user `node` of the base image, as a number so that Kubernetes can check that it is not root.
USER 1000:1000
VOLUME /app/data
EXPOSE 3000
STOPSIGNAL SIGTERM
# Checks liveness, not readiness, because restarting the server does not help if the database is unavailable.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --start-interval=1s \
    CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The first option saves 80 MiB at the same speed. Without the second, a burst of requests slows the process down permanently.
CMD ["node", "--max-semi-space-size=16", "--no-allocation-site-pretenuring", "packages/server/src/main.ts"]
