import type { ContractDocument } from '../../contract/document.ts';
import { type Field, fieldList, flatSchema } from '../facts/schema-words.ts';
import { renderMarkdown } from '../markdown/render.ts';
import { redocPath } from '../redoc.ts';
import { testServersFirst } from '../samples/request.ts';
import { escapeHtml, markdownLine } from '../shell/markup.ts';
import { sitePage } from '../shell/site-page.ts';
import type { SiteFile } from '../site-file.ts';
import { type OperationDocument, operationDocuments } from './documented.ts';
import { operationMarkdown } from './markdown.ts';
import { breakable, marks, methodBadge, operationGroups, operationMenu, operationPage } from './operation-page.ts';

/** A page for each operation, the same as Markdown, and the index of them. */
export function operationFiles(contract: ContractDocument): SiteFile[] {
  const all = operationDocuments(contract);
  return [
    indexPage(contract, all),
    indexMarkdown(contract, all),
    ...all.map((operation) => operationPage(contract, operation, all)),
    ...all.map((operation) => ({
      path: `operations/${operation.id}.md`,
      content: operationMarkdown(contract, operation),
    })),
  ];
}

/** The list of all operations as Markdown. */
function indexMarkdown(contract: ContractDocument, all: readonly OperationDocument[]): SiteFile {
  const { info } = contract;
  const groups = operationGroups(all).map(([title, operations]) => {
    const lines = operations.map(({ id, placed: { summary, key } }) => `- [${summary}](${id}.md): \`${key}\``);
    return `## ${title}\n\n${lines.join('\n')}`;
  });
  const head = `# ${info.title} API reference\n\nVersion ${info.version}.`;
  const parts = [head, ...groups, headersSection(contract, all)].filter((part) => part !== '');
  return { path: 'operations/index.md', content: `${parts.map((part) => part.trimEnd()).join('\n\n')}\n` };
}

/** The API reference: every operation at a glance. */
function indexPage(contract: ContractDocument, all: readonly OperationDocument[]): SiteFile {
  const descriptions = new Map((contract.tags ?? []).map(({ name, description }) => [name, description]));
  const groups = operationGroups(all).map(([title, operations]) => {
    const rows = operations.map(
      (
        one,
      ) => `<li><a href="${one.id}.html"><span class="operation-name">${escapeHtml(one.placed.summary)}${marks(one.placed)}</span>
<span class="operation-line">${methodBadge(one)} <code>${breakable(one.path)}</code></span></a></li>`,
    );
    const text = renderMarkdown(descriptions.get(title) ?? '').html;
    return `<h2 id="${escapeHtml(title.toLowerCase())}">${escapeHtml(title)}</h2>${text}<ul class="operation-list">${rows.join('')}</ul>`;
  });
  const { info, servers } = contract;
  const urls = testServersFirst(servers)
    .map(({ url, description }) => `- ${description}: \`${url}\``)
    .join('\n');
  return sitePage({
    path: 'operations/index.html',
    title: 'API reference',
    description: `Every operation of the ${info.title} API, version ${info.version}.`,
    section: 'reference',
    head: '<link rel="alternate" type="text/markdown" href="index.md">\n',
    body: `<div class="guide">
${operationMenu(contract, all)}
<main id="content" class="guide-main operation-index" tabindex="-1">${markdownLine('index.md')}<article class="prose">
<h1>API reference</h1>
<p>Every operation has a page with its parameters, responses, errors and samples, and a form that calls it with your key.</p>
${groups.join('\n')}
<h2 id="servers">Servers</h2>
${renderMarkdown(urls).html}
<h2 id="conventions">Conventions</h2>
${renderMarkdown(info.description).html}
<div class="operation-text">${renderMarkdown(headersSection(contract, all)).html}</div>
</article>
<p class="guide-source"><a href="../${redocPath}">Reference on one page (Redoc)</a> · <a href="../openapi.yaml">openapi.yaml</a></p>
</main>
</div>`,
  });
}

/** A section for the index of the reference: every header of any response, once. */
function headersSection(contract: ContractDocument, all: readonly OperationDocument[]): string {
  const headers = new Map<string, Field>();
  for (const { name, ...field } of all.flatMap(({ responses }) => responses.flatMap((response) => response.headers))) {
    // Callers do not write these values, so an example helps more than a pattern.
    const { pattern: _, ...schema } = flatSchema(contract, field.schema);
    if (!headers.has(name)) headers.set(name, { ...field, name, schema });
  }
  if (headers.size === 0) return '';
  return `## Response headers\n\nEach page names those of its operation.\n\n${fieldList(contract, [...headers.values()])}`;
}
