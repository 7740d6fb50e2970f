import type { ContractDocument } from '../../../generate/document.ts';
import { operationsOf } from '../../../generate/document.ts';
import { dig, entriesOf } from '../../../lint/redocly.ts';

/** What a reference page would lack: `getPet: java` for each operation and language without a sample. */
export function missingSamples(document: ContractDocument, languages: readonly string[]): string[] {
  return operationsOf(document).flatMap(({ operation }) => {
    const written = entriesOf(dig(operation, 'x-codeSamples')).map(([, sample]) => dig(sample, 'lang'));
    return languages
      .filter((language) => !written.includes(language))
      .map((name) => `${operation.operationId}: ${name}`);
  });
}
