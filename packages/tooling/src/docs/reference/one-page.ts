import type { ContractDocument } from '../../contract/document.ts';
import { renderMarkdown } from '../markdown/render.ts';
import { type OperationDocument, operationDocuments } from '../operations/documented.ts';
import { fence, operationParts, successExamples } from '../operations/markdown.ts';
import { breakable, marks, methodBadge, operationGroups, operationMenu } from '../operations/operation-page.ts';
import { type SharedHeaders, sharedHeaders, sharedSection } from '../operations/shared-headers.ts';
import { forReaders } from '../reader-document.ts';
import { shownServerOf, testServersFirst } from '../samples/request.ts';
import { escapeHtml, markdownLine } from '../shell/markup.ts';
import { sitePage } from '../shell/site-page.ts';
import type { SiteFile } from '../site-file.ts';

/**
 * All operations on one page, without anything to open: for print, for find in page, and for readers without JavaScript. The samples
 * are in curl only. What all operations have in common is at the end.
 */
export function onePageReference(contract: ContractDocument, releases: readonly string[]): SiteFile {
  const { info, servers } = contract;
  const all = operationDocuments(contract);
  const shared = sharedHeaders(all);
  const ids = all.map(({ id }) => id);
  const links = releases.map((version) => `<a href="${version}/index.html">${version}</a>`);
  const versions = links.length === 0 ? '' : ` Version: current, ${links.join(', ')}.`;
  const groups = operationGroups(all).map(
    ([title, operations]) =>
      `<h2 id="${slugOf(title)}">${escapeHtml(title)}</h2>\n${operations.map((one) => section(contract, one, { ids, shared })).join('\n')}`,
  );
  const urls = testServersFirst(servers).map(({ url, description }) => `- ${description}: \`${url}\``);
  const common = [`## Servers\n\n${urls.join('\n')}`, sharedSection(contract, shared), conventions(contract)];
  return sitePage({
    path: 'reference.html',
    title: 'API reference on one page',
    description: `Every operation, field, header and status of the ${info.title} API, version ${info.version}.`,
    section: 'reference',
    head: '<link rel="alternate" type="text/markdown" href="reference.md">\n',
    body: `<div class="guide">
${onThisPage(operationMenu(contract, all, 'one page'), ids)}
<main id="content" class="guide-main one-page" tabindex="-1" data-operations="${ids.join(' ')}">${markdownLine('reference.md')}<article class="prose">
<h1>API reference on one page</h1>
<p><a href="operations/index.html">Each operation has its own page</a>, with samples in other languages, examples of errors and a form that calls it.${versions}</p>
${groups.join('\n')}
${renderMarkdown(common.filter((part) => part !== '').join('\n\n'), shownServerOf(contract)).html}
</article>
<p class="guide-source"><a href="openapi.yaml">openapi.yaml</a></p>
</main>
</div>`,
  });
}

function slugOf(title: string): string {
  return `group-${title.toLowerCase().replaceAll(/\W+/g, '-')}`;
}

function section(
  contract: ContractDocument,
  operation: OperationDocument,
  { ids, shared }: { ids: readonly string[]; shared: SharedHeaders },
): string {
  const { id, placed, path, samples } = operation;
  const { intro, details } = operationParts(contract, operation, shared);
  const curl = samples.filter(({ lang }) => lang === 'curl').map(({ source, lang }) => fence(source, lang));
  const parts = [intro, details, ...(curl.length === 0 ? [] : ['## Sample', ...curl]), successExamples(operation)];
  const { html } = renderMarkdown(parts.filter((part) => part !== '').join('\n\n'), shownServerOf(contract));
  const own = html
    .replaceAll(/ id="/g, ` id="${id}-`)
    .replaceAll(/ href="#/g, ` href="#${id}-`)
    // Below the heading of the operation, which is one of the third level.
    .replaceAll(/<(\/?)h([2-4])(?=[ >])/g, (_, slash: string, level: string) => `<${slash}h${Number(level) + 2}`);
  return `<section class="one-page-operation">
<h3 id="${id}">${escapeHtml(placed.summary)}<a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h3>
<p class="operation-line">${methodBadge(operation)} <code>${breakable(path)}</code>${marks(operation)}</p>
<div class="operation-text">${onThisPage(own, ids)}</div>
</section>`;
}

/** HTML for pages in operations/, on a page in the folder above that has all operations. */
function onThisPage(html: string, ids: readonly string[]): string {
  return html.replaceAll(/ href="([^"#:]+)(#[^"]*)?"/g, (_, address: string, anchor = '') => {
    if (address.startsWith('../')) return ` href="${address.slice(3)}${anchor}"`;
    if (address === 'index.html' && anchor !== '') return ` href="${anchor}"`;
    const id = address.replace(/\.html$/, '');
    return ids.includes(id) && anchor === '' ? ` href="#${id}"` : ` href="operations/${address}${anchor}"`;
  });
}

/** What the contract says about all operations, with the plans and the error codes. */
function conventions(contract: ContractDocument): string {
  return `## Conventions\n\n${forReaders(contract, (path) => path).info.description}`;
}
