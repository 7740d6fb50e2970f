import { dig } from '../../common/json.ts';
import { type ContractDocument, operationsOf, resolve } from '../../contract/document.ts';
import { project } from '../../project.ts';
import { type CodeSample, samplesFor } from '../samples/languages.ts';
import { sampleRequests } from '../samples/request.ts';
import type { SampleRequest } from '../samples/sample-request.ts';

/** A curl command of a guide. */
type Command = {
  method: string;
  /** With `$` for an ID that an earlier command of the block has got. */
  path: string;
  query: [name: string, value: string][];
  headers: string[];
  body: string | undefined;
};

/**
 * Finds the samples, in every language, that do the same as a block of curl commands in a guide: those of the operation that the
 * last command calls, with its query and its body. The commands before it must be steps of that sample. A block with anything else,
 * such as a loop, has no samples.
 */
export function otherLanguages(contract: ContractDocument): (code: string) => readonly CodeSample[] {
  const found = guideRequests(contract);
  return (code) => {
    const request = found(code);
    return request === undefined ? [] : samplesFor(request);
  };
}

/** The request of these samples, or undefined. */
export function guideRequests(contract: ContractDocument): (code: string) => SampleRequest | undefined {
  const requests = sampleRequests(contract);
  const operations = new Map(operationsOf(contract).map((placed) => [placed.operation.operationId, placed]));

  function called({ method, path }: Command): SampleRequest | undefined {
    return requests.find((one) => one.method === method && patternOf(one.path).test(path));
  }

  /** As in the contract: a list for a repeated parameter, and numbers. */
  function queryOf({ query }: Command, id: string): Record<string, unknown> {
    const parameters = operations.get(id)?.parameters ?? [];
    const typed = [...Map.groupBy(query, ([name]) => name)].map(([name, values]) => {
      const schema = resolve(contract, parameters.find((one) => one.name === name)?.schema);
      const items = resolve(contract, dig(schema, 'items'));
      const all = values.map(([, value]) => (isNumeric(items ?? schema) ? Number(value) : value));
      return [name, items === undefined ? all[0] : all] as const;
    });
    return Object.fromEntries(typed);
  }

  return (code) => {
    const commands = commandsIn(code);
    const last = commands?.at(-1);
    const request = last === undefined ? undefined : called(last);
    if (commands === undefined || last === undefined || request === undefined) return undefined;
    const steps = request.steps.map((step) => step.request.id);
    const areSteps = commands.slice(0, -1).every((command) => steps.includes(called(command)?.id ?? ''));
    const known = ['Authorization', 'Content-Type', ...request.headers.map(({ name }) => name)];
    if (!areSteps || last.headers.some((name) => !known.includes(name))) return undefined;
    const { body, response } = request;
    const isLiteral = body?.sending === 'json' && last.body !== undefined && !last.body.includes('$');
    return {
      ...request,
      query: queryOf(last, request.id),
      // The command reads one page.
      ...(response.reading === 'pages' || request.entry !== undefined
        ? { response: { ...response, reading: 'json', name: 'data' }, entry: undefined }
        : {}),
      body: isLiteral ? { ...body, value: JSON.parse(last.body ?? '') } : body,
    };
  };
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`);
}

function isNumeric(schema: unknown): boolean {
  return ['integer', 'number'].includes(String(dig(schema, 'type')));
}

/** The commands of a block, or undefined if it contains anything else than requests, their variables and comments. */
function commandsIn(code: string): Command[] | undefined {
  const own = [`${project.variables}_KEY`, `${project.variables}_URL`];
  const commands: Command[] = [];
  /** The paths of the URLs in the variables. */
  const locations = new Map<string, string>();
  const assigned = [...code.matchAll(/^(\w+)=/gm)].map(([, name]) => name);
  const used = [...code.matchAll(/\$\{?([A-Za-z_]\w*)|^export (\w+)/gm)].map(([, name, exported]) => name ?? exported);
  // A block that continues the one before it makes no sense alone.
  if (used.some((name) => !own.includes(name ?? '') && !assigned.includes(name))) return undefined;
  const statements = code
    .replaceAll(/^#.*$/gm, '')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  for (const statement of statements) {
    const [, variable, captured] = /^(\w+)=\$\((curl .*)\)$/.exec(statement) ?? [];
    if (captured === undefined && !statement.startsWith('curl ')) {
      if (/^export \w+=|^\w+="\$\(od |^\w+=\$\{\w+##\*\/\}$/.test(statement)) continue;
      return undefined;
    }
    const command = parsed(captured ?? statement, locations);
    if (command === undefined) return undefined;
    commands.push(command);
    if (variable !== undefined) locations.set(variable, `${command.path}/$`);
  }
  return commands;
}

function parsed(statement: string, locations: ReadonlyMap<string, string>): Command | undefined {
  const words = [...statement.matchAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  );
  const after = (option: string) => words.flatMap((word, place) => (word === option ? [words[place + 1] ?? ''] : []));
  const base = `$${project.variables}_URL`;
  const [url] = words.flatMap((word) => {
    const [, variable = '', rest = ''] = /^\$(\w+)(.*)$/.exec(word) ?? [];
    return `$${variable}` === base ? [rest] : locations.has(variable) ? [`${locations.get(variable)}${rest}`] : [];
  });
  if (url === undefined) return undefined;
  const [path = '', query = ''] = url.split('?');
  const [body] = after('-d');
  return {
    method: after('-X')[0] ?? (body === undefined ? 'GET' : 'POST'),
    path,
    query: [...new URLSearchParams(query)],
    headers: after('-H').map((header) => header.split(':')[0] ?? ''),
    body,
  };
}
