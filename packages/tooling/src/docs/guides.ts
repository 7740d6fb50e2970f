import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { originPlaceholder } from '@contract-first/service/facts';
import type { ContractDocument } from '../contract/document.ts';
import { project, root } from '../project.ts';
import { type Facts, factsOf } from './facts.ts';
import { markdownPage, menu } from './layout.ts';
import { link } from './markup.ts';
import { keyPlaceholder, shownServerOf } from './samples/request.ts';
import { siteSettings } from './site-settings.ts';
import type { SiteFile } from './write-site.ts';

/** A guide of the docs. */
export type Guide = {
  /** The name of its files: `keys` for guides/keys.html and guides/keys.md. */
  name: string;
  title: string;
  /** Its first paragraph, as plain text: for the home page, search engines, and llms.txt. */
  description: string;
  /** The whole text with its heading and all insertions. Its links lead to the Markdown of other pages. */
  markdown: string;
  /** The heading under which the menu lists it. */
  group: string;
};

export const guidesFolder = join(root, 'docs/guides');

/**
 * The hand-written guides in the order of the menu, with the contract's facts in them.
 * @param client the path of the packed client below the site's root
 * @throws Error that names the guide and the line of an unknown placeholder
 */
export function readGuides(contract: ContractDocument, folder = guidesFolder, client?: string): Guide[] {
  const facts = new Map([...factsOf(contract), ['client.install', installation(client)]]);
  const groups = Object.entries(siteSettings.menu);
  const listed = new Set(groups.flatMap(([, names]) => names));
  const unlisted = globSync('*.md', { cwd: folder }).find((file) => !listed.has(file.replace(/\.md$/, '')));
  if (unlisted !== undefined)
    throw new Error(`docs/guides/${unlisted}: The menu does not list this guide. Add it in contract-first.yaml.`);
  return groups.flatMap(([group, names]) =>
    names.map((name) => {
      const file = `docs/guides/${name}.md`;
      const text = insertFacts(file, readFileSync(join(folder, `${name}.md`), 'utf8'), facts);
      return { name, group, ...headOf(file, text), markdown: withVariables(text, shownServerOf(contract)) };
    }),
  );
}

/** The reference of the client: its README and docs/reference.md. */
export function clientReference(contract: ContractDocument): Guide {
  const folder = join(root, 'packages/client');
  const further = join(folder, 'docs/reference.md');
  const sections = existsSync(further) ? readFileSync(further, 'utf8').replace(/^.*?\n(?=## )/s, '\n') : '';
  const text = `${readFileSync(join(folder, 'README.md'), 'utf8')}${sections}`
    .replace(/^# .*/, '# Client reference')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+[\w.~/-]*/g, shownServerOf(contract))
    // The guides are next to it; of the other files of the repository, only the text of the link remains.
    .replaceAll(/\]\((?:\.\.\/)+docs\/guides\/([^)]+)\)/g, ']($1)')
    .replaceAll(/\[([^\]]+)\]\(\.\.?\/[^)]*\)/g, '$1');
  const name = 'client-reference';
  return { name, group: 'TypeScript client', ...headOf('packages/client/README.md', text), markdown: text };
}

/** Each guide as a page, with the menu of all of them, and as Markdown. */
export function guideFiles(guides: readonly Guide[]): SiteFile[] {
  const groups = [...new Set(guides.map(({ group }) => group))];
  return guides.flatMap((guide) => {
    const entry = (one: Guide) =>
      `<li>${link(`${one.name}.html`, one.title, one === guide ? ' aria-current="page"' : '')}</li>`;
    const lists = groups.map(
      (group) =>
        `<h2>${group}</h2><ul>${guides
          .filter((one) => one.group === group)
          .map(entry)
          .join('')}</ul>`,
    );
    const { name, title, description, markdown } = guide;
    const path = `guides/${name}.html`;
    return markdownPage({
      ...{ path, title, description, markdown },
      section: 'Guides',
      menu: menu('Guides', title, lists.join('')),
    });
  });
}

/** How to install the client: from the docs, if they have it. */
function installation(client: string | undefined): string {
  if (client === undefined) {
    return `\`\`\`sh
npm install ${project.clientPackage}
\`\`\`

If the package isn't in your registry, run \`npm run pack\` in the repository of the API. It writes the package to
\`dist/packages/${project.id}-client-VERSION.tgz\`; install this file.`;
  }
  return `\`\`\`sh
npm install ${originPlaceholder}/docs/${client}
\`\`\`

The URL contains the version, and each server has only the version that fits it. If you build your program where this
server can't be reached, keep a copy of the file and install that.`;
}

function headOf(file: string, markdown: string): Pick<Guide, 'title' | 'description'> {
  const [, title, description] = /^# (.+)\n\n((?:.+\n)+)/.exec(markdown) ?? [];
  if (title === undefined || description === undefined) {
    throw new Error(`${file}: Begin with "# Title", an empty line, and a paragraph that describes the topic.`);
  }
  const plain = description.replaceAll(/\[([^\]]*)\]\([^)]*\)|[`*]/g, '$1').replaceAll('\n', ' ');
  return { title, description: plain.trim() };
}

/** The text of a guide with each `{{name}}` replaced by the fact from the contract. */
function insertFacts(file: string, text: string, facts: Facts): string {
  const lines = text.split('\n').map((line, index) =>
    line.replaceAll(/\{\{([^{}]*)\}\}/g, (_whole, name: string) => {
      const fact = facts.get(name.trim());
      if (fact !== undefined) return fact;
      const [group = ''] = name.trim().split('.');
      const alike = [...facts.keys()].filter((candidate) => candidate.startsWith(`${group}.`));
      const others = alike.length === 0 ? [...new Set([...facts.keys()].map((key) => key.split('.')[0]))] : alike;
      throw new Error(`${file}:${index + 1}: {{${name}}} stands for nothing. There is: ${others.join(', ')}.`);
    }),
  );
  return lines.join('\n');
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
