import { posix } from 'node:path';
import { stringify } from 'yaml';
import { dig, keysOf } from '../../common/json.ts';
import { type Contract, readContract, versionOf } from '../../contract/parse.ts';
import type { Change } from '../../diff/change.ts';
import { type ContractCheck, checkContract } from '../../diff/check.ts';
import { readExceptions } from '../../diff/exceptions.ts';
import { releasedVersions, releaseFile, releasesFolder } from '../../diff/releases.ts';
import { type Contracts, inMarkdown, placeWithUsers } from '../../diff/report.ts';
import type { Plan } from '../../release/plan.ts';
import { renderMarkdown } from '../markdown/render.ts';
import { tableOfContents } from '../pages/guide-pages.ts';
import { markdownLine } from '../shell/markup.ts';
import { sitePage } from '../shell/site-page.ts';
import type { SiteFile } from '../site-file.ts';
import { feedPath } from './feed.ts';

/** Two consecutive contracts, and the changes that `npm run diff` finds between them. */
export type ContractStep = { name: string; contracts: Contracts; check: Pick<ContractCheck, 'comparison'> };

/** The steps from each release to the next one, and from the last release to the current contract, the newest first. */
export async function contractSteps({ current, last }: Plan): Promise<ContractStep[]> {
  const next =
    last === undefined || last.check.impact === undefined
      ? []
      : [{ name: 'unreleased', contracts: { released: last.contract, current }, check: last.check }];
  const versions = releasedVersions();
  const exceptions = readExceptions(`${releasesFolder}/exceptions.yaml`);
  const released = versions.slice(0, -1).map(async (version, place) => {
    const contracts = { released: contractOf(versions[place + 1] ?? ''), current: contractOf(version) };
    return { name: version, contracts, check: await checkContract(contracts, exceptions) };
  });
  return [...next, ...(await Promise.all(released))];
}

function contractOf(version: string): Contract {
  return readContract(releaseFile(version), `releases/openapi-${version}.yaml`);
}

/** A page for each step, with every difference and the lines that changed, and the same as Markdown. */
export function changesPages(steps: readonly ContractStep[]): SiteFile[] {
  return steps.flatMap((step) =>
    textPage(`changes/${step.name}`, changesMarkdown(step), 'All differences between the contracts of two releases.'),
  );
}

/** The changelog as a page, and as Markdown. */
export function changelogPage(changelog: string): [page: SiteFile, markdown: SiteFile] {
  const feed = `<link rel="alternate" type="application/atom+xml" title="Changelog" href="${feedPath}">\n`;
  return textPage('changelog', changelog, 'The changes in each release of the API.', feed);
}

function textPage(
  name: string,
  markdown: string,
  description: string,
  head = '',
): [page: SiteFile, markdown: SiteFile] {
  const { html, headings } = renderMarkdown(markdown);
  const page = sitePage({
    path: `${name}.html`,
    title: headings[0]?.title ?? '',
    description,
    section: 'changelog',
    head: `<link rel="alternate" type="text/markdown" href="${posix.basename(name)}.md">\n${head}`,
    body: `<div class="guide is-alone">
<main id="content" class="guide-main">${markdownLine(`${posix.basename(name)}.md`)}<article class="prose changelog">
${html}</article></main>
${tableOfContents(headings.filter(({ level }) => level === 2))}
</div>`,
  });
  return [page, { path: `${name}.md`, content: markdown }];
}

function changesMarkdown({ name, contracts, check: { comparison } }: ContractStep): string {
  const [before, after] = [contracts.released, contracts.current].map(({ document }) => versionOf(document));
  const { stable, beta } = comparison;
  const parts: [title: string, changes: Change[]][] = [
    ['Breaking', stable.filter(({ impact }) => impact === 'major')],
    ['Added or relaxed', stable.filter(({ impact }) => impact === 'minor')],
    ['Changes to beta operations', beta.filter(({ impact }) => impact !== 'patch')],
    ['Descriptions and examples', [...stable, ...beta].filter(({ impact }) => impact === 'patch')],
  ];
  const sections = parts
    .filter(([, changes]) => changes.length > 0)
    .map(([title, changes]) => `## ${title}\n\n${changes.map((change) => changeText(contracts, change)).join('\n\n')}`);
  const title = name === 'unreleased' ? `Changes since ${before}` : `Changes from ${before} to ${after}`;
  const intro = `All differences between the two contracts. For a summary, see the [changelog](../changelog.md).`;
  return `${[`# ${title}`, intro, ...sections].join('\n\n')}\n`;
}

function changeText({ released, current }: Contracts, { at, message, isRemoved }: Change): string {
  const { document } = isRemoved ? released : current;
  // The same index of a list may be a different entry in the other contract.
  const hasIndex = keysOf(at).some((key) => /^\d+$/.test(key));
  const before = hasIndex && !isRemoved ? '' : yamlAt(released, at);
  const after = isRemoved ? '' : yamlAt(current, at);
  const lines = [...marked('-', without(before, after)), ...marked('+', without(after, before))];
  const difference =
    lines.length === 0 || lines.length > MAX_LINES ? '' : `\n\n\`\`\`diff\n${lines.join('\n')}\n\`\`\``;
  return `**${placeWithUsers(document, at)}**: ${inMarkdown(message)}${difference}`;
}

/** A change with more lines is a new or removed operation, which has its own page. */
const MAX_LINES = 25;

/** The part in YAML; empty if there is none, or if it only refers to another part. */
function yamlAt({ document }: Contract, at: string): string {
  const part = dig(document, ...keysOf(at));
  if (part === undefined || dig(part, '$ref') !== undefined) return '';
  return stringify(part, { lineWidth: 100 }).trimEnd();
}

/** The lines of a text that another one does not have. Each entry of the enumerations and lists of a contract occurs once. */
function without(text: string, other: string): string[] {
  const known = new Set(other.split('\n'));
  return text.split('\n').filter((line) => line !== '' && !known.has(line));
}

function marked(sign: string, lines: readonly string[]): string[] {
  return lines.map((line) => `${sign} ${line}`);
}
