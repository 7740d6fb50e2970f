import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ContractDocument, methodsOf } from '../../contract/document.ts';
import { root } from '../../project.ts';
import { factsOf } from '../facts/facts.ts';
import { withExports } from '../samples/exports.ts';
import { shownServerOf } from '../samples/request.ts';
import { siteSettings } from '../site-settings.ts';
import { checkProse } from './check-prose.ts';
import { type Guide, GuideError, type GuideSource } from './guide.ts';
import { insertFacts } from './insert-facts.ts';

export const guidesFolder = join(root, 'docs/guides');

/**
 * The hand-written guides in the order of the menu, with the contract's facts in them.
 * @throws GuideError
 */
export function readGuides(contract: ContractDocument, folder = guidesFolder): Guide[] {
  const facts = factsOf(contract);
  const named = namedBy(contract);
  return guideSources(folder).map((source) => {
    checkProse(source, named);
    return guideOf(source, withExports(insertFacts(source, facts), shownServerOf(contract)));
  });
}

function guideSources(folder: string): GuideSource[] {
  const listed = Object.entries(siteSettings.menu).flatMap(([group, names]) => names.map((name) => ({ group, name })));
  const files = readdirSync(folder).filter((file) => file.endsWith('.md'));
  const unlisted = files.find((file) => !listed.some(({ name }) => `${name}.md` === file));
  if (unlisted !== undefined) {
    throw new GuideError(`docs/guides/${unlisted}`, 1, 'The menu does not list this guide. Add it in docs/site.yaml.');
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
function plainText(markdown: string): string {
  return markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)|[`*]/g, '$1')
    .replaceAll('\n', ' ')
    .trim();
}

function namedBy({ paths, components }: ContractDocument) {
  const rows = Object.entries(components.schemas.ErrorCode['x-codes']);
  const operations = Object.values(paths).flatMap(methodsOf);
  const documented = operations.flatMap(([, { responses }]) => Object.keys(responses));
  return {
    codes: new Set(rows.map(([code]) => code)),
    statuses: new Set([...documented, ...rows.map(([, { status }]) => String(status))]),
  };
}
