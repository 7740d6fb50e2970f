import type { ContractDocument } from '../../contract/document.ts';
import { placedOperations, placedWebhooks } from '../facts/contract.ts';
import { forReaders } from '../reader-document.ts';
import { highlightingStyles } from '../samples/highlighting.ts';
import { relativeAddress } from '../shell/address.ts';
import { escapeHtml } from '../shell/markup.ts';
import { sitePage } from '../shell/site-page.ts';
import type { SiteFile } from '../site-file.ts';
import { inlineSources, withScriptFiles } from './inline.ts';
import { renderReference } from './render.ts';
import { type ReferenceVersion, settingsFor } from './versions.ts';

/** The reference of a contract inside the site's layout: the page, and the script files that it needs. */
export function referencePage(contract: ContractDocument, version: ReferenceVersion): SiteFile[] {
  const { path, title, note } = version;
  const to = (target: string) => relativeAddress(path, target);
  // Links to an operation lead to its own page, which only the current version has.
  const ids = [...placedOperations(contract), ...placedWebhooks(contract)].map(({ operationId }) => operationId);
  const operations = path === 'reference.html' ? ` data-operations="${ids.join(' ')}"` : '';
  const rendered = renderReference(JSON.stringify(forReaders(contract, to)), settingsFor(version));
  const { html, files } = withScriptFiles(rendered.body, to);
  const page = sitePage({
    path,
    title,
    description: `Every operation, field, header and status of the ${contract.info.title} API, version ${contract.info.version}.`,
    section: 'reference',
    head: rendered.head,
    body: `${note}<div id="content" class="reference" tabindex="-1"${operations}>
<noscript>Without JavaScript, the parts of this page do not open. Read the contract instead: <a href="${escapeHtml(version.contractAddress)}">openapi.yaml</a>.</noscript>
${html}</div>`,
    policy: inlineSources(rendered.head + html, highlightingStyles(rendered.body)),
  });
  return [page, ...files];
}
