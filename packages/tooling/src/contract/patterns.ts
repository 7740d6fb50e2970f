/** Why a pattern is not a regular expression of ECMAScript with these flags. All tools use the flag `u`, as JSON Schema advises. */
export function patternProblem(pattern: string, flags = 'u'): string | undefined {
  try {
    new RegExp(pattern, flags);
    return undefined;
  } catch (error) {
    return Object(error).message;
  }
}

/** A pattern as the flag `u` demands it: without needless escapes such as `\_`, with `[\w\-.]` for `[\w-.]`, and with `\{` for a brace that begins no quantifier. */
export function withFlagU(pattern: string): string {
  const parts = /\[(?:\\.|[^\\\]])*\]|\\[pPu]\{\w[^{}]*\}|\\.|\{\d+(?:,\d*)?\}|[{}\]]/gs;
  return pattern.replaceAll(parts, (part) => {
    if (part.startsWith('['))
      return part.replaceAll(/(\\[dDsSwW])-(?!\])|\\./gs, (pair, set) => (set ? `${set}\\-` : needed(pair, '-')));
    return part.length === 1 ? `\\${part}` : needed(part);
  });
}

/** The escape itself, or its character if it means the same. Letters and digits have meanings of their own. */
function needed(pair: string, further = ''): string {
  const character = pair.charAt(1);
  return /[a-zA-Z0-9]/.test(character) || `^$\\.*+?()[]{}|/${further}`.includes(character) ? pair : character;
}
