import { globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import ts from 'typescript';
import { readManifest } from '../../bundle/manifest.ts';
import type { ContractDocument } from '../../contract/document.ts';
import { project, root } from '../../project.ts';
import { table } from '../facts/words.ts';
import { shownServerOf } from '../samples/request.ts';
import type { ClientPackage } from '../sdk/client-package.ts';
import { clientGuidePath } from '../site-settings.ts';
import { type Guide, installation, plainText } from './read-guides.ts';

const client = join(root, 'packages/client');

/**
 * The reference of the client: its README and a table of the exports of each module, both read from the package. It also says how to
 * install the client if no guide does.
 */
export function clientReference(contract: ContractDocument, packed?: ClientPackage): Guide {
  const text = readFileSync(join(client, 'README.md'), 'utf8');
  const [heading = '', , description = ''] = /^# (.+)\n\n((?:.+\n)+)/.exec(text) ?? [];
  const title = 'Client reference';
  const name = 'client-reference';
  const readme = withShownServer(withSiteLinks(text.replace(heading, `# ${title}\n\n${description}`)), contract);
  const install = clientGuidePath === `guides/${name}.html` ? `\n## Install it\n\n${installation(packed)}\n` : '';
  const markdown = `${readme}${install}\n## Exports\n\n${exportTables()}\n`;
  return { name, group: 'TypeScript client', title, description: plainText(description), markdown };
}

/** The links of the README, which lead into the repository, as links of the site; text if the site does not have the file. */
function withSiteLinks(markdown: string): string {
  return markdown.replaceAll(
    /\[([^\]]+)\]\((\.\.?\/[^)#]*)(#[^)]*)?\)/g,
    (_, text: string, path: string, part = '') => {
      const file = posix.join('packages/client', path);
      const [, name] = /^docs\/guides\/(.+)\.md$/.exec(file) ?? [];
      if (name !== undefined) return `[${text}](${name}.md${part})`;
      return file === 'openapi.yaml' ? `[${text}](../openapi.yaml)` : text;
    },
  );
}

/** The README names the server that `npm start` runs on the reader's own machine; the docs name the server that sends them. */
function withShownServer(markdown: string, contract: ContractDocument): string {
  const local = contract.servers.filter(({ url }) => new URL(url).hostname === '127.0.0.1');
  return local.reduce((text, { url }) => text.replaceAll(url, shownServerOf(contract)), markdown);
}

function exportTables(): string {
  const { exports }: { exports: Record<string, string> } = JSON.parse(
    readFileSync(join(client, 'package.json'), 'utf8'),
  );
  return Object.entries(exports)
    .map(([path, file]) => {
      const rows = exportsOf(join(client, file)).map(({ name, kind, summary }) => [`\`${name}\``, kind, summary]);
      return `### \`${project.clientPackage}${path.slice(1)}\`\n\n${table(['Name', 'Kind', 'What it is'], rows)}`;
    })
    .join('\n\n');
}

type ExportedName = { name: string; kind: 'function' | 'class' | 'constant' | 'type'; summary: string };

type Described = Omit<ExportedName, 'name'>;

/**
 * The named exports of a module, with the first sentence of their documentation in the declaring module. `export *` from
 * the entry of the package, and `export type *`, are left out.
 */
function exportsOf(file: string): ExportedName[] {
  const own = declarationsIn(file);
  const names = sourceOf(file).statements.flatMap((statement): ExportedName[] => {
    if (isExported(statement)) return namesOf(statement).map((name) => ({ name, ...described(own, name) }));
    if (!ts.isExportDeclaration(statement)) return [];
    const { moduleSpecifier, exportClause, isTypeOnly } = statement;
    const path = moduleSpecifier && ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : '';
    if (exportClause === undefined) return isTypeOnly || path === '../index.ts' ? [] : exportsOf(fileOf(file, path));
    if (!ts.isNamedExports(exportClause)) return [];
    const declared = moduleSpecifier
      ? new Map(exportsOf(fileOf(file, path)).map((exported) => [exported.name, exported]))
      : own;
    return exportClause.elements.map(({ name, propertyName }) => ({
      name: name.text,
      ...described(declared, (propertyName ?? name).text),
    }));
  });
  return [...new Map(names.map((exported) => [exported.name, exported])).values()];
}

function described(declared: ReadonlyMap<string, Described>, name: string): Described {
  const { kind = 'type', summary = '' } = declared.get(name) ?? {};
  return { kind, summary };
}

/** The entries of the packages of the workspace: `@scope/name/entry`, and its file. */
const entries = new Map(
  globSync('packages/*/package.json', { cwd: root }).flatMap((manifest) => {
    const { name, exports } = readManifest(join(root, manifest));
    return Object.entries(exports).map(([entry, file]) => [join(name, entry), join(root, dirname(manifest), file)]);
  }),
);

/** The file that a path in an import of another file names. */
function fileOf(file: string, path: string): string {
  return path.startsWith('.') ? join(dirname(file), path) : (entries.get(path) ?? '');
}

function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : [];
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  const isNamed =
    ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
  return isNamed && statement.name !== undefined ? [statement.name.text] : [];
}

function kindOf(file: string, statement: ts.Statement): ExportedName['kind'] {
  if (ts.isVariableStatement(statement)) return aliasedKind(file, statement) ?? 'constant';
  if (ts.isFunctionDeclaration(statement)) return 'function';
  return ts.isClassDeclaration(statement) ? 'class' : 'type';
}

/** The kind of `core.X` in `const X: SomeType = core.X`, which only changes the type of X. */
function aliasedKind(file: string, { declarationList }: ts.VariableStatement): ExportedName['kind'] | undefined {
  const initializer = declarationList.declarations[0]?.initializer;
  if (initializer === undefined || !ts.isPropertyAccessExpression(initializer)) return undefined;
  const [, path = ''] =
    new RegExp(`import \\* as ${initializer.expression.getText()} from '(.+)'`).exec(textOf(file)) ?? [];
  return path === ''
    ? undefined
    : exportsOf(fileOf(file, path)).find(({ name }) => name === initializer.name.text)?.kind;
}

/** What is declared, by name. Of a type and a value, or of overloads, the first one with documentation counts, and the value's kind. */
function declarationsIn(file: string): Map<string, Described> {
  const found = new Map<string, Described>();
  for (const statement of sourceOf(file).statements) {
    for (const name of namesOf(statement)) {
      const earlier = found.get(name);
      const kind = kindOf(file, statement);
      const summary = earlier?.summary || summaryOf(statement);
      found.set(name, { kind: kind === 'type' ? (earlier?.kind ?? kind) : kind, summary });
    }
  }
  return found;
}

function summaryOf(statement: ts.Statement): string {
  const [comment] = ts.getJSDocCommentsAndTags(statement);
  const text = comment === undefined ? '' : (ts.getTextOfJSDocComment(comment.comment) ?? '');
  return (/^[\s\S]*?\.(?=\s|$)/.exec(text)?.[0] ?? text).replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');
}

function sourceOf(file: string): ts.SourceFile {
  return ts.createSourceFile(file, textOf(file), ts.ScriptTarget.ESNext, true);
}

/** Empty for a package from a registry, which documents its own names. */
function textOf(file: string): string {
  return file === '' ? '' : readFileSync(file, 'utf8');
}
