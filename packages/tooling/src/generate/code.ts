import { project } from '../project.ts';
import { header } from './constants.ts';

/** The modules of which all generated files may need something, and what that is. */
export const commonImports = {
  [`${project.contractPackage}/types`]: ['OperationTypes'],
  '@contract-first/client': ['CallOptions', 'DataOf', 'RawBody'],
  [`../${project.id}.ts`]: ['Caller'],
};

/** The code below its imports, as far as it uses them. */
export function withImports(code: string, modules: Record<string, string[]>): string {
  const bare = code.replaceAll(/\/\*\*[\s\S]*?\*\//g, '');
  const imports = Object.entries(modules).flatMap(([module, names]) => {
    const used = names.filter((name) => new RegExp(`(?<![\\w.])${name}[<>(\\[,;) ]`).test(bare));
    const isType = (name: string) => /^[A-Z]/.test(name);
    if (used.length === 0) return [];
    if (used.every(isType)) return [`import type { ${used.join(', ')} } from '${module}';`];
    return [`import { ${used.map((name) => (isType(name) ? `type ${name}` : name)).join(', ')} } from '${module}';`];
  });
  const contract = bare.includes('contract.')
    ? [`import type * as contract from '${project.contractPackage}/types';`]
    : [];
  const lines = [...contract, ...imports];
  return `${header}${lines.join('\n')}\n\n${code}`;
}

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

/** The code of an object type. */
export function objectOf(members: readonly string[]): string {
  return `{\n${members.map((member) => `  ${member};\n`).join('')}}`;
}
