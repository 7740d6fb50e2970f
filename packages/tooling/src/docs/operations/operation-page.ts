import type { ContractDocument } from '../../contract/document.ts';
import { marksOf, type PlacedOperation } from '../facts/contract.ts';
import { oneLine } from '../facts/words.ts';
import { renderMarkdown } from '../markdown/render.ts';
import { redocPath } from '../redoc.ts';
import { shownServerOf } from '../samples/request.ts';
import { asset } from '../shell/assets.ts';
import { escapeHtml, markdownLine, relativeAddress } from '../shell/markup.ts';
import { pageThatCalls } from '../shell/site-page.ts';
import { panel, tabs } from '../shell/tabs.ts';
import type { SiteFile } from '../site-file.ts';
import { clientGuidePath } from '../site-settings.ts';
import type { OperationDocument, ResponseDocument } from './documented.ts';
import { fence, operationParts } from './markdown.ts';
import { tryForm } from './try-form.ts';

/** Try-it shows a picture from the API with a blob: URL. */
const pictures = { 'img-src': ['blob:'] };

/**
 * The page of one operation: the text, with samples, examples and the form that calls it in a second column.
 */
export function operationPage(
  contract: ContractDocument,
  operation: OperationDocument,
  all: readonly OperationDocument[],
): SiteFile {
  const { id, placed } = operation;
  const { intro, details } = operationParts(contract, operation);
  return pageThatCalls(contract, {
    path: `operations/${id}.html`,
    title: placed.summary,
    description: oneLine(placed.description ?? placed.summary).replaceAll(/[`*]/g, ''),
    section: 'reference',
    head: `<link rel="alternate" type="text/markdown" href="${id}.md">\n`,
    body: `<div class="guide">
${operationMenu(contract, all, operation)}
<main id="content" class="guide-main operation" tabindex="-1">${markdownLine(`${id}.md`)}<article class="prose">
<div class="operation-intro">
<h1>${escapeHtml(placed.summary)}</h1>
<p class="operation-line">${methodBadge(operation)} <code>${breakable(operation.path)}</code>${marks(placed)}</p>
${renderMarkdown(intro).html}${tryForm(contract, operation, relativeAddress(`operations/${id}.html`, asset('tryIt').path))}
</div>
<div class="operation-side" role="region" aria-label="Samples and examples" tabindex="0">
${samples(operation)}${examples(operation)}
</div>
<div class="operation-text">
${renderMarkdown(details, shownServerOf(contract)).html}</div>
</article>
</main>
</div>`,
    policy: pictures,
  });

  function samples({ samples: found }: OperationDocument): string {
    if (found.length === 0) return '';
    const panels = found.map(({ label, lang, source }) =>
      panel(label, codeHtml(source, lang) + (lang === 'typescript' ? clientNote : '')),
    );
    return `<h2>Request</h2>${tabs('Request', 'language', panels)}`;
  }

  function codeHtml(source: string, language: string): string {
    return renderMarkdown(fence(source, language), shownServerOf(contract)).html;
  }

  function examples({ responses }: OperationDocument): string {
    const panels = responses
      .filter(({ isError }) => !isError)
      .map((response) => panel(response.status, exampleHtml(response)));
    return `<h2>Response</h2>${tabs('Response', '', panels)}`;
  }

  function exampleHtml({ title, media }: ResponseDocument): string {
    const parts = media.flatMap(({ type, examples: found }) =>
      found.map(({ summary, text }) => {
        const caption = summary === '' ? title : `${title}: ${summary}`;
        return `<p>${escapeHtml(caption)}</p>${codeHtml(text, type.includes('json') ? 'json' : 'text')}`;
      }),
    );
    return parts.length === 0 ? `<p>${escapeHtml(title)}: no body.</p>` : parts.join('');
  }
}

const clientNote = `<p>Needs <a href="../${clientGuidePath}">the client</a>.</p>`;

export function methodBadge({ method }: OperationDocument): string {
  return `<span class="method is-${method.toLowerCase()}">${method}</span>`;
}

/** `Beta` and `Deprecated`, for each place that leads to an operation. */
export function marks(operation: PlacedOperation): string {
  return marksOf(operation)
    .map((name) => ` <span class="mark is-${name.toLowerCase()}">${name}</span>`)
    .join('');
}

/** A path breaks before a slash only. */
export function breakable(path: string): string {
  return escapeHtml(path).replaceAll(/(?<=.)\//g, '<wbr>/');
}

/** The operations of each tag in the order of the contract. */
export function operationGroups(all: readonly OperationDocument[]): [title: string, operations: OperationDocument[]][] {
  const titleOf = ({ placed }: OperationDocument) => placed.tag;
  return [...new Set(all.map(titleOf))].map((title) => [title, all.filter((one) => titleOf(one) === title)]);
}

/** The menu of the reference; `current` is undefined on the index. */
export function operationMenu(
  contract: ContractDocument,
  all: readonly OperationDocument[],
  current?: OperationDocument,
): string {
  const overview = link('index.html', 'Overview', current === undefined);
  const groups = operationGroups(all).map(([title, operations]) => {
    const links = operations.map((one) => link(`${one.id}.html`, one.placed.summary, one === current, badge(one)));
    return `<h2>${escapeHtml(title)}</h2><ul>${links.join('')}</ul>`;
  });
  const others = [
    link('../errors.html', 'Error codes', false),
    link(`../${redocPath}`, 'Reference on one page (Redoc)', false),
    link('../openapi.yaml', 'openapi.yaml', false),
  ];
  const entries = `<ul>${overview}</ul>${groups.join('')}<h2>More</h2><ul>${others.join('')}</ul>`;
  const title = current?.placed.summary ?? 'Overview';
  return `<nav class="guide-menu" aria-label="${escapeHtml(contract.info.title)} reference">${entries}</nav>
<details class="guide-menu-folded"><summary>Reference: <strong>${escapeHtml(title)}</strong></summary>
<nav aria-label="All operations">${entries}</nav></details>`;
}

function link(address: string, title: string, isCurrent: boolean, after = ''): string {
  return `<li><a href="${address}"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(title)}${after}</a></li>`;
}

function badge({ method, placed }: OperationDocument): string {
  return `${marks(placed)}<span class="menu-method is-${method.toLowerCase()}">${method}</span>`;
}
