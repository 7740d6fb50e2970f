/** Generates the named methods of the client: `client.notes.list()`, `listNotes(client)` and the queries of react-query. */
import { dig } from '../common/json.ts';
import {
  type ContractDocument,
  isSafe,
  kindOf,
  type MediaTypeObject,
  nameOfReference,
  operationsOf,
  type PlacedOperation,
} from '../contract/document.ts';
import { argumentNames, type MethodName, methodNameOf } from '../contract/method-names.ts';
import { listFactsOf, type Paging } from '../contract/pagination.ts';
import { comment, commonImports, objectOf, withImports } from './code.ts';
import { errorCodesOf, header, isRepeatable, ownErrors } from './constants.ts';
import { deprecationOf, documentation, linesOf, queryUse } from './documentation.ts';
import { generateForms } from './forms.ts';
import { leftOut, namedHeaders, objectType, type ParameterTypes, parameterTypes } from './parameter-types.ts';
import { generatePaths } from './paths.ts';
import { typeName } from './type-names.ts';

/** The properties of an operation that the files below need. `method` is that of the client, and `parameters` are those that it takes. */
export type Described = Omit<PlacedOperation, 'method'> &
  MethodName & {
    document: ContractDocument;
    id: string;
    verb: string;
    isRepeatable: boolean;
    paramsType: string;
    errorType: string;
    /** The codes of its errors by status. */
    errorCodes: [status: string, codes: string[]][];
    initType: string;
    hasParams: boolean;
    isParamsRequired: boolean;
    isList: boolean;
    /** How the pages of a list continue, unless they are JSON arrays with a `Link` header. */
    paging: Paging | undefined;
    /** The type of the data, or of an item of a list. */
    dataType: string;
    /** The type of the body with the items, if they are not all of it. */
    envelope: string | undefined;
    parseAs: ParseAs | undefined;
    /** The names of all its parameters in the method, by place and name. */
    names: ReadonlyMap<string, string>;
    /** The types of all its parameters, and of its body. */
    types: ParameterTypes;
  };

type ParseAs = 'text' | 'stream' | 'blob';

/**
 * The files of packages/client/src/generated, by name.
 *
 * @param types those of `openapiTypescript`
 */
export function generateMethods(document: ContractDocument, types: string): Record<string, string> {
  const typesOf = parameterTypes(types);
  const all = operationsOf(document).map((entry) => describe(document, entry, typesOf));
  return {
    'errors.ts': generateErrors(all),
    'paths.ts': generatePaths(all),
    'requests.ts': generateRequests(all),
    'operations.ts': generateOperations(all),
    'queries.ts': generateQueries(all),
    'forms.ts': generateForms(document, all),
  };
}

function describe(
  document: ContractDocument,
  { method: httpMethod, ...placed }: PlacedOperation,
  typesOf: ReturnType<typeof parameterTypes>,
): Described {
  const { operation, body } = placed;
  const id = operation.operationId;
  const verb = httpMethod.toLowerCase();
  const parameters = placed.parameters.filter(({ name }) => !leftOut.includes(name));
  const names = argumentNames(placed.parameters);
  const typeOf = `${id[0]?.toUpperCase()}${id.slice(1)}`;
  return {
    ...placed,
    ...methodNameOf(operation),
    ...dataOf(document, { ...placed, method: httpMethod }),
    document,
    names,
    types: typesOf(id, names),
    id,
    verb,
    parameters,
    isRepeatable: isRepeatable(document, { ...placed, method: httpMethod }),
    paramsType: `${typeOf}Params`,
    initType: `${typeOf}Init`,
    errorType: `${typeOf}Error`,
    errorCodes: errorCodesOf(document, { ...placed, method: httpMethod }),
    hasParams: parameters.length > 0 || body !== undefined,
    isParamsRequired: body?.required === true || parameters.some((one) => one.required === true),
  };
}

/** The data of the successful responses. */
function dataOf(document: ContractDocument, placed: PlacedOperation) {
  const { operation, responses } = placed;
  const contents = responses.filter(({ status }) => /^2/.test(status)).map(({ content = {} }) => content);
  const mediaTypes = contents.flatMap((content) => Object.entries(content));
  const json = mediaTypes.filter(([type]) => kindOf(type) === 'json').map(([, media]) => media);
  const parseAs = json.length > 0 ? undefined : parseAsOf(mediaTypes);
  const init = parseAs === undefined ? '' : `, { parseAs: '${parseAs}' }`;
  const op = `OperationTypes['${operation.operationId}']`;
  const empty = mediaTypes.length === 0 ? 'undefined' : undefined;
  const schema = json.length === 1 ? json[0]?.schema : undefined;
  const whole = empty ?? namedType(schema) ?? `DataOf<${op}${init}>`;
  const list = listFactsOf(document, placed) ?? undefined;
  if (list === undefined) return { isList: false, paging: undefined, dataType: whole, envelope: undefined, parseAs };
  const { paging, items } = list;
  const keys = paging?.items?.map((key) => JSON.stringify(key)) ?? [];
  const dataType = namedType(items) ?? `ItemOf<${op}${keys.length === 0 ? '' : `, [${keys.join(', ')}]`}>`;
  return { isList: true, paging, dataType, envelope: keys.length === 0 ? undefined : whole, parseAs };
}

