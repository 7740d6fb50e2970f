import type { ContractDocument } from '../../contract/document.ts';
import { type Field, fieldList, flatSchema } from '../facts/schema-words.ts';
import type { OperationDocument } from './documented.ts';

/** A section for the index of the reference: every header of any response, once. */
export function headersSection(contract: ContractDocument, all: readonly OperationDocument[]): string {
  const headers = new Map<string, Field>();
  for (const { name, ...field } of all.flatMap(({ responses }) => responses.flatMap((response) => response.headers))) {
    // Callers do not write these values, so an example helps more than a pattern.
    const { pattern: _, ...schema } = flatSchema(contract, field.schema);
    if (!headers.has(name)) headers.set(name, { ...field, name, schema });
  }
  if (headers.size === 0) return '';
  return `## Response headers\n\nEach page names those of its operation.\n\n${fieldList(contract, [...headers.values()])}`;
}
