import { expect, test } from '@jest/globals';
import { fileIdentity, readMultipart } from './read-form.ts';

const fields = { photo: { types: [], isList: false, file: [] } };

function read(boundary: string, ...parts: string[]) {
  const body = parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('');
  const bytes = Buffer.from(`${body}--${boundary}--\r\n`);
  return readMultipart(`multipart/form-data; boundary=${boundary}`, bytes, fields);
}

async function identity(boundary: string, name: string, type: string, content: string) {
  const head = `Content-Disposition: form-data; name="photo"; filename="${name}"\r\nContent-Type: ${type}`;
  const { files } = await read(boundary, `${head}\r\n\r\n${content}`);
  return fileIdentity(Object(files['photo']));
}

test('a file is the same if its name, type and content are: a retry with an Idempotency-Key has another boundary', async () => {
  const first = await identity('a', 'a.png', 'image/png', 'FIRST');
  expect(await identity('b', 'a.png', 'image/png', 'FIRST')).toEqual(first);
  expect(await identity('a', 'a.png', 'image/png', 'OTHER')).not.toEqual(first);
  expect(await identity('a', 'b.png', 'image/png', 'FIRST')).not.toEqual(first);
  expect(await identity('a', 'a.png', 'image/gif', 'FIRST')).not.toEqual(first);
});

test.each([
  ['fields', 'Content-Disposition: form-data; name=a\r\n\r\n'],
  ['parts that are no fields', 'Content-Type: text/plain\r\n\r\n'],
])('%s are counted', async (_, part) => {
  await expect(read('a', ...Array(1_001).fill(part))).rejects.toMatchObject({
    details: [{ where: 'body', what: 'must have at most 1,000 fields' }],
  });
});