/** The name of a schema, which editors show; undefined if it has none. */
function namedType(schema: unknown): string | undefined {
  const reference = dig(schema, '$ref');
  return typeof reference === 'string' ? `contract.${typeName(nameOfReference(reference))}` : undefined;
}

/** How to read a response that is never JSON. */
function parseAsOf(mediaTypes: [string, MediaTypeObject][]): ParseAs | undefined {
  const [first] = mediaTypes;
  if (first === undefined) return undefined;
  const [type, media] = first;
  const kind = kindOf(type);
  if (media['x-stream'] === true || kind === 'lines' || kind === 'events') return 'stream';
  return kind === 'text' ? 'text' : 'blob';
}

/** The errors that each operation documents. */
function generateErrors(all: Described[]): string {
  const types = all.map(({ id, functionName, errorType, errorCodes, responses }) => {
    const codesOf = errorCodes.map(
      ([status, codes]) => `${status}: ${codes.map((code) => JSON.stringify(code)).join(' | ')}`,
    );
    const ofContract = ownErrors(responses).map(({ status }) => (/\D/.test(status) ? JSON.stringify(status) : status));
    const forms = `Pick<OperationTypes[${JSON.stringify(id)}]["responses"], ${ofContract.join(' | ')}>`;
    const parts = [objectOf(codesOf), ...(ofContract.length === 0 ? [] : [forms])];
    return `/** Why \`${functionName}\` failed. */\nexport type ${errorType} = ErrorOf<${parts.join(', ')}>;\n`;
  });
  const table = all.map(
    ({ verb, path, errorType }) => `  ${JSON.stringify(`${verb.toUpperCase()} ${path}`)}: ${errorType};\n`,
  );
  const code = `${types.join('\n')}
/** The error of each operation, by its method and path. */
export type OperationErrors = {
${table.join('')}};
`;
  return withImports(code, { ...commonImports, '@contract-first/client': ['ErrorOf'] });
}

/** The method and path of each operation, and what else its named method and its query need when they run. */
function generateRequests(all: Described[]): string {
  const constants = all.map(({ id, verb, path, parameters, names, parseAs, ...one }) => {
    const named = parameters.map((one) => ({ ...one, argument: names.get(`${one.in} ${one.name}`) ?? one.name }));
    const namesIn = (place: string) => named.filter((one) => one.in === place).map(({ argument }) => argument);
    const renamed = named.filter(({ name, argument }) => name !== argument);
    const [query, headers] = [namesIn('query'), namesIn('header')];
    const facts = {
      method: verb,
      path,
      ...(query.length > 0 ? { query } : {}),
      ...(headers.length > 0 ? { headers } : {}),
      ...(renamed.length > 0 ? { renamed: Object.fromEntries(renamed.map((one) => [one.argument, one.name])) } : {}),
      ...(one.isRepeatable ? { idempotent: true } : {}),
      ...(parseAs ? { parseAs } : {}),
      ...(one.paging ? { paging: one.paging } : {}),
    };
    return `export const ${id}Request = ${JSON.stringify(facts)} as const;`;
  });
  return `${header}\n${constants.join('\n')}\n`;
}

function generateOperations(all: Described[]): string {
  const code = [
    all.flatMap((one) => [generateParams(one), generateFunction(one)]).join('\n'),
    '\n/** The operations of the contract as methods of a client, grouped by tag. Beta operations are in `beta`. */\n',
    `export type NamedMethods = ${groups(all, methodType, true)};\n`,
    '\n/** The methods of a client. */\n',
    `export function namedMethods(store: Caller): NamedMethods {\n  return ${indented(groups(all, methodValue))};\n}\n`,
  ].join('');
  return withImports(code, {
    ...commonImports,
    '@contract-first/client/operations': ['Call', 'call', 'ItemOf', 'ListCall', 'list', 'pagerOf'],
    './requests.ts': all.map(({ id }) => `${id}Request`),
  });
}

function generateParams({ paramsType, types, ...one }: Described): string {
  const { path, query, header, body } = types;
  const members = [...path.values(), ...query.values(), ...namedHeaders(header), ...(body ? [body] : [])];
  return `/** The parameters of \`${one.functionName}\`${body ? ', and its body' : ''}. */\nexport type ${paramsType} = ${objectType(members)};\n`;
}

function generateFunction(one: Described): string {
  const { functionName, paramsType, isParamsRequired, isList, paging, id } = one;
  const send = isList ? 'list' : 'call';
  const pager = paging === undefined ? '' : ', pagerOf';
  return `${documentation(one, 0)}
export function ${functionName}(store: Caller, params${isParamsRequired ? '' : '?'}: ${paramsType}, options?: CallOptions): ${returnType(one)} {
  return ${send}(store, ${id}Request, params, options${pager});
}
`;
}

function returnType({ isList, dataType, envelope }: Described): string {
  const data = envelope === undefined ? '' : `, ${envelope}`;
  return isList ? `ListCall<${dataType}${data}>` : `Call<${dataType}>`;
}

