import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The licenses of the packages to which files belong, as text, because licenses such as MIT require that copies contain
 * their notice.
 */
export function licenseTexts(files: readonly string[]): string {
  const folders = new Set(
    files.flatMap((file) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file) ?? []),
  );
  const texts = [...folders].map(licenseText).toSorted();
  return `This package contains code or types of these packages:\n\n${texts.join('\n')}`;
}

function licenseText(folder: string): string {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (!['MIT', 'ISC', '0BSD'].includes(license)) throw new Error(`The license of ${name}, ${license}, is not known.`);
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  // Some packages have no file, but name the license and the author.
  const text =
    file === undefined ? `Copyright ${author?.name ?? author}` : readFileSync(join(folder, file), 'utf8').trim();
  return `${name} ${version} (${license})\n\n${text.replace(/^(?=.)/gm, '  ')}\n`;
}
