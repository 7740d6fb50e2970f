import { type RedoclyRun, runRedocly } from '../../redocly.ts';
import { root } from '../../root.ts';
import type { Report } from './result.ts';

type Problem = {
  ruleId: string;
  message: string;
  location: { source: { ref: string }; start: { line: number; col: number } }[];
};

/** Lints the contract as `npm run lint` does. */
export async function lint(report: Report): Promise<void> {
  const run = runRedocly('lint', '--config', '.redocly.yaml', '--lint-config', 'error', '--format', 'json');
  report({ kind: 'lint', findings: findingsOf(run) });
}

/** One line per finding, with where it is in a form that terminals and editors make a link of. */
export function findingsOf({ exitCode, stdout, stderr }: RedoclyRun): string[] {
  if (!stdout.trimStart().startsWith('{')) return exitCode === 0 ? [] : [plain(stderr)];
  const { problems }: { problems: Problem[] } = JSON.parse(stdout);
  const lines = problems.map(({ ruleId, message, location: [place] }) =>
    place === undefined
      ? `${message} (${ruleId})`
      : `${place.source.ref}:${place.start.line}:${place.start.col} ${message} (${ruleId})`,
  );
  return [...new Set(lines)];
}

/** What Redocly says of a file that is no YAML: `  - bad indentation in "/…/openapi.yaml" (98:7)`. */
function plain(message: string): string {
  const found = /- (.+) in "(.+)" \((\d+:\d+)\)/.exec(message);
  if (found === null) return message.trim();
  const [, what = '', file = '', place = ''] = found;
  return `${file.replace(`${root}/`, '')}:${place} ${what}`;
}
