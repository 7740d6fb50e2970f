import { project } from '../../project.ts';
import { keyPlaceholder } from './request.ts';

/** Adds `export` lines to each command that uses one of the docs' variables, unless the guide itself has such lines. */
export function withExports(markdown: string, baseUrl: string): string {
  const values = new Map([
    [`${project.variables}_KEY`, keyPlaceholder],
    [`${project.variables}_URL`, baseUrl],
  ]);
  return markdown.replaceAll(/(?<=^```bash\n).*?(?=^```$)/gms, (code) => {
    const missing = [...values].filter(([name]) => code.includes(`$${name}`) && !markdown.includes(`export ${name}=`));
    return `${missing.map(([name, value]) => `export ${name}='${value}'\n`).join('')}${code}`;
  });
}
