import type { ContractDocument } from '../contract/document.ts';
import type { Guide } from './guides.ts';
import { sitePage } from './layout.ts';
import { renderMarkdown } from './markdown.ts';
import { escapeHtml, link } from './markup.ts';
import { badge, marks } from './operations/page.ts';
import { type PlacedOperation, placedOperations } from './operations/placed.ts';
import { curlSample } from './samples/curl.ts';
import { sampleRequests } from './samples/request.ts';
import { siteSettings } from './site-settings.ts';
import type { SiteFile } from './write-site.ts';

const { home } = siteSettings;

/** The home page: what the API is, how to start, and links to everything else. */
export function homePage(contract: ContractDocument, guides: readonly Guide[], client: string | undefined): SiteFile {
  const [start = '', ...groups] = [...new Set(guides.map(({ group }) => group))];
  const inGroup = (group: string) => guides.filter((guide) => guide.group === group);
  const [first] = guides;
  const further = groups.map((group) => `<h3>${escapeHtml(group)}</h3><ul>${inGroup(group).map(entry).join('')}</ul>`);
  const tools = [
    ...(client === undefined ? [] : [`${link(client, 'Client for TypeScript and JavaScript')}, to install with npm`]),
    '<a href="../openapi.yaml">openapi.yaml</a> and <a href="../openapi.json">openapi.json</a>: the contract, to import into your tools or to generate a client',
    '<a href="llms.txt">llms.txt</a>: these docs for language models. Each page is also available as Markdown.',
    '<a href="changelog.html">Changelog</a>: the changes in each release',
  ];
  return sitePage({
    path: 'index.html',
    title: 'Docs',
    description: contract.info.summary,
    body: `<main id="content" class="home" tabindex="-1">
<section class="home-intro">
<div>
<h1>${escapeHtml(home.heading)}</h1>
<p>${escapeHtml(home.text)}</p>
<p class="home-actions">${first === undefined ? '' : link(`guides/${first.name}.html`, first.title, ' class="is-first"')}<a href="operations/index.html">API reference</a></p>
</div>
<div>${renderMarkdown(firstCall(contract, home)).html}</div>
</section>
<h2>${escapeHtml(start)}</h2>
<ol class="home-steps">${inGroup(start).map(step).join('')}</ol>
<div class="home-columns">
<section><h2>API reference</h2>
<ul class="home-operations">${placedOperations(contract).map(operation).join('')}</ul>
<p><a href="operations/index.html">All operations</a>, <a href="errors.html">error codes</a>, <a href="reference.html">reference on one page (Redoc)</a></p></section>
${groups.length === 0 ? '' : `<section><h2>Guides</h2>\n${further.join('')}</section>`}
<section><h2>Tools</h2>
<ul>${tools.map((tool) => `<li>${tool}</li>`).join('\n')}</ul></section>
</div>
</main>`,
  });
}

function step({ name, title, description }: Guide): string {
  return `<li><a href="guides/${name}.html"><strong>${escapeHtml(title)}</strong><span>${escapeHtml(description)}</span></a></li>`;
}

function entry({ name, title }: Guide): string {
  return `<li>${link(`guides/${name}.html`, title)}</li>`;
}

function operation(placed: PlacedOperation): string {
  const { operationId, summary } = placed;
  return `<li>${link(`operations/${operationId}.html`, summary)}${marks(placed)} ${badge(placed)}</li>`;
}

/** The sample of the operation that the settings name, with their query, and the first example of its response. */
export function firstCall(contract: ContractDocument, { operation, query }: Pick<typeof home, 'operation' | 'query'>) {
  const request = sampleRequests(contract).find(({ id }) => id === operation);
  if (request === undefined) throw new Error(`contract-first.yaml: the contract has no operation ${operation}.`);
  const { example } = request.response;
  const sample = query === '' ? request : { ...request, query: Object.fromEntries(new URLSearchParams(query)) };
  const shown = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
  return `\`\`\`bash
${curlSample(sample).replace('--fail-with-body \\\n  ', '')}\`\`\`
${example === undefined ? '' : `\nThe response:\n\n\`\`\`json\n${shown}\n\`\`\`\n`}`;
}
