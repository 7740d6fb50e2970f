# One image for every server: `docker build --tag animal-store .` See docs/operate/containers.md.
#
# Its own part is JavaScript and TypeScript alone, which Node runs as it is: it is put together once, on the platform that
# builds, and is the same on every platform. The versions of Node and pnpm are those of the project; a test holds that.
ARG NODE_VERSION=24.21.0

FROM --platform=$BUILDPLATFORM node:${NODE_VERSION}-slim AS sources
WORKDIR /app
# What is installed depends on these only, so a changed line of code installs nothing anew.
COPY package.json pnpm-workspace.yaml pnpm-lock.yaml ./
COPY patches patches
COPY packages/contract/package.json packages/contract/
COPY packages/server/package.json packages/server/
COPY scripts/package.json scripts/

# What the server needs while it runs, and nothing else. Node is an optional dependency of the project.
FROM sources AS dependencies
RUN npx --yes "pnpm@$(node --print 'require("./package.json").config.pnpm')" install --frozen-lockfile --prod \
    --no-optional --filter '@animal-store/server...'
# An empty folder, for the one place that may be written.
RUN mkdir data

# The site that /docs/ delivers.
FROM sources AS docs
RUN npx --yes "pnpm@$(node --print 'require("./package.json").config.pnpm')" install --frozen-lockfile --prod \
    --filter animal-store --filter '@animal-store/scripts...'
COPY . .
RUN node scripts/build-docs.ts

FROM node:${NODE_VERSION}-alpine AS server
LABEL org.opencontainers.image.title="Animal Store" org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
# Everything belongs to root and is only read, but for the data.
COPY --from=dependencies --chown=1000:1000 /app/data data
COPY --from=dependencies /app/node_modules node_modules
COPY --from=dependencies /app/packages packages
COPY --from=docs /app/dist/docs dist/docs
COPY package.json openapi.yaml LICENSE ./
COPY packages/contract/src packages/contract/src
COPY packages/server/src packages/server/src
# `node` of the base image, by its number: Kubernetes looks whether it is root's.
USER 1000:1000
VOLUME /app/data
EXPOSE 3000
STOPSIGNAL SIGTERM
# Whether it lives, not whether it is ready: a database that is away is not mended by a restart of what asks it.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --start-interval=1s \
    CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "packages/server/src/main.ts"]
