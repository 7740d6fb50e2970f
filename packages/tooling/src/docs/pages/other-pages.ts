import { keyPage } from '@contract-first/service/manifest';
import { type ContractDocument, keyPrefix } from '../../contract/document.ts';
import { escapeHtml } from '../shell/markup.ts';
import { sitePage } from '../shell/site-page.ts';
import type { SiteFile } from '../site-file.ts';

/** The page for unknown URLs. */
export function notFoundPage(): SiteFile {
  return sitePage({
    path: '404.html',
    title: 'Page not found',
    description: 'This page does not exist.',
    body: `<main id="content" class="plain prose" tabindex="-1">
<p class="plain-status">404</p>
<h1>This page does not exist</h1>
<p>The link may be mistyped, or the page may have moved. Search for it, or start here:</p>
<ul>
<li><a href="index.html">Docs home</a></li>
<li><a href="operations/index.html">API reference</a></li>
<li><a href="guides/first-call.html">Your first call</a></li>
<li><a href="errors.html">Error codes</a></li>
</ul>
</main>`,
  });
}

/** Who gives keys. A server whose operator has a form for that leads to the form instead. */
export function getKeyPage(contract: ContractDocument): SiteFile {
  const { name, email, url } = contract.info.contact;
  const prefix = keyPrefix(contract);
  const link = (href: string, text: string) => `<a href="${escapeHtml(href)}">${escapeHtml(text)}</a>`;
  const addresses = [
    ...(email === undefined ? [] : [link(`mailto:${email}`, email)]),
    ...(url === undefined ? [] : [link(url, url)]),
  ];
  const kinds =
    prefix === undefined
      ? ''
      : `<li>whether you want a test key (<code>${prefix}_test_…</code>), which works on test servers only, or a live key (<code>${prefix}_live_…</code>)</li>`;
  return sitePage({
    path: keyPage,
    title: 'Get an API key',
    description: `How to get a key for the ${contract.info.title} API.`,
    body: `<main id="content" class="plain prose" tabindex="-1">
<h1>Get an API key</h1>
<p>Ask ${escapeHtml(name)} for a key: ${addresses.join(' or ')}. In your message, give:</p>
<ul>
<li>the name of your program, and what it does with the API</li>
${kinds}
<li>the most requests per minute and per day that you expect</li>
</ul>
<p>If you run the server on your own machine, it prints a test key when it starts.</p>
</main>`,
  });
}

/** A page whose links do not depend on the URL at which it is served. */
export function anchoredAt(root: string, { content, ...file }: SiteFile): SiteFile {
  const text = String(content).replaceAll(/ (href|src|data-root|data-module|data-index)="(?!#|data:)/g, ` $1="${root}`);
  return { ...file, content: text };
}
