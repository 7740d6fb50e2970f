/** Why a pattern is not a regular expression of ECMAScript with these flags. All tools use the flag `u`, as JSON Schema advises. */
export function patternProblem(pattern: string, flags = 'u'): string | undefined {
  try {
    new RegExp(pattern, flags);
    return undefined;
  } catch (error) {
    return Object(error).message;
  }
}

/** A pattern as the flag `u` demands it: without needless escapes such as `\_`, and with `[\w\-.]` for `[\w-.]`. */
export function withFlagU(pattern: string): string {
  return pattern.replaceAll(/\[(?:\\.|[^\\\]])*\]|\\./gs, (part) =>
    part.startsWith('[')
      ? part.replaceAll(/(\\[dDsSwW])-(?!\])|\\./gs, (pair, set) => (set ? `${set}\\-` : needed(pair, '-')))
      : needed(part),
  );
}

/** The escape itself, or its character if it means the same. Letters and digits have meanings of their own. */
function needed(pair: string, further = ''): string {
  const character = pair.charAt(1);
  return /[a-zA-Z0-9]/.test(character) || `^$\\.*+?()[]{}|/${further}`.includes(character) ? pair : character;
}
