import { type ContractDocument, responseOf } from '../../contract/document.ts';
import { credentialOf } from '../../contract/security.ts';
import { project } from '../../project.ts';
import { type PlacedOperation, placedOperations } from '../facts/contract.ts';
import type { Guide } from '../guides/read-guides.ts';
import { renderMarkdown } from '../markdown/render.ts';
import { marks } from '../operations/operation-page.ts';
import { redocPath } from '../redoc.ts';
import { keyPlaceholder, shownServerOf } from '../samples/request.ts';
import { checksumsPath } from '../sdk/can-pack.ts';
import type { ClientPackage } from '../sdk/client-package.ts';
import { escapeHtml } from '../shell/markup.ts';
import { sitePage } from '../shell/site-page.ts';
import type { SiteFile } from '../site-file.ts';
import { siteSettings } from '../site-settings.ts';

const { home } = siteSettings;

/** The home page: what the API is, how to start, and links to everything else. */
export function homePage(
  contract: ContractDocument,
  guides: readonly Guide[],
  client: ClientPackage | undefined,
): SiteFile {
  const { info } = contract;
  const server = shownServerOf(contract);
  const [major] = /v\d+$/.exec(server) ?? [];
  const call = renderMarkdown(firstCall(server, contract), server);
  const [start, ...groups] = [...new Set(guides.map(({ group }) => group))];
  const inGroup = (group: string | undefined) => guides.filter((guide) => guide.group === group);
  return sitePage({
    path: 'index.html',
    title: 'Docs',
    description: info.summary,
    body: `<main id="content" class="home" tabindex="-1">
<section class="home-intro">
<div>
<p class="home-version">${major === undefined ? '' : `API ${major}. `}${escapeHtml(siteSettings.version)}</p>
<h1>${escapeHtml(home.heading)}</h1>
<p>${escapeHtml(home.text)}${major === undefined ? '' : ` What you build on <code>${major}</code> today keeps working.`}</p>
<p class="home-actions"><a class="is-first" href="guides/${guides[0]?.name}.html">${escapeHtml(guides[0]?.title ?? '')}</a><a href="operations/index.html">API reference</a></p>
</div>
<div>${call.html}</div>
</section>
<h2>${escapeHtml(start ?? '')}</h2>
<ol class="home-steps">${inGroup(start).map(step).join('')}</ol>
<div class="home-columns">
<section><h2>API reference</h2>
<ul class="home-operations">${placedOperations(contract).map(operation).join('')}</ul>
<p><a href="operations/index.html">All operations</a>, <a href="errors.html">error codes</a>, <a href="${redocPath}">reference on one page (Redoc)</a></p></section>
<section><h2>Guides</h2>
${groups.map((group) => `<h3>${escapeHtml(group)}</h3><ul>${inGroup(group).map(entry).join('')}</ul>`).join('')}</section>
<section><h2>Tools</h2>
<ul>
${client === undefined ? '' : `<li><a href="${client.path}">Client for TypeScript and JavaScript</a>, to install with npm (<a href="${checksumsPath}">checksum</a>)</li>\n`}<li><a href="openapi.yaml">openapi.yaml</a> and <a href="openapi.json">openapi.json</a>: the contract, to import into your tools or to generate a client</li>
<li><a href="llms.txt">llms.txt</a>: these docs for language models. Each page is also available as Markdown.</li>
<li><a href="changelog.html">Changelog</a>: the changes in each release</li>
</ul></section>
</div>
</main>`,
  });
}

function step({ name, title, description }: Guide): string {
  return `<li><a href="guides/${name}.html"><strong>${escapeHtml(title)}</strong><span>${escapeHtml(description)}</span></a></li>`;
}

function entry({ name, title }: Guide): string {
  return `<li><a href="guides/${name}.html">${escapeHtml(title)}</a></li>`;
}

function operation(placed: PlacedOperation): string {
  const { address, summary, method } = placed;
  return `<li><a href="${address}">${escapeHtml(summary)}</a>${marks(placed)} <span class="menu-method is-${method.toLowerCase()}">${method}</span></li>`;
}

/** The call that the settings name, and the contract's first example of its response. */
function firstCall(server: string, contract: ContractDocument): string {
  const called = placedOperations(contract).find(({ operationId }) => operationId === home.operation);
  const [, ok] = Object.entries(called?.responses ?? {}).find(([status]) => status.startsWith('2')) ?? [];
  if (called === undefined || ok === undefined) {
    throw new Error(`contract-first.yaml: the contract has no operation ${home.operation} with a successful response.`);
  }
  const query = home.query === '' ? '' : `?${home.query}`;
  const [example] = Object.values(responseOf(ok, contract).content?.['application/json']?.examples ?? {});
  const sent = called.access === 'public' ? undefined : credentialOf(contract, called);
  const header = sent && ` \\\n  -H "${sent.name}: ${sent.prefix}\${${project.variables}_KEY:-${keyPlaceholder}}"`;
  return `\`\`\`bash
curl "${server}${called.path}${query}"${header ?? ''}
\`\`\`

\`\`\`json
${JSON.stringify(example?.value, null, 2)}
\`\`\`
`;
}
