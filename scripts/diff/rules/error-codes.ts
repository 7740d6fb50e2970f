import { dig, entriesOf } from '../../lint/redocly.ts';
import type { Change, Impact } from '../change.ts';
import { keysOf, toPointer } from '../pointer.ts';
import type { Documents } from './documents.ts';

const table = ['components', 'schemas', 'ErrorCode', 'x-codes'];

/** A code keeps its status. That no code goes is a matter of the enum. */
export function errorCodeChanges({ released, current }: Documents): Change[] {
  return entriesOf(dig(released, ...table)).flatMap(([code, row]) => {
    const [before, after] = [dig(row, 'status'), dig(current, ...table, code, 'status')];
    if (after === undefined || after === before) return [];
    const says = `Status of the error code \`${code}\` changed from ${before} to ${after}.`;
    const at = toPointer([...table, code, 'status']);
    return [{ impact: 'major', rule: 'error-code-status-changed', says, at, isGone: false }];
  });
}

/** A new error code adds: clients were told to treat one that they do not know by its status. */
export function newErrorCode({ rule, at }: Change, { current }: Documents): Impact | undefined {
  if (rule !== 'enum-values-added') return undefined;
  return dig(current, ...keysOf(at).slice(0, -1), 'x-codes') === undefined ? undefined : 'minor';
}
