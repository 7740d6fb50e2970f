/** npm start: starts the server, then builds the docs if they are missing or old. For PORT and more, see docs/operate/configuration.md. */
await import('../packages/server/src/main.ts');
// Imported only once the server listens, because it would delay the start.
const { buildOldDocs } = await import('../packages/tooling/src/docs/build-old-docs.ts');
buildOldDocs();
