import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { ContractDocument } from '../../contract/document.ts';
import { root } from '../../project.ts';
import { shownServerOf } from '../samples/request.ts';
import type { ClientPackage } from '../sdk/client-package.ts';
import { clientGuidePath } from '../site-settings.ts';
import { type Guide, installation, plainText } from './read-guides.ts';

const client = join(root, 'packages/client');

/** The reference of the client: its README and docs/reference.md, and how to install it if no guide says that. */
export function clientReference(contract: ContractDocument, packed?: ClientPackage): Guide {
  const further = join(client, 'docs/reference.md');
  const sections = existsSync(further) ? readFileSync(further, 'utf8').replace(/^.*?\n(?=## )/s, '\n') : '';
  const text = readFileSync(join(client, 'README.md'), 'utf8') + sections;
  const [heading = '', , description = ''] = /^# (.+)\n\n((?:.+\n)+)/.exec(text) ?? [];
  const title = 'Client reference';
  const name = 'client-reference';
  const readme = withShownServer(withSiteLinks(text.replace(heading, `# ${title}\n\n${description}`)), contract);
  const install = clientGuidePath === `guides/${name}.html` ? `\n## Install it\n\n${installation(packed)}\n` : '';
  return { name, group: 'TypeScript client', title, description: plainText(description), markdown: readme + install };
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
