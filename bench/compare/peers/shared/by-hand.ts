import type { ErrorDetail, NewPet } from '@animal-store/contract';
import type { ListQuery } from './peer.ts';
import { isStatus, plainDigits, rules } from './rules.ts';

/** What was read, or what is wrong with it. */
export type Reading<Value> = { value: Value } | { problems: ErrorDetail[] };

/** Validation written by hand, for peers that bring none. */
export function readListQuery(query: Iterable<[name: string, value: unknown]>): Reading<ListQuery> {
  const value: ListQuery = { limit: rules.limit.default };
  const problems: ErrorDetail[] = [];
  const refuse = (name: string, what: string) => problems.push({ where: `query/${name}`, what });
  for (const [name, given] of query) {
    if (name === 'limit') {
      const limit = readInteger(given, rules.limit);
      if (limit === undefined) refuse(name, `must be an integer from ${rules.limit.minimum} to ${rules.limit.maximum}`);
      else value.limit = limit;
    } else if (name === 'status') {
      if (isStatus(given)) value.status = given;
      else refuse(name, `must be one of ${rules.statuses.join(', ')}`);
    } else if (name === 'cursor') {
      if (isText(given, rules.cursor)) value.cursor = given;
      else refuse(name, 'is not one that this listing gave out; take it from the Link header of a page');
    } else refuse(name, 'is unknown');
  }
  return problems.length === 0 ? { value } : { problems };
}

export function readPetId(text: unknown): Reading<number> {
  const value = readInteger(text, rules.petId);
  return value === undefined ? { problems: [{ where: 'path/petId', what: 'must be a positive integer' }] } : { value };
}

export function readNewPet(body: unknown): Reading<NewPet> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { problems: [{ where: 'body', what: 'must be object' }] };
  }
  const problems: ErrorDetail[] = [];
  const refuse = (name: string, what: string) => problems.push({ where: `body/${name}`, what });
  const { name, categoryId, status, ...surplus }: Partial<Record<string, unknown>> = body;
  if (!isText(name, rules.name)) refuse('name', 'must be a text of 1 to 255 characters, none of them a control');
  if (!isInteger(categoryId)) refuse('categoryId', 'must be an exact integer');
  if (status !== undefined && !isStatus(status)) refuse('status', `must be one of ${rules.statuses.join(', ')}`);
  for (const unknown of Object.keys(surplus)) refuse(unknown, 'is unknown');
  // The two are looked at again for the types alone.
  if (problems.length > 0 || typeof name !== 'string' || typeof categoryId !== 'number') return { problems };
  return { value: isStatus(status) ? { name, categoryId, status } : { name, categoryId } };
}

function readInteger(text: unknown, { minimum, maximum }: { minimum: number; maximum: number }): number | undefined {
  if (typeof text !== 'string' || !plainDigits.test(text)) return undefined;
  const value = Number(text);
  return value >= minimum && value <= maximum ? value : undefined;
}

function isInteger(value: unknown): boolean {
  const { minimum, maximum } = rules.categoryId;
  return typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum;
}

function isText(value: unknown, rule: typeof rules.name): value is string {
  if (typeof value !== 'string' || value.length < rule.minLength) return false;
  // Characters, not UTF-16 units; the units decide where they are few enough.
  const isShort = value.length <= rule.maxLength || [...value].length <= rule.maxLength;
  return isShort && rule.pattern.test(value);
}
