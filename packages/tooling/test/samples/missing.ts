import { dig, entriesOf } from '../../src/common/json.ts';
import type { ContractDocument } from '../../src/contract/document.ts';
import { operationsOf } from '../../src/contract/document.ts';

/** The missing samples: `getNote: java` for each operation and language without one. */
export function missingSamples(document: ContractDocument, languages: readonly string[]): string[] {
  return operationsOf(document).flatMap(({ operation }) => {
    const written = entriesOf(dig(operation, 'x-codeSamples')).map(([, sample]) => dig(sample, 'lang'));
    return languages
      .filter((language) => !written.includes(language))
      .map((name) => `${operation.operationId}: ${name}`);
  });
}
