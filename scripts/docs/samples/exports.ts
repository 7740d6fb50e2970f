import { keyPlaceholder } from './request.ts';

/** Adds `export` lines to the first command of a guide that uses a variable of ours, unless the guide exports it before. */
export function withExports(markdown: string, baseUrl: string): string {
  const values = new Map([
    ['ANIMAL_STORE_KEY', keyPlaceholder],
    ['ANIMAL_STORE_URL', baseUrl],
  ]);
  return markdown.replaceAll(/(?<=^```bash\n).*?(?=^```$)/gms, (code) => {
    const missing = [...values].filter(([name]) => code.includes(`$${name}`) && !code.includes(`export ${name}=`));
    for (const name of values.keys()) if (code.includes(name)) values.delete(name);
    return `${missing.map(([name, value]) => `export ${name}='${value}'\n`).join('')}${code}`;
  });
}
