/** Integers stay exact: a value that would have to be rounded is refused. */

const decimalInteger = /^(0|-?[1-9][0-9]*)$/;

/** Whether a path or query value is an integer in plain decimal digits that a JSON number represents exactly. */
export function isExactInteger(text: string): boolean {
  return decimalInteger.test(text) && Number.isSafeInteger(Number(text));
}

const jsonNumber = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/**
 * The value of a JSON number literal; undefined if rounding would change it to or from an integer.
 * Fractions are returned unchanged: the contract has no fractional numbers, so validation refuses them.
 */
export function exactNumber(literal: string): number | undefined {
  const value = Number(literal);
  if (!Number.isFinite(value)) return undefined;
  if (!Number.isInteger(value)) return value;
  if (!Number.isSafeInteger(value)) return undefined;
  if (!denotesInteger(literal, value)) return undefined;
  // JSON has -0; integers do not.
  return value === 0 ? 0 : value;
}

/** `1.0`, `10e-1` and `1e2` are integers; `9007199254740991.4` and `1e-400` would become integers only by rounding. */
function denotesInteger(literal: string, value: number): boolean {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = jsonNumber.exec(literal) ?? [];
  const digits = withoutTrailingZeros(`${whole}${fraction}`);
  if (digits === '') return true;
  const dropped = whole.length + fraction.length - digits.length;
  const scale = Number(exponent) - fraction.length + dropped;
  if (scale < 0) return false;
  // The value is a safe integer, so the scale is at most 15 here.
  return BigInt(`${sign}${digits}`) * 10n ** BigInt(scale) === BigInt(value);
}

/** A loop, because the regular expression /0+$/ takes seconds for 60,000 zeros followed by another digit. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
