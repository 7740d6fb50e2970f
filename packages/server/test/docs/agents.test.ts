import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { contractJson } from '@animal-store/contract/document';
import { expect, test } from '@jest/globals';
import { readGuides } from '../../../tooling/src/docs/guides/read-guides.ts';
import { partnersFolder } from '../../../tooling/test/samples/programs.ts';
import { startTestServer } from '../harness.ts';

const guide = readGuides(JSON.parse(contractJson)).find(({ name }) => name === 'agents');

test('the MCP server of the guide lists the operations as tools, and calls them with the key', async () => {
  await using server = await startTestServer();
  const partner = partnersFolder();
  const program = join(partner.folder, 'mcp.mjs');
  writeFileSync(program, /```js\n(.*?)```/s.exec(guide?.markdown ?? '')?.[1] ?? '');
  const child = spawn(process.execPath, [program], {
    env: { ANIMAL_STORE_URL: `${server.url}/v1`, ANIMAL_STORE_KEY: server.key },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const responses = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    let last = 0;
    const ask = async (method: string, params: object) => {
      last += 1;
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: last, method, params })}\n`);
      const response = JSON.parse(String((await responses.next()).value));
      expect(response).toMatchObject({ jsonrpc: '2.0', id: last });
      return response;
    };
    const protocolVersion = '2025-06-18';
    expect(await ask('initialize', { protocolVersion })).toMatchObject({
      result: { protocolVersion, serverInfo: { name: 'Animal Store' } },
    });
    child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');

    const {
      result: { tools },
    } = await ask('tools/list', {});
    const names = tools.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['listPets', 'createPet', 'updatePet', 'cancelOrder']));
    expect(names).not.toContain('getPet');

    const toolCall = (name: string, parameters: object) => ask('tools/call', { name, arguments: parameters });
    const created = await toolCall('createPet', { body: { name: 'Rex', categoryId: 3 } });
    const [, status, etag, body] =
      /^Status: (\d+)\nETag: ([^\n]+)\n.*\n\n(.*)$/s.exec(created.result.content[0].text) ?? [];
    expect(status).toBe('201');
    const { id } = JSON.parse(body ?? '');
    const changed = await toolCall('updatePet', { petId: id, 'If-Match': etag, body: { name: 'Mia' } });
    expect(changed.result).toMatchObject({ isError: false });
    const listed = await toolCall('listPets', { id: [id] });
    expect(listed.result.content[0].text).toContain('"name":"Mia"');
    const refused = await toolCall('listPets', { limit: 0 });
    expect(refused.result).toMatchObject({ isError: true });
    expect(refused.result.content[0].text).toContain('invalid_request');
    expect(await toolCall('getPet', { petId: id })).toMatchObject({ error: { message: 'There is no getPet.' } });
  } finally {
    child.kill();
    partner.remove();
  }
});
