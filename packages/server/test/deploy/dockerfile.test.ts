import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { root } from '../../../tooling/src/project.ts';
import { nodeOptions } from '../../../tooling/test/node-options.ts';

const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');

/** The folders of a package and of its production dependencies. */
function packagesOf(folder: string): string[] {
  const { dependencies = {} } = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'));
  const own = Object.keys(dependencies).filter((name) => dependencies[name].startsWith('workspace:'));
  return [folder, ...own.flatMap((name) => packagesOf(name.split('/')[1] ?? ''))];
}

test('the image has the Node version of the project, and starts with the options of npm start', () => {
  const { catalog } = parse(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8'));
  expect(dockerfile).toContain(`\nARG NODE_VERSION=${catalog.node}\n`);
  const command = JSON.stringify(['node', ...nodeOptions, 'packages/server/src/main.ts']).replaceAll(',', ', ');
  expect(dockerfile).toContain(`\nCMD ${command}\n`);
});

test.each(packagesOf('server'))('the image has the package %s', (folder) => {
  expect(dockerfile).toContain(`\nCOPY packages/${folder}/package.json packages/${folder}/\n`);
  expect(dockerfile).toContain(`\nCOPY packages/${folder}/src packages/${folder}/src\n`);
});
