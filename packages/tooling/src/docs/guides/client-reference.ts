import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContractDocument } from '../../contract/document.ts';
import { project, root } from '../../project.ts';
import { table } from '../facts/words.ts';
import { shownServerOf } from '../samples/request.ts';
import { exportsOf } from './exports.ts';
import type { Guide } from './guide.ts';

const client = join(root, 'packages/client');

/** The reference of the client: its README and a table of the exports of each module, both read from the package. */
export function clientReference(contract: ContractDocument): Guide {
  const readme = readFileSync(join(client, 'README.md'), 'utf8');
  const [, description = '', body = ''] = /^# .+\n\n([\s\S]+?)\n\n([\s\S]*)$/.exec(readme) ?? [];
  const title = 'Client reference';
  const markdown = `# ${title}\n\n${description}\n\n${withShownServer(withSiteLinks(body), contract)}\n## Exports\n\n${exportTables()}\n`;
  return {
    name: 'client-reference',
    group: 'Get started',
    title,
    description: description.replaceAll(/[`*]/g, '').replaceAll('\n', ' '),
    markdown,
  };
}

/**
 * Converts links of the README into the repository: guides are in the same folder as this page, and other files are not
 * on the site.
 */
function withSiteLinks(markdown: string): string {
  return markdown.replaceAll('](../../docs/guides/', '](').replaceAll(/\[([^\]]+)\]\(\.\.?\/[^)]*\)/g, '$1');
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
