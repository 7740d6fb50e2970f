/** What Node's own HTTP costs: the same constant reply to every request, and nothing else. */
import { createServer } from 'node:http';

const body = JSON.stringify({ id: 1, name: 'Rex 1', categoryId: 1, status: 'available' });
const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };

const server = createServer((_request, response) => void response.writeHead(200, headers).end(body));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  // As the server says where it listens.
  if (address !== null && typeof address === 'object') console.log(`  API  http://127.0.0.1:${address.port}/v1`);
});
process.on('SIGTERM', () => process.exit(0));
