import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { type ContractDocument, firstOperation } from '../contract/document.ts';
import { contractDocument } from '../contract/generated.ts';
import { root, settings } from '../project.ts';
import type { Settings } from '../settings/settings.ts';

/** What the docs say about the API besides the contract and the guides: contract-first.yaml, with defaults from the contract. */
type SiteSettings = Required<Pick<Settings, 'name' | 'logo' | 'menu'>> & {
  home: Required<NonNullable<Settings['home']>>;
};

export const siteSettings: SiteSettings = complete(settings, contractDocument());

/** The names of the guides, in the order of the menu. */
export const guides = Object.values(siteSettings.menu).flat();

/** A text with a link to a guide, if the project has it. */
export function see(guide: string, text: string): string {
  return guides.includes(guide) ? text : '';
}

/** The guide that says how to install the client. Without it, the docs do not offer the client. */
export const clientGuidePath = see('client', 'guides/client.html');

function complete(given: Settings, document: ContractDocument): SiteSettings {
  const { info } = document;
  const { name = info.title } = given;
  const letter = name.charAt(0).replace(/[<&]/, '');
  return {
    name,
    logo: given.logo ?? `<text x='16' y='25' font-size='26' font-weight='700' text-anchor='middle'>${letter}</text>`,
    home: {
      heading: name,
      text: info.summary,
      operation: firstOperation(document)?.operation.operationId ?? '',
      query: '',
      ...given.home,
    },
    menu: given.menu ?? { Guides: guideNames() },
  };
}

/** The guides, the first call first. */
function guideNames(): string[] {
  const names = globSync('docs/guides/*.md', { cwd: root }).map((file) => basename(file, '.md'));
  return [...names.filter((name) => name === 'first-call'), ...names.filter((name) => name !== 'first-call').sort()];
}
