import { type DocumentedContract, responseOf } from '../facts/contract.ts';
import type { Guide } from '../guides/guide.ts';
import { renderMarkdown } from '../markdown/render.ts';
import { escapeHtml } from '../shell/markup.ts';
import { sitePage } from '../shell/site-page.ts';
import type { SiteFile } from '../site-file.ts';

/** The first page: what this is, the first call, and where to go on. */
export function homePage(contract: DocumentedContract, guides: readonly Guide[]): SiteFile {
  const { info, servers } = contract;
  const [first] = guides;
  const call = renderMarkdown(firstCall(servers[0]?.url ?? '', examplePage(contract)));
  return sitePage({
    path: 'index.html',
    title: 'Docs',
    description: info.summary,
    body: `<main id="content" class="home">
<section class="home-intro">
<div>
<p class="home-version">API v1, version ${escapeHtml(info.version)}</p>
<h1>Build with the Animal Store</h1>
<p>List animals, add them, sell them. One key, JSON over HTTPS, and a promise: what you build on <code>v1</code> keeps working.</p>
<p class="home-actions"><a class="is-first" href="guides/${first?.name}.html">${escapeHtml(first?.title ?? '')}</a><a href="reference.html">Reference</a></p>
</div>
<div>${call.html}</div>
</section>
<h2>Guides</h2>
<ul class="home-cards">${guides.map(card).join('')}</ul>
<h2>For your tools</h2>
<ul class="home-tools">
<li><a href="openapi.yaml">openapi.yaml</a> and <a href="openapi.json">openapi.json</a>: the contract. Import its address into Postman or Insomnia, or generate a client from it.</li>
<li><a href="llms.txt">llms.txt</a>: these docs for language models. Each guide is there as Markdown, too.</li>
<li><a href="changelog.html">Changelog</a>: what each release changed.</li>
</ul>
</main>`,
  });
}

function card({ name, title, description }: Guide): string {
  return `<li><a href="guides/${name}.html"><strong>${escapeHtml(title)}</strong><span>${escapeHtml(description)}</span></a></li>`;
}

function firstCall(server: string, reply: unknown): string {
  return `\`\`\`bash
curl "${server}/pets" \\
  -H "Authorization: Bearer $ANIMAL_STORE_KEY"
\`\`\`

\`\`\`json
${JSON.stringify(reply, null, 2)}
\`\`\`
`;
}

/** The first example of the contract for a page of animals. */
function examplePage(contract: DocumentedContract): unknown {
  const page = contract.paths['/pets']?.['get']?.responses['200'];
  if (page === undefined) return undefined;
  const [example] = Object.values(responseOf(page, contract).content?.['application/json']?.examples ?? {});
  return example?.value;
}
