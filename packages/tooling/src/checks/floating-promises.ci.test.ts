import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { TestProject } from '../../test/project-fixture.ts';

const file = 'packages/field-server/src/operations/createNote.ts';
const source = (call: string) => `interface Storage { addNote<Note>(note: Note): Promise<Note> }
export async function createNote(storage: Storage): Promise<void> {
  ${call}
}
`;
const project = new TestProject({
  'tsconfig.json': '{ "compilerOptions": { "lib": ["es2024"], "types": [] }, "include": ["packages"] }',
});
afterAll(() => project.remove());

function check(call: string) {
  project.write({ [file]: source(call) });
  const program = join(import.meta.dirname, 'floating-promises.ts');
  return spawnSync(process.execPath, [program], { cwd: project.folder, encoding: 'utf8' });
}

test('an operation that forgets an await fails the check, with file and line', () => {
  expect(check("storage.addNote('a');")).toMatchObject({
    status: 1,
    stderr: `${file}:3:3: this promise is not awaited. Await it, return it, or discard it with void.\n`,
  });
});

test.each([
  "await storage.addNote('a');",
  "return storage.addNote('a').then(() => {});",
  "void storage.addNote('a');",
  "storage.addNote('a').catch(() => {});",
])('%s passes the check', (call) => {
  expect(check(call)).toMatchObject({ status: 0, stderr: '' });
});
