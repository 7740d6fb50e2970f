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
