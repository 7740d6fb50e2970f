/**
 * What the server takes of `node:http`, without `import`: to make an ES module of it, Node reads each of its exports, and the
 * one named WebSocket loads an HTTP client (undici). That takes 36 ms, and nothing here uses it.
 */
export const { createServer, IncomingMessage, maxHeaderSize, ServerResponse, STATUS_CODES } =
  process.getBuiltinModule('node:http');
