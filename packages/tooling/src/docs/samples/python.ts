import { entriesOf } from '../../common/json.ts';
import {
  addressOf,
  allRequests,
  headersWithType,
  type Reading,
  type SampleBody,
  type SampleField,
  type SampleHeader,
  type SampleRequest,
} from './sample-request.ts';
import { inSequence, type SampleStep, Stored, snake } from './steps.ts';

/** Modules of the standard library. A sample imports those that its code uses. */
const modules = ['json', 'os', 'uuid'];

type PythonReading = { isStream?: boolean; print: (request: SampleRequest) => string };

/** The Python code for a response. Without a charset in Content-Type, `requests` decodes text as ISO 8859-1. */
const utf8 = 'response.encoding = "utf-8"\n';
const eachLine = `${utf8}for line in response.iter_lines(decode_unicode=True):\n`;
const readings: Record<Exclude<Reading, 'pages'>, PythonReading> = {
  status: { print: () => 'print(response.status_code)' },
  json: { print: () => 'print(response.json())' },
  text: { print: () => `${utf8}print(response.text)` },
  lines: { isStream: true, print: () => `${eachLine}    print(line)` },
  jsonLines: { isStream: true, print: () => `${eachLine}    print(json.loads(line))` },
  events: {
    isStream: true,
    print: () => `${eachLine}    if line.startswith("data: "):\n        print(json.loads(line[6:]))`,
  },
  file: {
    isStream: true,
    print: ({ response }) => `with open("${response.file}", "wb") as file:
    for chunk in response.iter_content(65536):
        file.write(chunk)`,
  },
};

/** The operation with `requests`, the most common HTTP library for Python. */
export function pythonSample(request: SampleRequest): string {
  const { baseUrl, secrets, response, remarks } = request;
  const isRepeatable = allRequests(request).every((one) => one.isRepeatable);
  // A request that is not repeatable is sent again only if the API refused it, not if its response was lost.
  const lostReplies = isRepeatable ? '' : '    read=0,\n    other=0,\n';
  const keys = secrets.map(
    ({ name, prefix, variable }) => `session.headers["${name}"] = (
    ${prefix === '' ? '' : `"${prefix}"\n    + `}os.environ.get("${variable}", "${request.names.keyPlaceholder}")
)
`,
  );
  const code = `
import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

api = "${baseUrl}"
session = requests.Session()
${keys.join('')}# After a 429, the session waits for Retry-After.
retry = Retry(
    total=3,
    backoff_factor=1,
    status_forcelist=[429, 503],
    allowed_methods=None,
    raise_on_status=False,
${lostReplies})
session.mount(api, HTTPAdapter(max_retries=retry))

${inSequence(request, '#', stepCode, response.reading === 'pages' ? loop(request) : call(request, readings[response.reading]))}`;
  const imports = [
    ...modules.filter((name) => code.includes(`${name}.`)).map((name) => `import ${name}\n`),
    ...(code.includes('Path(') ? ['from pathlib import Path\n'] : []),
  ];
  return [...remarks.map((remark) => `# ${remark}\n`), ...imports, imports.length === 0 ? code.trimStart() : code].join(
    '',
  );
}

const check = ({ errorText }: SampleRequest) => `if not response.ok:
    error = response.json()
    raise SystemExit(f"{error['code']}: {error['${errorText}']}")`;

function loop(request: SampleRequest): string {
  const { method, response } = request;
  const name = snake(response.name);
  const parameters = ['url', ...headerArguments(request), 'timeout=30'];
  return `url = f"{api}${addressOf(request, (variable) => `{${snake(variable)}}`)}"
while url:
    response = session.${method.toLowerCase()}(${parameters.join(', ')})
${check(request).replaceAll(/^/gm, '    ')}
    for ${name} in response.json():
        print(${name})
    url = response.links.get("next", {}).get("url")
`;
}

function stepCode({ request, from, stores }: SampleStep): string {
  const value = from === 'id' ? 'response.json()["id"]' : 'response.headers["ETag"]';
  return `# ${request.summary}\n${call(request, { print: () => `${snake(stores.variable)} = ${value}` })}`;
}

function call(request: SampleRequest, { isStream = false, print }: PythonReading): string {
  const { method, body } = request;
  const parameters = [
    `f"{api}${addressOf(request, (variable) => `{${snake(variable)}}`)}"`,
    ...headerArguments(request),
    ...(body === undefined ? [] : [data(body)]),
    ...(isStream ? ['stream=True'] : []),
    'timeout=30',
  ];
  const line = parameters.join(', ');
  const shown = line.length <= 60 ? line : `\n    ${parameters.join(',\n    ')},\n`;
  return `response = session.${method.toLowerCase()}(${shown})
${check(request)}
${print(request)}
`;
}

/** `requests` sets application/json itself. */
function headerArguments(request: SampleRequest): string[] {
  const headers = request.body?.mediaType === 'application/json' ? request.headers : headersWithType(request);
  const entries = headers.map((header) => `${JSON.stringify(header.name)}: ${headerValue(header)}`);
  if (entries.length < 2) return entries.map((entry) => `headers={${entry}}`);
  return [`headers={\n${entries.map((entry) => `        ${entry},\n`).join('')}    }`];
}

function headerValue(header: SampleHeader): string {
  if (!('value' in header)) return 'str(uuid.uuid4())';
  return header.value instanceof Stored ? snake(header.value.variable) : JSON.stringify(String(header.value));
}

function data(body: SampleBody): string {
  if (body.sending === 'json') return `json=${literal(body.value)}`;
  if (body.sending === 'form') {
    return `${body.isMultipart ? 'files' : 'data'}=[${body.fields.map((one) => formField(one, body.isMultipart)).join(', ')}]`;
  }
  return body.sending === 'file'
    ? `data=Path("${body.file}").read_bytes()`
    : `data=${JSON.stringify(body.text)}.encode()`;
}

/** `requests` sends a form with files, and takes texts as files without a name. */
function formField(field: SampleField, isMultipart: boolean): string {
  const name = JSON.stringify(field.name);
  if ('file' in field) {
    return `(${name}, ("${field.file}", Path("${field.file}").read_bytes(), "${field.mediaType}"))`;
  }
  const text = JSON.stringify(field.text);
  return `(${name}, ${isMultipart ? `(None, ${text})` : text})`;
}

/** A JSON value as a Python literal. */
function literal(value: unknown): string {
  if (value instanceof Stored) return snake(value.variable);
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  // A JSON string is also a valid Python string.
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${entriesOf(value)
    .map(([name, one]) => `${JSON.stringify(name)}: ${literal(one)}`)
    .join(', ')}}`;
}
