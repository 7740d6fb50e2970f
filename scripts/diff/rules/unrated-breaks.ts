import type { Change } from '../change.ts';
import type { RedoclyChange } from '../redocly-diff.ts';

/** What `redocly diff` 2.77 takes for harmless, and our promise does not. */
export function unratedBreaks(change: RedoclyChange): Change[] {
  if (change.kind !== 'modified') return [];
  const { base, revision } = change;
  const found = rules.map((rule) => rule(change)).filter((breaking) => breaking !== undefined);
  const at = revision?.pointer ?? base?.pointer ?? change.path;
  return found.map(({ rule, says }) => ({ impact: 'major', rule, says, at, isGone: false }));
}

type Break = { rule: string; says: string };

const rules: readonly ((change: RedoclyChange) => Break | undefined)[] = [
  replyLostValues,
  headerLeftOut,
  otherDefault,
  oneWay,
];

/** Redocly speaks of lost values in requests only; `v1` narrows no field of a reply, and never drops an error code. */
function replyLostValues({ typeName, property, base, revision, verdicts }: RedoclyChange): Break | undefined {
  if (typeName !== 'Schema' || property !== 'enum' || !Array.isArray(revision?.value)) return undefined;
  if (verdicts.some(({ ruleId }) => ruleId === 'enum-values-removed') || !Array.isArray(base?.value)) return undefined;
  const kept = new Set<unknown>(revision.value);
  const lost = base.value.filter((value) => !kept.has(value));
  if (lost.length === 0) return undefined;
  return { rule: 'enum-values-removed', says: `Enum lost values: ${lost.map((value) => `'${value}'`).join(', ')}.` };
}

function headerLeftOut({ typeName, property, base, revision }: RedoclyChange): Break | undefined {
  const isLess = typeName === 'Header' && property === 'required' && base?.value === true && revision?.value !== true;
  if (!isLess) return undefined;
  return { rule: 'response-header-no-longer-required', says: 'Response header is no longer required.' };
}

/** Whoever leaves the value out gets another behaviour. */
function otherDefault({ typeName, property, base, revision }: RedoclyChange): Break | undefined {
  if (typeName !== 'Schema' || property !== 'default') return undefined;
  if (base?.value === undefined) {
    return { rule: 'default-changed', says: `Default ${JSON.stringify(revision?.value)} was added.` };
  }
  const now = revision?.value === undefined ? 'was removed' : `became ${JSON.stringify(revision.value)}`;
  return { rule: 'default-changed', says: `Default ${JSON.stringify(base.value)} ${now}.` };
}

/** What may no longer be sent, or is no longer given. */
function oneWay({ typeName, property, revision }: RedoclyChange): Break | undefined {
  const isOneWay = typeName === 'Schema' && (property === 'readOnly' || property === 'writeOnly');
  if (!isOneWay || revision?.value !== true) return undefined;
  return { rule: 'one-way', says: `\`${property}\` was set.` };
}
