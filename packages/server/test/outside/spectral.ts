import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { completeContract } from '../../../tooling/src/project.ts';
import { type Check, commandOf, runCommand } from './tools.ts';

type Finding = { code: string; path: (string | number)[]; message: string };

/** Findings that are accepted: those of a rule at the places that match a pattern. */
type Exception = { rule: string; at: string; reason: string };

const ruleset = "import rules from '@stoplight/spectral-owasp-ruleset';\nexport default { extends: [rules] };\n";

/** Spectral with the rules of OWASP for the security of APIs. spectral-exceptions.yaml lists what is accepted and why. */
export const spectral: Check = {
  packages: ['@stoplight/spectral-cli', '@stoplight/spectral-owasp-ruleset'],
  run: async (_, folder) => {
    writeFileSync(join(folder, 'ruleset.mjs'), ruleset);
    const parameters = ['lint', completeContract, '--ruleset', 'ruleset.mjs', '--format', 'json', '--quiet'];
    // It ends with 1 if there are findings.
    const output = await runCommand(commandOf('spectral'), parameters, { folder, mayReport: true });
    const findings: Finding[] = JSON.parse(output);
    const exceptions: Exception[] = parse(readFileSync(join(import.meta.dirname, 'spectral-exceptions.yaml'), 'utf8'));
    const matches = ({ rule, at }: Exception, { code, path }: Finding) =>
      code === rule && new RegExp(at).test(`/${path.join('/')}`);
    const open = findings.filter((finding) => !exceptions.some((exception) => matches(exception, finding)));
    const unused = exceptions.filter((exception) => !findings.some((finding) => matches(exception, finding)));
    const problems = [
      ...open.map(({ code, path, message }) => `${code} at /${path.join('/')}: ${message}`),
      ...unused.map(({ rule, at }) => `The exception to ${rule} at ${at} is not needed any more.`),
    ];
    if (problems.length > 0) throw new Error(problems.join('\n'));
    return `No findings apart from ${findings.length} that ${exceptions.length} exceptions accept.`;
  },
};
