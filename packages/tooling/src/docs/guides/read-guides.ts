import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { originPlaceholder } from '@contract-first/service/manifest';
import type { ContractDocument } from '../../contract/document.ts';
import { project, root } from '../../project.ts';
import { type Facts, factsOf } from '../facts/facts.ts';
import { keyPlaceholder, shownServerOf } from '../samples/request.ts';
import { checksumsPath } from '../sdk/can-pack.ts';
import type { ClientPackage } from '../sdk/client-package.ts';
import { siteSettings } from '../site-settings.ts';

/** A guide of the docs. */
export type Guide = {
  /** The name of its files: `keys` for guides/keys.html and guides/keys.md. */
  name: string;
  title: string;
  /** Its first paragraph, as plain text: for the home page, search engines, and llms.txt. */
  description: string;
  /** The whole text with its heading and all insertions. Its links lead to the Markdown of other guides. */
  markdown: string;
  /** The heading under which the menu lists it. */
  group: string;
};

/** The source of a guide, before the contract's facts are inserted. */
type GuideSource = {
  name: string;
  group: string;
  /** The path of the file relative to the project folder, for messages. */
  file: string;
  text: string;
};

/** A problem in a guide: its place, what is wrong, and what to do. */
class GuideError extends Error {
  override name = 'GuideError';

  constructor(file: string, line: number, problem: string) {
    super(`${file}:${line}: ${problem}`);
  }
}

export const guidesFolder = join(root, 'docs/guides');

/**
 * The hand-written guides in the order of the menu, with the contract's facts in them.
 * @throws GuideError
 */
export function readGuides(contract: ContractDocument, folder = guidesFolder, client?: ClientPackage): Guide[] {
  const facts = new Map([...factsOf(contract), ['client.install', installation(client)]]);
  const named = namedBy(contract);
  return guideSources(folder).map((source) => {
    checkCodes(source, named);
    return guideOf(source, withVariables(insertFacts(source, facts), shownServerOf(contract)));
  });
}

/** How to install the client: from the docs, if they have it. */
export function installation(client: ClientPackage | undefined): string {
  if (client === undefined) {
    return `\`\`\`sh
npm install ${project.clientPackage}
\`\`\`

If the package isn't in your registry, run \`npm run pack\` in the repository of the API. It writes the package to
\`dist/packages/${project.id}-client-VERSION.tgz\`; install this file.`;
  }
  return `\`\`\`sh
npm install ${originPlaceholder}/docs/${client.path}
\`\`\`

The checksum of the file is in [SHA256SUMS.txt](../${checksumsPath}). The URL contains the version, and each server has only the version
that fits it. If you build your program where this server can't be reached, keep a copy of the file and install that.`;
}

function guideSources(folder: string): GuideSource[] {
  const listed = Object.entries(siteSettings.menu).flatMap(([group, names]) => names.map((name) => ({ group, name })));
  const files = readdirSync(folder).filter((file) => file.endsWith('.md'));
  const unlisted = files.find((file) => !listed.some(({ name }) => `${name}.md` === file));
  if (unlisted !== undefined) {
    throw new GuideError(
      `docs/guides/${unlisted}`,
      1,
      'The menu does not list this guide. Add it in contract-first.yaml.',
    );
  }
  return listed.map(({ group, name }) => ({
    name,
    group,
    file: `docs/guides/${name}.md`,
    text: readFileSync(join(folder, `${name}.md`), 'utf8'),
  }));
}

function guideOf({ name, group, file }: GuideSource, markdown: string): Guide {
  const [, title, description] = /^# (.+)\n\n((?:.+\n)+)/.exec(markdown) ?? [];
  if (title === undefined || description === undefined) {
    throw new GuideError(
      file,
      1,
      'A guide begins with "# Title", an empty line, and a paragraph that describes its topic.',
    );
  }
  return { name, group, title, description: plainText(description), markdown };
}

/** A paragraph without links and formatting. */
export function plainText(markdown: string): string {
  return markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)|[`*]/g, '$1')
    .replaceAll('\n', ' ')
    .trim();
}

function namedBy({ paths, components }: ContractDocument): Named {
  return {
    codes: new Set(Object.keys(components.schemas.ErrorCode['x-codes'])),
    // These are in backticks, too.
    fields: new Set([...fieldsIn(paths), ...fieldsIn(components)]),
  };
}

/** The names of parameters and properties. */
function* fieldsIn(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  if ('in' in node && 'name' in node) yield String(node.name);
  if ('properties' in node) yield* Object.keys(Object(node.properties));
  for (const child of Object.values(node)) yield* fieldsIn(child);
}

const placeholder = /\{\{([^{}]*)\}\}/g;

/**
 * The text of a guide with each `{{name}}` replaced by the fact from the contract. @throws GuideError with the line of an
 * unknown placeholder
 */
function insertFacts({ file, text }: Pick<GuideSource, 'file' | 'text'>, facts: Facts): string {
  const lines = text.split('\n').map((line, index) =>
    line.replaceAll(placeholder, (_whole, name: string) => {
      const fact = facts.get(name.trim());
      if (fact !== undefined) return fact;
      throw new GuideError(file, index + 1, `{{${name}}} stands for nothing.${advice(name.trim(), facts)}`);
    }),
  );
  return lines.join('\n');
}

/** The names with the same beginning, because mistakes are usually at the end. */
function advice(name: string, facts: Facts): string {
  const [group = ''] = name.split('.');
  const alike = [...facts.keys()].filter((candidate) => candidate.startsWith(`${group}.`));
  const shown = alike.length === 0 ? [...new Set([...facts.keys()].map((key) => key.split('.')[0]))] : alike;
  return ` There is: ${shown.join(', ')}.`;
}

/** The names from the contract that a guide may use. */
type Named = Readonly<Record<'codes' | 'fields', ReadonlySet<string>>>;

/** @throws GuideError for the first error code in a guide that the contract does not have */
function checkCodes({ file, text }: Pick<GuideSource, 'file' | 'text'>, named: Named): void {
  for (const [index, line] of text.split('\n').entries()) {
    const problem = codeProblem(line, named);
    if (problem !== undefined) throw new GuideError(file, index + 1, problem);
  }
}

/** In prose a code is in backticks; in an example it is the value of `code`, or compared with a `code`. */
const codes = [/`([a-z]+(?:_[a-z]+)+)`/g, /"code": "([^"]+)"/g, /\bcode\b\W*===? '([^']+)'/g];

function codeProblem(line: string, named: Named): string | undefined {
  const written = codes.flatMap((pattern) => [...line.matchAll(pattern)].map(([, code = '']) => code));
  const unknown = written.find((code) => !named.codes.has(code) && !named.fields.has(code));
  if (unknown === undefined) return undefined;
  return `The contract lists no error code ${unknown}. It has: ${[...named.codes].join(', ')}.`;
}

/** Sets the docs' variables before each command that uses one of them, unless they are set or the guide itself exports them. */
function withVariables(markdown: string, baseUrl: string): string {
  const values = new Map([
    [`${project.variables}_KEY`, keyPlaceholder],
    [`${project.variables}_URL`, baseUrl],
  ]);
  return markdown.replaceAll(/(?<=^```bash\n).*?(?=^```$)/gms, (code) => {
    const missing = [...values].filter(([name]) => code.includes(`$${name}`) && !markdown.includes(`export ${name}=`));
    return `${missing.map(([name, value]) => `: "\${${name}:=${value}}"\n`).join('')}${code}`;
  });
}
