import { commonImports, withImports } from './code.ts';
import { documentation } from './documentation.ts';
import type { Described } from './methods.ts';
import { leftOut, namedHeaders, objectType } from './parameter-types.ts';
import type { Member } from './types.ts';

/** The types of calls by path: `client.GET('/notes', ...)`, with a signature for each operation, whose comment editors show. */
export function generatePaths(all: Described[]): string {
  const code = [
    ...all.map(generateInit),
    '/** The operations of the contract by method and path. */\n',
    'export type PathMethods = {\n',
    ...[...Map.groupBy(all, ({ verb }) => verb)].map(([verb, members]) => generateMethod(verb, members)),
    '};\n',
  ].join('');
  return withImports(code, {
    ...commonImports,
    '@contract-first/client': ['CallInit', 'CallResult', 'DataOf', 'RawData', 'RawParseAs', 'WhileWriting'],
    '@contract-first/client/operations': ['ItemOf'],
    './errors.ts': all.map(({ errorType }) => errorType),
    './operations.ts': all.map(({ paramsType }) => paramsType),
  });
}

function generateInit(one: Described): string {
  const { verb, path, initType, paramsType, types, parseAs } = one;
  const { body } = types;
  const params = [...places(one)].map(([key, { isOptional, type }]) => ({ comment: '', key, isOptional, type }));
  const members: Member[] = [];
  if (params.length > 0) {
    const isOptional = params.every((place) => place.isOptional);
    members.push({ comment: '', key: 'params', isOptional, type: objectType(params) });
  }
  if (body !== undefined) members.push({ ...body, type: `${paramsType}['body']` });
  const reading = parseAs === undefined ? "parseAs?: 'json'" : 'parseAs: As';
  const own = members.length === 0 ? '' : ` & ${objectType(members)}`;
  const parameter = parseAs === undefined ? '' : '<As extends RawParseAs = RawParseAs>';
  return `/** The options of \`${verb.toUpperCase()} ${path}\`. */\nexport type ${initType}${parameter} = CallInit & { ${reading} }${own};\n\n`;
}

/** The places that have parameters, with their types: parts of the type of the named method, and the headers that it leaves out. */
function* places({ paramsType, types }: Described): Generator<[string, { isOptional: boolean; type: string }]> {
  const { path, query, header, body } = types;
  const ofMethod = [...path.values(), ...query.values(), ...namedHeaders(header), ...(body ? [body] : [])];
  for (const [place, members] of Object.entries({ path, query, header })) {
    const isLeftOut = ([name]: [string, Member]) => place === 'header' && leftOut.includes(name);
    const isRenamed = ([name, member]: [string, Member]) => keyType(member) !== JSON.stringify(name);
    const all = [...members].filter((one) => !isLeftOut(one));
    const named = all.filter((one) => !isRenamed(one)).map(([, member]) => member);
    const others = [...members].filter(isLeftOut);
    const part =
      named.length === ofMethod.length ? paramsType : `Pick<${paramsType}, ${named.map(keyType).join(' | ')}>`;
    // A call with If-None-Match may have no data: then another signature matches.
    const rest = others.map(([name, member]) => (name === 'If-None-Match' ? { ...member, type: 'never' } : member));
    for (const [name, member] of all.filter(isRenamed))
      rest.push({ ...member, comment: '', key: JSON.stringify(name), type: `${paramsType}[${keyType(member)}]` });
    const parts = [...(named.length > 0 ? [part] : []), ...(rest.length > 0 ? [objectType(rest)] : [])];
    const isOptional = [...members.values()].every((member) => member.isOptional);
    if (parts.length > 0) yield [place, { isOptional, type: parts.join(' & ') }];
  }
}

function keyType({ key }: Member): string {
  return key.startsWith('"') ? key : JSON.stringify(key);
}

/** A method of HTTP: a signature for each path. */
function generateMethod(verb: string, members: Described[]): string {
  const calls = members.map(
    (one) =>
      `    ${JSON.stringify(one.path)}: { init: ${one.initType}${isRequired(one) ? '' : ' | undefined'}; result: ${resultOf(one)} };\n`,
  );
  const signatures = members.map((one) => {
    const parameter = one.parseAs === undefined ? '' : '<As extends RawParseAs>';
    const init = `init${isRequired(one) ? '' : '?'}: ${one.initType}${one.parseAs === undefined ? '' : '<As>'}`;
    const result = one.parseAs === undefined ? resultOf(one) : `CallResult<RawData[As], ${one.errorType}>`;
    return `${documentation(one, 4)}\n    ${parameter}(path: ${JSON.stringify(one.path)}, ${init}): Promise<${result}>;\n`;
  });
  return `  ${verb.toUpperCase()}: WhileWriting<{\n${calls.join('')}  }> & {\n${signatures.join('')}  };\n`;
}

function isRequired({ types, parseAs }: Described): boolean {
  const { path, query, header, body } = types;
  const members = [path, query, header].flatMap((place) => [...place.values()]);
  return parseAs !== undefined || [...members, ...(body ? [body] : [])].some(({ isOptional }) => !isOptional);
}

function resultOf({ isList, envelope, dataType, parseAs, errorType }: Described): string {
  const data = parseAs !== undefined ? 'RawData[RawParseAs]' : (envelope ?? (isList ? `${dataType}[]` : dataType));
  return `CallResult<${data}, ${errorType}>`;
}
