/** Fails for a migration that only one engine has, and for a table of the store whose statements no suite tests on both engines. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../tooling/src/project.ts';

const storage = 'packages/server/src/operations/storage';
const tests = readFileSync(join(root, storage, 'store.test.ts'), 'utf8');
const problems = [
  ...missingMigrations('sqlite', 'postgres'),
  ...missingMigrations('postgres', 'sqlite'),
  ...filesIn('.')
    .filter((file) => /\bstatements\(/.test(readFileSync(join(root, storage, file), 'utf8')))
    .filter((file) => !tests.includes(`'./suite/${file}'`))
    .map(
      (file) => `${storage}/store.test.ts has no ./suite/${file}. Test the methods of ${file} there, on both engines.`,
    ),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Migrations after the last one that both engines have: an older one is part of the first migration of the other engine. */
function missingMigrations(engine: string, other: string): string[] {
  const own = filesIn(`migrations/${engine}`);
  const others = filesIn(`migrations/${other}`);
  const lastOfBoth = own.findLast((file) => others.includes(file)) ?? '';
  return own
    .filter((file) => file > lastOfBoth)
    .map((file) => {
      const folder = `${storage}/migrations/${other}`;
      return `${folder}/${file} is missing. Write the same change for this engine, or a comment that says why it needs none.`;
    });
}

function filesIn(folder: string): string[] {
  return readdirSync(join(root, storage, folder))
    .filter((file) => /(?<!\.test)\.(ts|sql)$/.test(file))
    .sort();
}
