/** What npm run dev watches, and what a change of it asks for. */

const tools = ['scripts/generate', 'scripts/docs', 'scripts/lint'];
const texts = ['docs/guides', 'docs/workflows'];

export const watchedFiles = ['openapi.yaml', '.redocly.yaml', 'CHANGELOG.md'];
export const watchedFolders = ['packages', ...texts, ...tools];

/** Sources, not tests; and not the copies that some editors keep beside a file. */
export function isOfInterest(path: string): boolean {
  return (
    /\/[^./][^/]*\.(ts|json|sql|yaml|hbs|css|md)$/.test(path) &&
    !path.endsWith('.test.ts') &&
    kindOf(path) !== undefined
  );
}

/** The changed files, by what has to follow: a new contract, other tools that read it, or another server. */
export function asksFor(paths: readonly string[]) {
  const of = (kind: 'contract' | 'tools' | 'server') => paths.filter((path) => kindOf(path) === kind);
  return { contract: of('contract'), tools: of('tools'), server: of('server') };
}

function kindOf(path: string): 'contract' | 'tools' | 'server' | undefined {
  if (path === 'openapi.yaml' || path === 'CHANGELOG.md' || isIn(texts, path)) return 'contract';
  if (path === '.redocly.yaml' || isIn(tools, path)) return 'tools';
  return /^packages\/[^/]+\/src\//.test(path) ? 'server' : undefined;
}

function isIn(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => path.startsWith(`${folder}/`));
}