function methodType(one: Described, indent: number): string {
  const { method, paramsType, isParamsRequired } = one;
  const params = `params${isParamsRequired ? '' : '?'}: ${paramsType}`;
  return `${documentation(one, indent)}\n${' '.repeat(indent)}${method}(${params}, options?: CallOptions): ${returnType(one)};`;
}

function methodValue({ method, functionName }: Described, indent: number): string {
  return `${' '.repeat(indent)}${method}: (params, options) => ${functionName}(store, params, options),`;
}

/** An object, or its type, with the operations by group, and those that are beta in groups of `beta`. */
function groups(all: Described[], write: (one: Described, indent: number) => string, isType = false): string {
  const stable = all.filter(({ isBeta }) => !isBeta);
  const beta = all.filter(({ isBeta }) => isBeta);
  const end = isType ? ';' : ',';
  const comment = '  /** Operations that may change or be removed in any release. */\n';
  const nested =
    beta.length === 0
      ? ''
      : `${isType ? `${comment}  readonly ` : '  '}beta: {\n${groupsIn(beta, write, 4, isType)}\n  }${end}\n`;
  return `{\n${groupsIn(stable, write, 2, isType)}\n${nested}}`;
}

function groupsIn(
  all: Described[],
  write: (one: Described, indent: number) => string,
  indent: number,
  isType: boolean,
): string {
  const space = ' '.repeat(indent);
  const byGroup = Map.groupBy(all, ({ group }) => group);
  return [...byGroup]
    .map(([group, members]) => {
      const lines = members.map((one) => write(one, indent + 2)).join('\n');
      const start = isType ? `${comment(tagLines(members), indent)}\n${space}readonly ` : space;
      return `${start}${group}: {\n${lines}\n${space}}${isType ? ';' : ','}`;
    })
    .join('\n');
}

/** All lines but the first, indented. */
function indented(text: string): string {
  return text.replaceAll('\n', '\n  ');
}

function tagLines([first]: Described[]): string[] {
  const [name = ''] = first?.operation.tags ?? [];
  const tag = first?.document.tags?.find((one) => one.name === name);
  return linesOf(tag?.description ?? name);
}

/** The options of react-query for each operation. */
function generateQueries(all: Described[]): string {
  const reads = all.filter(({ verb, parseAs }) => verb === 'get' && parseAs !== 'stream');
  const writes = all.filter(({ verb }) => !isSafe(verb));
  const code = [
    '/** The options of react-query for each operation that reads, grouped by tag. */\n',
    `export type Queries = ${groups(reads, queryType, true)};\n`,
    '\n/** The options of react-query for each operation that changes something, grouped by tag. */\n',
    `export type Mutations = ${groups(writes, mutationType, true)};\n`,
    '\n/** The queries of a client. */\n',
    `export function namedQueries(${parameterFor(reads)}: Caller): Queries {\n  return ${indented(groups(reads, queryValue))};\n}\n`,
    '\n/** The mutations of a client. */\n',
    `export function namedMutations(${parameterFor(writes)}: Caller): Mutations {\n  return ${indented(groups(writes, queryValue))};\n}\n`,
  ].join('');
  return withImports(code, {
    ...commonImports,
    '@contract-first/client/operations': ['ItemOf'],
    '@contract-first/client/queries': [
      'ListQuery',
      'listQuery',
      'Mutation',
      'mutation',
      'pagerOf',
      'Query',
      'QueryError',
      'query',
    ],
    './requests.ts': [...reads, ...writes].map(({ id }) => `${id}Request`),
    './errors.ts': [...reads, ...writes].map(({ errorType }) => errorType),
    './operations.ts': [...reads, ...writes].map(({ paramsType }) => paramsType),
  });
}

/** TypeScript refuses an unused parameter unless its name starts with an underscore. */
function parameterFor(used: Described[]): string {
  return used.length === 0 ? '_store' : 'store';
}

function queryType(one: Described, indent: number): string {
  const data = one.envelope === undefined ? '' : `, ${one.envelope}`;
  const name = one.isList ? 'ListQuery' : 'Query';
  return property(one, `${name}<${one.paramsType}, ${one.dataType}, QueryError<${one.errorType}>${data}>`, indent);
}

function mutationType(one: Described, indent: number): string {
  return property(one, `Mutation<${one.paramsType}, ${one.dataType}, QueryError<${one.errorType}>>`, indent);
}

function property(one: Described, type: string, indent: number): string {
  const lines = [
    ...linesOf(one.operation.summary ?? ''),
    '',
    ...deprecationOf(one, queryUse),
    ...(one.isBeta ? ['@beta'] : []),
  ];
  return `${comment(lines, indent)}\n${' '.repeat(indent)}readonly ${one.method}: ${type};`;
}

function queryValue({ id, method, verb, isList, paging }: Described, indent: number): string {
  const make = verb !== 'get' ? 'mutation' : isList ? 'listQuery' : 'query';
  const pager = paging === undefined ? '' : ', pagerOf';
  return `${' '.repeat(indent)}${method}: ${make}(store, ${id}Request${pager}),`;
}
