import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Whether a package can be published under its name. `isTaken`: it belongs to others, so a release would fail. */
export type NameCheck = { isTaken: boolean; text: string };

/** The answer of npm: JSON, or the code of an error such as E404. */
type Answer = { value: unknown; code?: undefined } | { value?: undefined; code: string };

/**
 * Asks npm, with its registry and its login, whether package names are ours. It never guesses: without a network or a
 * login, the text says what is unknown.
 */
export async function checkNames(
  names: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
): Promise<NameCheck[]> {
  const npm = (...parameters: string[]) => runNpm(parameters, environment);
  const { value: user } = await npm('whoami');
  return Promise.all(names.map((name) => checkName(npm, name, typeof user === 'string' ? user : undefined)));
}

type Npm = (...parameters: string[]) => Promise<Answer>;

async function checkName(npm: Npm, name: string, user: string | undefined): Promise<NameCheck> {
  const { value, code } = await npm('view', name, 'maintainers');
  if (code !== undefined && code !== 'E404') return unknown(name, `npm did not respond (${code})`);
  if (code === undefined) return checkMaintainers(name, maintainersIn(value), user);
  const scope = /^@([^/]+)\//.exec(name)?.[1];
  if (scope === undefined) return { isTaken: false, text: `${name} is available.` };
  if (user === undefined)
    return unknown(name, 'it is not published yet, and you must log in to npm to see who owns its scope');
  if (user === scope) return { isTaken: false, text: `${name} is available, and you own its scope.` };
  const members = await npm('org', 'ls', scope);
  if (members.value !== undefined && user in Object(members.value)) {
    return { isTaken: false, text: `${name} is available, and you are a member of its scope.` };
  }
  return {
    isTaken: true,
    text: `${name} is not published, and ${user} is not a member of @${scope}. Create or join the organisation.`,
  };
}

function checkMaintainers(name: string, maintainers: readonly string[], user: string | undefined): NameCheck {
  const list = maintainers.join(', ');
  if (user === undefined) return unknown(name, `it belongs to ${list}, and you are not logged in to npm`);
  if (maintainers.includes(user)) return { isTaken: false, text: `${name} belongs to you.` };
  return { isTaken: true, text: `${name} belongs to ${list}, not to ${user}.` };
}

function unknown(name: string, reason: string): NameCheck {
  return { isTaken: false, text: `${name} was not checked: ${reason}.` };
}

/** npm writes a maintainer as `name <address>`, and a list of one as a text. */
function maintainersIn(value: unknown): string[] {
  return [value].flat().map((each) => String(each).split(' ')[0] ?? '');
}

async function runNpm(parameters: readonly string[], env: NodeJS.ProcessEnv): Promise<Answer> {
  const options = ['--json', '--fetch-retries=0', '--fetch-timeout=10000', '--no-update-notifier'];
  try {
    const { stdout } = await promisify(execFile)('npm', [...parameters, ...options], {
      shell: process.platform === 'win32',
      env,
    });
    return { value: JSON.parse(stdout === '' ? 'null' : stdout) };
  } catch (error) {
    const { stdout = '' }: { stdout?: string } = Object(error);
    return { code: codeIn(stdout) };
  }
}

function codeIn(text: string): string {
  const code = /"code": "([A-Z0-9_]+)"/.exec(text)?.[1];
  return code ?? 'an unknown error';
}
