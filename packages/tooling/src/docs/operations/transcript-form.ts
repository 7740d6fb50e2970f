import type { ContractDocument } from '../../contract/document.ts';
import { placedOperations } from '../facts/contract.ts';
import { recordedTemplates } from '../samples/request.ts';
import { asset, withHash } from '../shell/assets.ts';
import { escapeHtml } from '../shell/markup.ts';
import type { SiteFile } from '../site-file.ts';
import { credentialField, serverField } from './try-form.ts';

/** What the samples of recorded requests take from the contract, as a file that the page of the transcript loads. */
export function transcriptSamples(contract: ContractDocument): SiteFile {
  const content = JSON.stringify(recordedTemplates(contract));
  return { path: withHash('assets/transcript-samples.json', content), content };
}

/**
 * The form that shows the requests of the reader's key, and the same calls in each language, by an operation that returns a transcript.
 * Without JavaScript it is hidden.
 */
export function transcriptForm(contract: ContractDocument, id: string): string {
  const operation = placedOperations(contract).find(({ operationId }) => operationId === id);
  if (operation === undefined) return '';
  const data = {
    module: `../${asset('transcript').path}`,
    samples: `../${transcriptSamples(contract).path}`,
    method: operation.method,
    path: operation.path,
    errors: '../errors.html',
  };
  const attributes = Object.entries(data).map(([name, value]) => `data-${name}="${escapeHtml(value)}"`);
  return `<details class="try" open ${attributes.join(' ')}><summary>Your requests</summary>
<form aria-label="Show your requests" autocomplete="off">
${serverField(contract)}
${credentialField(contract, operation)}
<p class="try-actions"><button type="submit" class="try-send">Show my requests</button></p>
</form>
</details>
<div id="transcript"><div class="transcript-said" role="status"></div><div class="transcript-entries"></div></div>
`;
}
