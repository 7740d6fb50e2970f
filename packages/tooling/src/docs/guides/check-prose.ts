import { GuideError, type GuideSource } from './guide.ts';

/** The names from the contract that a guide may use. */
export type Named = { codes: ReadonlySet<string>; statuses: ReadonlySet<string> };

/**
 * Checks the hand-written text of a guide against the contract: every error code must exist, and numbers must be
 * inserted, not typed. @throws GuideError for the first line that violates this
 */
export function checkProse({ file, text }: Pick<GuideSource, 'file' | 'text'>, named: Named): void {
  let inCode = false;
  for (const [index, line] of text.split('\n').entries()) {
    const isFence = line.startsWith('```');
    if (isFence) inCode = !inCode;
    const problem = codeProblem(line, named) ?? (inCode || isFence ? limitProblem(line) : numberProblem(line, named));
    if (problem !== undefined) throw new GuideError(file, index + 1, problem);
  }
}

/** In prose a code is in backticks; in an example it is the value of `code`, or compared with a `code`. */
const codes = [/`([a-z]+(?:_[a-z]+)+)`/g, /"code": "([^"]+)"/g, /\bcode\b\W*===? '([^']+)'/g];

function codeProblem(line: string, named: Named): string | undefined {
  const written = codes.flatMap((pattern) => [...line.matchAll(pattern)].map(([, code = '']) => code));
  const unknown = written.find((code) => !named.codes.has(code));
  if (unknown === undefined) return undefined;
  return `The contract lists no error code ${unknown}. It has: ${[...named.codes].join(', ')}.`;
}

/** Separate numbers: not those in v1, SHA-256, base62, an RFC, a URL, a placeholder, or code. */
function numberProblem(line: string, { statuses }: Named): string | undefined {
  const prose = line
    .replaceAll(/\{\{[^}]*\}\}|`[^`]*`|\]\([^)]*\)|\bRFC \d+|^[\s#]*\d+\. /g, ' ')
    .replaceAll(/[A-Za-z][\w-]*\d[\w-]*/g, ' ');
  const typed = [...prose.matchAll(/\d[\d,.]*\d|\d/g)].map(([number]) => number);
  const loose = typed.find((number) => !statuses.has(number));
  if (loose === undefined) return undefined;
  return `The number ${loose} is written out. Insert it from the contract, for example with {{plans.free.perMinute}}.`;
}

/** An example of a response that states a limit. */
function limitProblem(line: string): string | undefined {
  if (!/^X-RateLimit-Limit: \d/.test(line)) return undefined;
  return 'The limit in this example is written out. Insert it from the contract, for example with {{plans.free.perMinute}}.';
}
