import type { ContractDocument } from '../../contract/document.ts';
import { markdownLink, menu, sitePage } from '../layout.ts';
import { codeBlock, renderMarkdown } from '../markdown.ts';
import { escapeHtml, link, tabs } from '../markup.ts';
import { clientGuidePath } from '../site-settings.ts';
import { oneLine } from '../words.ts';
import type { SiteFile } from '../write-site.ts';
import type { OperationDocument, ResponseDocument } from './documented.ts';
import { operationParts } from './markdown.ts';
import { marksOf, type PlacedOperation } from './placed.ts';
import { tryForm } from './try-form.ts';

/**
 * The page of one operation: the text, with samples, examples and the form that calls it in a second column.
 */
export function operationPage(
  contract: ContractDocument,
  operation: OperationDocument,
  all: readonly OperationDocument[],
): SiteFile {
  const { id, placed, samples, responses } = operation;
  const { intro, details } = operationParts(contract, operation);
  const path = `operations/${id}.html`;
  const requests = samples.map(({ label, lang, source }) => {
    const note = lang === 'typescript' ? `<p>Needs ${link(`../${clientGuidePath}`, 'the client')}.</p>` : '';
    return [label, codeBlock(source, lang === 'curl' ? 'bash' : lang) + note] as const;
  });
  const examples = responses
    .filter(({ isError }) => !isError)
    .map((response) => [response.status, exampleHtml(response)] as const);
  return sitePage({
    path,
    title: placed.summary,
    description: oneLine(placed.description ?? placed.summary).replaceAll(/[`*]/g, ''),
    section: 'Reference',
    body: `<div class="guide">
${operationMenu(all, operation)}
<main id="content" class="guide-main operation" tabindex="-1">${markdownLink(path)}<article class="prose">
<div class="operation-intro">
<h1>${escapeHtml(placed.summary)}</h1>
<p>${badge(placed)} <code>${escapeHtml(placed.path).replaceAll(/(?<=.)\//g, '<wbr>/')}</code>${marks(placed)}</p>
${renderMarkdown(intro).html}${tryForm(contract, operation)}
</div>
<div class="operation-side" role="region" aria-label="Samples and examples" tabindex="0">
${requests.length === 0 ? '' : `<h2>Request</h2>${tabs('Language', 'language', requests)}`}
<h2>Response</h2>${tabs('Status', 'status', examples)}
</div>
<div class="operation-text">
${renderMarkdown(details).html}</div>
</article>
</main>
</div>`,
  });
}

function exampleHtml({ title, media }: ResponseDocument): string {
  const parts = media.flatMap(({ type, examples }) =>
    examples.map(({ summary, text }) => {
      const caption = summary === '' ? title : `${title}: ${summary}`;
      return `<p>${escapeHtml(caption)}</p>${codeBlock(text, type.includes('json') ? 'json' : 'text')}`;
    }),
  );
  return parts.length === 0 ? `<p>${escapeHtml(title)}: no body.</p>` : parts.join('');
}

export function badge({ method }: PlacedOperation): string {
  return `<span class="method is-${method.toLowerCase()}">${method}</span>`;
}

/** `Beta` and `Deprecated`, for each place that leads to an operation. */
export function marks(operation: PlacedOperation): string {
  return marksOf(operation)
    .map((name) => ` <span class="mark is-${name.toLowerCase()}">${name}</span>`)
    .join('');
}

/** The operations of each tag, in the order of the contract. */
export function operationGroups(all: readonly OperationDocument[]): [tag: string, operations: OperationDocument[]][] {
  const tags = [...new Set(all.map(({ placed }) => placed.tag))];
  return tags.map((tag) => [tag, all.filter(({ placed }) => placed.tag === tag)]);
}

/** The menu of the reference; `current` is undefined on the index. */
export function operationMenu(all: readonly OperationDocument[], current?: OperationDocument): string {
  const mark = (isCurrent: boolean) => (isCurrent ? ' aria-current="page"' : '');
  const groups = operationGroups(all).map(([tag, operations]) => {
    const links = operations.map(
      (one) =>
        `<li><a href="${one.id}.html"${mark(one === current)}>${escapeHtml(one.placed.summary)}${marks(one.placed)}${badge(one.placed)}</a></li>`,
    );
    return `<h2>${escapeHtml(tag)}</h2><ul>${links.join('')}</ul>`;
  });
  const others = [
    link('index.html', 'Overview', mark(current === undefined)),
    link('../errors.html', 'Error codes'),
    link('../reference.html', 'Reference on one page (Redoc)'),
  ];
  const html = `${groups.join('')}<h2>More</h2><ul>${others.map((one) => `<li>${one}</li>`).join('')}</ul>`;
  return menu('Reference', current?.placed.summary ?? 'Overview', html);
}
