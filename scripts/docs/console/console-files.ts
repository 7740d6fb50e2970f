import type { ContractDocument } from '../../generate/document.ts';
import { asset } from '../shell/assets.ts';
import { escapeHtml } from '../shell/markup.ts';
import { headerPolicy, pagePolicy } from '../shell/policy.ts';
import { sitePage } from '../shell/site-page.ts';
import type { SiteFile } from '../site-file.ts';
import { consolePath } from './console-link.ts';
import { swaggerUi } from './swagger-ui.ts';

/** The contract that the console reads, below the site's root. */
export const contractPath = 'openapi.json';

/** The console, in which each operation can be tried with one's own key, and what it is made of. */
export function consoleFiles(contract: Pick<ContractDocument, 'servers'>): SiteFile[] {
  const { script, style, notices } = swaggerUi();
  const hosts = [...new Set(contract.servers.map(({ url }) => new URL(url).origin))];
  const page = sitePage({
    path: consolePath,
    title: 'Console',
    description: 'Call every operation of the Animal Store API from this page, with your own API key.',
    section: 'console',
    head: `<link rel="stylesheet" href="${style.path}">
<link rel="stylesheet" href="${asset('consoleStyle').path}">
<script defer src="${script.path}"></script>
<script type="module" src="${asset('consoleScript').path}"></script>
`,
    body: consoleBody,
    // From a host that only has the files, the console calls the servers of the contract.
    policy: { ...pictures, 'connect-src': hosts },
  });
  // Where the API itself serves the page, there is nobody else to call.
  return [{ ...page, contentSecurityPolicy: headerPolicy(pagePolicy(pictures)) }, script, style, ...notices];
}

/** Swagger UI shows a picture from the API with a blob: URL. */
const pictures = { 'img-src': ['blob:'] };

const hint =
  'Stays in this page: it is kept nowhere, and sent to this API only. Reloading the page forgets it. Test keys (as_test_…) work on test servers, live keys (as_live_…) on the live one.';

const consoleBody = `<main id="content" class="console" tabindex="-1">
<div class="console-head">
<h1>Console</h1>
<p>Every call from here is a real one: it counts against the quota of your key, and what you add stays. What each
operation takes and answers is in the <a href="reference.html">reference</a>.</p>
<div class="console-key">
<label for="api-key">API key</label>
<input id="api-key" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="as_test_…" aria-describedby="api-key-hint">
<p id="api-key-hint">${escapeHtml(hint)}</p>
</div>
</div>
<div id="console-operations" data-contract="${contractPath}"><p class="console-wait">The operations are being loaded. They need JavaScript; the contract that they are made from is <a href="${contractPath}">${contractPath}</a>.</p></div>
</main>`;
