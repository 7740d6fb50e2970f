/** What is generated for the template of new projects, so that its types can be checked. */
import { basename, join } from 'node:path';
import { generatedFiles } from '../src/generate/files.ts';
import { project } from '../src/project.ts';
import { booksContract } from './books-fixture.ts';

const template = join(import.meta.dirname, '../template/packages');

/** The generated files with their text, from a contract with a scheme that needs a function. */
export async function templateFixture(): Promise<[file: string, text: string][]> {
  const document = booksContract();
  document.components.securitySchemes = { ...document.components.securitySchemes, oauth: { type: 'oauth2' } };
  const [first] = Object.values(document.paths);
  if (first?.get !== undefined) Object.assign(first.get, { security: [{ oauth: [] }], 'x-pagination': false });
  const files = await generatedFiles({ json: JSON.stringify(document), document });
  return [...files].flatMap(([file, text]): [string, string][] => {
    const [, name = ''] = /packages[\\/](contract|client)[\\/]src/.exec(file) ?? [];
    if (name === '' || /queries|\.yaml$/.test(file)) return [];
    const own = text
      .replaceAll(project.contractPackage, '@my-api/contract')
      .replaceAll(`${project.id}.ts`, 'my-api.ts');
    return [[join(template, name, 'src/generated', basename(file)), own]];
  });
}
