/** A comment of a generated file, without the end of its last line; empty if there are no lines. */
export function comment(lines: string[], indent: number): string {
  const space = ' '.repeat(indent);
  // At most one empty line in a row, and none at either end.
  const kept = lines.filter((line, index) => line !== '' || (lines[index - 1] ?? '') !== '');
  if (kept.at(-1) === '') kept.pop();
  if (kept.length === 0) return '';
  if (kept.length === 1) return `${space}/** ${kept[0]} */`;
  return [`${space}/**`, ...kept.map((line) => `${space} * ${line}`.trimEnd()), `${space} */`].join('\n');
}
