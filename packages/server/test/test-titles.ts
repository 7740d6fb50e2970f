import { readFileSync } from 'node:fs';

/** Whether a file has the title of a test or a block of tests as a string that is not a comment, before or after its `each`. */
export function hasTest(file: string, title: string): boolean {
  const code = readFileSync(file, 'utf8').replaceAll(/^ *(?:\/\/|\/?\*).*$/gm, '');
  return ["'", '"', '`'].some((quote) => code.includes(`${quote}${title}${quote}`));
}
